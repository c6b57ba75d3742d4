/* The command line of a command such as `gpucc test`. */
#include "command/subcommand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_long(const struct subcommand_option *option)
{
    return option->spelling[1] == '-';
}

static _Noreturn void print_help(const struct subcommand *command)
{
    print_usage(command->name);
    command->introduce();
    for (size_t i = 0; i < command->option_count; i++) {
        const struct subcommand_option *option = &command->options[i];
        char left[64];
        if (!option->spelling)
            continue;
        snprintf(left, sizeof left, option->value == MAYBE ? "%s[%s%s]" : "%s%s%s", option->spelling,
                 !option->argument ? "" : is_long(option) ? "=" : " ", option->argument ? option->argument : "");
        print_option(left, option->help);
    }
    finish_standard_output();
    exit(EXIT_OK);
}

static _Noreturn void unknown_option(const struct subcommand *command, const char *word)
{
    const char *spellings[command->option_count];
    size_t count = 0;
    for (size_t i = 0; i < command->option_count; i++)
        if (command->options[i].spelling)
            spellings[count++] = command->options[i].spelling;
    const char *near = nearest(word, strcspn(word, "="), spellings, count);
    if (near)
        usage_error("unknown option '%s'; did you mean '%s'?", word, near);
    usage_error("unknown option '%s'; 'gpucc %s --help' lists them", word, command->name);
}

/* The option that the word spells, with the value inside the word or null. */
static int find_option(const struct subcommand *command, const char *word, const char **value)
{
    for (size_t i = 0; i < command->option_count; i++) {
        const struct subcommand_option *option = &command->options[i];
        const size_t length = option->spelling ? strlen(option->spelling) : 0;
        if (!length || strncmp(word, option->spelling, length) != 0)
            continue;
        if (is_long(option) && word[length] && word[length] != '=')
            continue;
        *value = word[length] ? word + length + is_long(option) : NULL;
        return (int)i;
    }
    unknown_option(command, word);
}

static bool is_operand(const struct command_line *line, const char *word)
{
    if (line->options_ended)
        return true;
    return line->command->is_operand ? line->command->is_operand(word) : word[0] != '-' || !word[1];
}

int command_line_next(struct command_line *line, const char **value)
{
    const bool has_ended = line->at + 1 < line->count && !strcmp(line->words[line->at + 1], "--");
    if (has_ended && !line->options_ended) {
        line->options_ended = true;
        line->at++;
    }
    if (line->at + 1 >= line->count)
        return LINE_END;
    const char *word = line->words[++line->at];
    if (is_operand(line, word)) {
        *value = word;
        return LINE_OPERAND;
    }
    if (!strcmp(word, "--help"))
        print_help(line->command);
    const int id = find_option(line->command, word, value);
    const struct subcommand_option *option = &line->command->options[id];
    if (option->value == NONE && *value)
        usage_error("%s takes no value", option->spelling);
    if (option->value != NEEDED || *value)
        return id;
    if (line->at + 1 == line->count)
        usage_error("%s needs a value: %s", option->spelling, option->argument);
    *value = line->words[++line->at];
    return id;
}
