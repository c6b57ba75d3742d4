/* Build-time tool: manual pages and shell completions, of the lists that --help prints.  gpucc-manual PAGE OUT
 * PAGE is gpucc.1, gpucc-COMMAND.1, gpucc.bash, gpucc.zsh or gpucc.fish. */
#include "command/command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a value follows: the forms of options.def, and NONE, NEEDED and MAYBE of run_options.def. */
enum form { ALONE, JOINED, EQUAL, EITHER, NEEDED, MAYBE, NONE = ALONE };

struct option {
    const char *title; /* of a group, which has nothing else */
    const char *spelling, *argument, *help;
    enum form form;
    bool shared; /* `gpucc run` takes it too */
};

static const struct option compile_options[] = {
#define GROUP(title) {title, NULL, NULL, NULL, ALONE, false},
#define OPTION(id, spelling, form, argument, takers, help) {NULL, spelling, argument, help, form, (takers) & RUN},
#define UNLISTED(id, spelling, form, argument, takers, help)
#include "command/options.def"
    {0}};

#define IN_RUN_RUN(...) {__VA_ARGS__},
#define IN_RUN_BENCH(...)
#define IN_RUN_BOTH(...) {__VA_ARGS__},
#define IN_BENCH_RUN(...)
#define IN_BENCH_BENCH(...) {__VA_ARGS__},
#define IN_BENCH_BOTH(...) {__VA_ARGS__},

static const struct option run_options[] = {
#define RUN_OPTION(id, command, spelling, form, argument, help)                                                        \
    IN_RUN_##command(NULL, spelling, argument, help, form, false)
#include "run/run_options.def"
    {0}};

static const struct option bench_options[] = {
#define RUN_OPTION(id, command, spelling, form, argument, help)                                                        \
    IN_BENCH_##command(NULL, spelling, argument, help, form, false)
#include "run/run_options.def"
    {0}};

static const struct option test_options[] = {
#define TEST_OPTION(id, spelling, argument, help) {NULL, spelling, argument, help, NEEDED, false},
#include "test/test_options.def"
    {NULL, "--help", NULL, "print this help, and exit", ALONE, false},
    {0}};

static const struct option inspect_options[] = {
#define INSPECT_OPTION(id, spelling, argument, help) {NULL, spelling, argument, help, NEEDED, false},
#include "inspect/inspect_options.def"
    {NULL, "--help", NULL, "print this help, and exit", ALONE, false},
    {0}};

static const struct option wrap_options[] = {
#define WRAP_OPTION(id, spelling, argument, help) {NULL, spelling, argument, help, NEEDED, false},
#include "wrap/wrap_options.def"
    {NULL, "--help", NULL, "print this help, and exit", ALONE, false},
    {0}};

static const struct option help_options[] = {{NULL, "--help", NULL, "print this help, and exit", ALONE, false}, {0}};

static const struct command {
    const char *name, *operands, *help;
} commands[] = {
#define COMMAND(name, operands, help) {name, operands, help},
#include "command/commands.def"
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static FILE *out;

static bool is_last(const struct option *option)
{
    return !option->title && !option->spelling;
}

static const struct option *options_of(const struct command *command)
{
    return !*command->name                    ? compile_options
           : !strcmp(command->name, "run")     ? run_options
           : !strcmp(command->name, "bench")   ? bench_options
           : !strcmp(command->name, "test")    ? test_options
           : !strcmp(command->name, "inspect") ? inspect_options
           : !strcmp(command->name, "wrap")    ? wrap_options
                                               : help_options;
}

/* The commands that take inputs. */
static bool runs(const struct command *command)
{
    return options_of(command) == run_options || options_of(command) == bench_options;
}

/* The commands that compile, and take the compiler's options too. */
static bool compiles(const struct command *command)
{
    return runs(command) || options_of(command) == test_options || options_of(command) == wrap_options;
}

/* The text between an option and its value. */
static const char *separator(const struct option *option)
{
    if (!option->argument || option->form == JOINED)
        return "";
    return option->form == EITHER || (option->form == NEEDED && option->spelling[1] != '-') ? " " : "=";
}

static bool names_file(const struct option *option)
{
    const char *argument = option->argument;
    return argument && (strstr(argument, "FILE") || strstr(argument, "DIR") || strstr(argument, ".npy"));
}

/* ---- manual pages ---- */

/* Text of a line: a hyphen that is typed is \-, and no line begins as a request. */
static void roff(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++)
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
}

static void roff_option(const struct option *option)
{
    const char *separated = separator(option);
    fputs(".TP\n\\fB", out);
    roff(option->spelling);
    fputs("\\fR", out);
    if (option->argument) {
        fprintf(out, "%s%s\\fI", option->form == MAYBE ? "[" : "", separated);
        roff(option->argument);
        fprintf(out, "\\fR%s", option->form == MAYBE ? "]" : "");
    }
    fputs("\n", out);
    roff(option->help);
    fputs("\n", out);
}

static void roff_options(const struct option *options)
{
    fputs(".SH OPTIONS\n", out);
    for (const struct option *option = options; !is_last(option); option++) {
        if (!option->title) {
            roff_option(option);
            continue;
        }
        fputs(".SS \"", out);
        roff(option->title);
        fputs("\"\n", out);
    }
    if (options == compile_options)
        roff_option(&(struct option){NULL, "@", "FILE", "take more arguments from FILE", JOINED, false});
}

static void roff_inputs(void)
{
    fputs(".SH INPUTS\nAn input, for each parameter in its order, is one of\n", out);
#define INPUT(form, help)                                                                                              \
    fputs(".TP\n", out);                                                                                               \
    roff(form);                                                                                                        \
    fputs("\n", out);                                                                                                  \
    roff(help);                                                                                                        \
    fputs("\n", out);
#include "run/input_forms.def"
}

static void roff_title(const struct command *command)
{
    const char *dash = *command->name ? "\\-" : "";
    fprintf(out, ".TH GPUCC%s", dash);
    for (const char *p = command->name; *p; p++)
        fputc(toupper((unsigned char)*p), out);
    fprintf(out, " 1 \"\" \"gpucc %s\" \"gpucc\"\n.SH NAME\ngpucc%s%s \\- ", GPUCC_VERSION, dash, command->name);
    roff(*command->name ? command->help : "compile C functions for NVIDIA GPUs and for all cores of the CPU");
    fputs("\n", out);
}

static void roff_synopsis(const struct command *command)
{
    fputs(".SH SYNOPSIS\n", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (*command->name && command != &commands[i])
            continue;
        fprintf(out, "%s.B gpucc %s\n", i && !*command->name ? ".br\n" : "", commands[i].name);
        roff(commands[i].operands);
        fputs("\n", out);
    }
}

static void roff_description(const struct command *command)
{
    fputs(".SH DESCRIPTION\n", out);
    for (size_t i = 0; i < COMMAND_COUNT && !*command->name; i++) {
        fprintf(out, ".TP\n.B gpucc %s\n", commands[i].name);
        roff(commands[i].help);
        fputs("\n", out);
    }
    if (!*command->name) {
        fputs(".PP\n", out);
        roff(COMPILE_NOTES);
    } else {
        roff(command->help);
    }
    fputs("\n", out);
}

static void print_page(const struct command *command)
{
    roff_title(command);
    roff_synopsis(command);
    roff_description(command);
    if (runs(command))
        roff_inputs();
    roff_options(options_of(command));
    if (compiles(command))
        fputs("The compiler's options, which\n.BR gpucc (1)\nlists, are also accepted.\n", out);
    fputs(".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\nthe input is wrong; a diagnostic says where\n.TP\n.B 2\n"
          "the command line is wrong\n.TP\n.B 3\nthe environment failed: no such file, no device, no memory\n"
          ".SH SEE ALSO\n", out);
    for (size_t i = 0, listed = 0; i < COMMAND_COUNT; i++)
        if (command != &commands[i])
            fprintf(out, "%s.BR gpucc%s%s (1)", listed++ ? ",\n" : "", *commands[i].name ? "\\-" : "",
                    commands[i].name);
    fputs("\n", out);
}

/* ---- completions ---- */

#define INPUT_KINDS "zeros: ones: full: empty: linspace: arange: random: map:"

/* Prints the word that a shell completes: the option, with the separator before its value unless that is a blank. */
static void print_word(const struct option *option)
{
    fprintf(out, "%s%s", option->spelling, option->form != MAYBE && *separator(option) == '=' ? "=" : "");
}

static void bash_words(const char *name, const struct option *options, bool shared_too)
{
    fprintf(out, "    %s) words='", name);
    for (const struct option *option = options; !is_last(option); option++)
        if (!option->title) {
            print_word(option);
            fputc(' ', out);
        }
    for (const struct option *option = compile_options; shared_too && !is_last(option); option++)
        if (option->shared) {
            print_word(option);
            fputc(' ', out);
        }
    fputs("' ;;\n", out);
}

static void print_bash(void)
{
    fputs("# bash completion for gpucc\n_gpucc()\n{\n    local current=${COMP_WORDS[COMP_CWORD]} words\n"
          "    case ${COMP_WORDS[1]} in\n", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (*commands[i].name)
            bash_words(commands[i].name, options_of(&commands[i]), compiles(&commands[i]));
    bash_words("*", compile_options, false);
    fputs("    esac\n"
          /* bash has "--arch=sm" as three words, the second "=". */
          "    local at=$((COMP_CWORD - 1))\n"
          "    if [[ $current == = ]]; then current=; elif [[ ${COMP_WORDS[at]} == = ]]; then at=$((at - 1)); fi\n"
          "    local option=${COMP_WORDS[at]}\n"
          "    if [[ $option == --arch || $option == --target || $option == -march ]]; then\n"
          "        local kind=^sm_\n"
          "        [[ $option == --arch ]] || kind='^[^s]'\n"
          "        mapfile -t COMPREPLY < <(\"${COMP_WORDS[0]}\" --print-targets 2>/dev/null |\n"
          "            grep \"$kind\" | grep \"^$current\")\n"
          "    elif [[ $COMP_CWORD -ge 4 && $current != -* && ${COMP_WORDS[1]} =~ ^(run|bench)$ ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W '" INPUT_KINDS "' -- \"$current\"; compgen -f -- \"$current\")\n"
          "        [[ ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2>/dev/null\n"
          "    elif [[ $COMP_CWORD -eq 1 && $current != -* ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W '", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "%s ", commands[i].name);
    fputs("' -- \"$current\"; compgen -f -- \"$current\")\n    elif [[ $current == -* ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
          "        [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null\n    fi\n    return 0\n}\n"
          "complete -o filenames -o default -F _gpucc gpucc\n", out);
}

/* Text within a specification of _arguments, which stands in single quotes. */
static void zsh_text(const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
}

static void zsh_option(const struct option *option)
{
    const char *form = !option->argument            ? ""
                       : option->form == JOINED     ? "-"
                       : option->form == MAYBE      ? "=-"
                       : *separator(option) == ' ' ? "+"
                                                    : "=";
    fprintf(out, "            '*%s%s[", option->spelling, form);
    zsh_text(option->help);
    fputs("]", out);
    if (option->argument) {
        fputs(option->form == MAYBE ? "::" : ":", out);
        zsh_text(option->argument);
        fputs(names_file(option) ? ":_files" : ": ", out);
    }
    fputs("' \\\n", out);
}

static void zsh_options(const struct option *options, bool shared_alone)
{
    for (const struct option *option = options; !is_last(option); option++)
        if (!option->title && (option->shared || !shared_alone))
            zsh_option(option);
}

static void print_zsh(void)
{
    fputs("#compdef gpucc\n# zsh completion for gpucc\nlocal -a commands=(\n", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (*commands[i].name) {
            fprintf(out, "    '%s:", commands[i].name);
            zsh_text(commands[i].help);
            fputs("'\n", out);
        }
    fputs(")\ncase ${words[2]} in\n", out);
    for (size_t i = COMMAND_COUNT; i-- > 0;) {
        fprintf(out, "    %s)\n        _arguments \\\n", *commands[i].name ? commands[i].name : "*");
        zsh_options(options_of(&commands[i]), false);
        if (compiles(&commands[i]))
            zsh_options(compile_options, true);
        fputs("            '*:file:_files'\n", out);
        if (!*commands[i].name)
            fputs("        (( CURRENT == 2 )) && _describe command commands\n", out);
        fputs("        ;;\n", out);
    }
    fputs("esac\n", out);
}

static void fish_text(const char *text)
{
    fputc('\'', out);
    for (; *text; text++)
        fprintf(out, strchr("'\\", *text) ? "\\%c" : "%c", *text);
    fputc('\'', out);
}

static void fish_option(const struct option *option, const char *condition)
{
    const char *dashes = option->spelling[1] == '-' ? "-l" : option->spelling[2] ? "-o" : "-s";
    fprintf(out, "complete -c gpucc -n '%s' %s %s", condition, dashes, option->spelling + (dashes[1] == 'l' ? 2 : 1));
    if (option->argument && option->form != MAYBE)
        fputs(names_file(option) ? " -r -F" : " -x", out);
    fputs(" -d ", out);
    fish_text(option->help);
    fputs("\n", out);
}

static void fish_options(const struct option *options, bool shared_alone, const char *condition)
{
    for (const struct option *option = options; !is_last(option); option++)
        if (!option->title && (option->shared || !shared_alone))
            fish_option(option, condition);
}

static void print_fish(void)
{
    char condition[64], others[64] = "not __fish_seen_subcommand_from";
    fputs("# fish completion for gpucc\n", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (!*commands[i].name)
            continue;
        fprintf(out, "complete -c gpucc -n __fish_is_first_arg -a %s -d ", commands[i].name);
        fish_text(commands[i].help);
        fputs("\n", out);
        snprintf(condition, sizeof condition, "__fish_seen_subcommand_from %s", commands[i].name);
        fish_options(options_of(&commands[i]), false, condition);
        if (compiles(&commands[i]))
            fish_options(compile_options, true, condition);
        snprintf(others + strlen(others), sizeof others - strlen(others), " %s", commands[i].name);
    }
    fish_options(compile_options, false, others);
}

int main(int argc, char **argv)
{
    char page[64];
    if (argc != 3 || !(out = fopen(argv[2], "w"))) {
        fputs("gpucc-manual PAGE OUT\n", stderr);
        return 1;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        snprintf(page, sizeof page, "gpucc%s%s.1", *commands[i].name ? "-" : "", commands[i].name);
        if (!strcmp(argv[1], page))
            print_page(&commands[i]);
    }
    if (!strcmp(argv[1], "gpucc.bash"))
        print_bash();
    else if (!strcmp(argv[1], "gpucc.zsh"))
        print_zsh();
    else if (!strcmp(argv[1], "gpucc.fish"))
        print_fish();
    if (ftell(out) <= 0 || fclose(out)) {
        fprintf(stderr, "gpucc-manual: cannot write %s to %s\n", argv[1], argv[2]);
        return 1;
    }
    return 0;
}
