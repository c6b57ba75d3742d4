/* The command line of a command such as `gpucc test`: options of a table, and other words. */
#ifndef GPUCC_SUBCOMMAND_H
#define GPUCC_SUBCOMMAND_H

#include "command/command.h"

/* Whether a value follows an option: never; behind its "=" or as the next word; behind its "=" or not at all.  The
 * value of an option with one dash follows its letter, or is the next word. */
enum value_form { NONE, NEEDED, MAYBE };

struct subcommand {
    const char *name;
    const struct subcommand_option {
        const char *spelling, *argument, *help; /* without a spelling it is another command's */
        enum value_form value;
    } *options;
    size_t option_count;
    void (*introduce)(void);           /* prints what --help says between usage and options */
    bool (*is_operand)(const char *word); /* null: words without a dash, and "-" */
};

struct command_line {
    const struct subcommand *command;
    char **words; /* the first is the command's name */
    int count;
    int at;       /* of the last word read */
    bool options_ended;
};

enum { LINE_OPERAND = -1, LINE_END = -2 };

/* Reads the next option: its index, with its value or null in *value.  Other words are LINE_OPERAND, with the word in
 * *value.  Ends the process after --help, and with a usage error where an option is unknown, or lacks a value. */
int command_line_next(struct command_line *line, const char **value);

#endif
