// SPDX-License-Identifier: MIT
// What begins with a colon, and the record of inputs that :save writes.
// By the main goroutine, with its P.
#include <errno.h>
#include <stdlib.h>

#include "cli/repl_internal.h"
#include "lang/compile/session.h"
#include "vm/code/dis.h"
#include "vm/interp/native_call.h"
#include "vm/object/map.h"
#include "vm/object/string.h"
#include "vm/object/value_text.h"

typedef CommandEnd (*CommandFn)(Repl *repl, CspCall *call,
                                const char *argument);

static CommandEnd do_help(Repl *repl, CspCall *call, const char *argument);
static CommandEnd do_type(Repl *repl, CspCall *call, const char *argument);
static CommandEnd do_time(Repl *repl, CspCall *call, const char *argument);
static CommandEnd do_dis(Repl *repl, CspCall *call, const char *argument);
static CommandEnd do_load(Repl *repl, CspCall *call, const char *argument);
static CommandEnd do_save(Repl *repl, CspCall *call, const char *argument);
static CommandEnd do_goroutines(Repl *repl, CspCall *call,
                                const char *argument);
static CommandEnd do_quit(Repl *repl, CspCall *call, const char *argument);

static const struct Command {
  const char *name, *argument;  // "" means none; in brackets it may be left out
  const char *help;
  CommandFn fn;
} commands[] = {
    {":help", "[NAME]", "this list, or a function's text; also ?NAME", do_help},
    {":type", "EXPRESSION", "the type of its value", do_type},
    {":time", "INPUT", "its value, and how long it took", do_time},
    {":dis", "INPUT", "its bytecode, or that of the function of this name",
     do_dis},
    {":load", "FILE", "runs a script; its names are known then", do_load},
    {":save", "FILE", "writes the inputs so far as a script", do_save},
    {":goroutines", "", "what all goroutines do", do_goroutines},
    {":quit", "", "ends (as Ctrl-D does)", do_quit},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static CommandEnd fail(Repl *repl) {
  repl->failed = true;
  return COMMAND_DONE;
}

static void say_out(CspCall *call, Text *text) {
  if (!text->failed) csp_write_out(call, text->data, text->len);
  text_free(text);
}

// --- The record -------------------------------------------------------------
// Whether the list of names holds this one.
static bool has_name(const char *names, const char *name, size_t len) {
  for (const char *at = names; *at != '\0'; at += strcspn(at, " ") + 1) {
    if (strncmp(at, name, len) == 0 && at[len] == ' ') return true;
  }
  return false;
}

bool entry_declares(const Entry *entry, const char *name) {
  return has_name(entry->names, name, strlen(name));
}

static bool share_a_name(const char *a, const char *b) {
  for (const char *at = a; *at != '\0'; at += strcspn(at, " ") + 1) {
    if (has_name(b, at, strcspn(at, " "))) return true;
  }
  return false;
}

// The length of what comes before the input's value.
static size_t before_value(const SessionInput *input, const char *text) {
  size_t len = input->start;
  while (len > 0 && memchr(" \t\r\n;", text[len - 1], 5) != NULL) len--;
  return len;
}

// The input. In a script, an error that its last call gives is dropped, as the
// prompt has shown it. A value after declarations is left out.
static char *entry_text(const Repl *repl, size_t *len) {
  static const char drop[] = "_ = ";
  const char *text = repl->input_text;
  size_t start =
      repl->drops && !repl->input.bare ? repl->input.start : SIZE_MAX;
  size_t added = start != SIZE_MAX ? sizeof drop - 1 : 0;
  size_t own = repl->input.shows && !repl->input.bare
                   ? before_value(&repl->input, text)
                   : repl->input.len;
  if (own < repl->input.len) added = 0;
  *len = own + added;
  char *copy = malloc(*len + 1);
  if (copy == NULL) return NULL;
  size_t before = added > 0 ? start : 0;
  memcpy(copy, text, before);
  memcpy(copy + before, drop, added);
  memcpy(copy + before + added, text + before, own - before);
  copy[*len] = '\0';
  return copy;
}

void entries_add(Repl *repl) {
  Entry *more = realloc(repl->entries, (repl->entry_count + 1) * sizeof *more);
  if (more == NULL) return;
  repl->entries = more;
  Entry *entry = &more[repl->entry_count];
  *entry = (Entry){
      .names = strdup(repl->input.names != NULL ? repl->input.names : ""),
      .bare = repl->input.bare};
  entry->text = entry_text(repl, &entry->len);
  if (entry->text == NULL || entry->names == NULL) {
    free(entry->text);
    free(entry->names);
    return;
  }
  for (size_t n = 0; n < repl->entry_count; n++) {
    if (share_a_name(more[n].names, entry->names)) more[n].replaced = true;
  }
  repl->entry_count++;
}

void entries_free(Repl *repl) {
  for (size_t n = 0; n < repl->entry_count; n++) {
    free(repl->entries[n].text);
    free(repl->entries[n].names);
  }
  free(repl->entries);
}

static void write_entry(FILE *out, const Entry *entry) {
  bool comment = entry->bare || entry->replaced;
  if (entry->replaced) fputs("// declared again below:\n", out);
  const char *at = entry->text, *end = at + entry->len;
  while (at < end) {
    const char *line_end = memchr(at, '\n', (size_t)(end - at));
    if (line_end == NULL) line_end = end;
    fputs(comment ? "// " : "", out);
    fwrite(at, 1, (size_t)(line_end - at), out);
    fputc('\n', out);
    at = line_end + (line_end < end);
  }
}

static CommandEnd do_save(Repl *repl, CspCall *call, const char *argument) {
  FILE *out = fopen(argument, "w");
  bool fine = out != NULL;
  for (size_t n = 0; fine && n < repl->entry_count; n++)
    write_entry(out, &repl->entries[n]);
  if (fine) fine = !ferror(out);
  if (out != NULL && fclose(out) != 0) fine = false;
  if (!fine) {
    repl_say(repl, "cannot write %s: %s\n", argument, strerror(errno));
    return fail(repl);
  }
  Text text = {0};
  text_addf(&text, "%zu input%s written to %s\n", repl->entry_count,
            repl->entry_count == 1 ? "" : "s", argument);
  say_out(call, &text);
  return COMMAND_DONE;
}

// --- Evaluations ------------------------------------------------------------
static CommandEnd start(Repl *repl, CspCall *call, const char *text,
                        ShowMode mode) {
  bool runs = repl_start(repl, call, strdup(text), strlen(text), NULL, mode);
  return runs ? COMMAND_RUNS : COMMAND_DONE;
}

static CommandEnd do_type(Repl *repl, CspCall *call, const char *argument) {
  return start(repl, call, argument, SHOW_TYPES);
}

static CommandEnd do_time(Repl *repl, CspCall *call, const char *argument) {
  return start(repl, call, argument, SHOW_TIME);
}

static CommandEnd do_load(Repl *repl, CspCall *call, const char *argument) {
  (void)call;
  repl->path = strdup(argument);
  return repl->path != NULL ? COMMAND_LOADS : fail(repl);
}

static CommandEnd do_dis(Repl *repl, CspCall *call, const char *argument) {
  SessionInput input = {
      .path = ":dis", .text = argument, .len = strlen(argument), .dry = true};
  const Proto *proto = help_function(repl, argument);
  if (proto == NULL) {
    ObjClosure *main = session_compile(&repl->session, call->local, &input);
    if (input.messages != NULL) repl_say(repl, "%s", input.messages);
    session_input_free(&input);
    if (main == NULL) return fail(repl);
    proto = main->proto;
  }
  Text text = {0};
  dis_proto(&text, repl->vm, proto);
  say_out(call, &text);
  return COMMAND_DONE;
}

// --- The others -------------------------------------------------------------
static CommandEnd do_goroutines(Repl *repl, CspCall *call,
                                const char *argument) {
  (void)repl, (void)call, (void)argument;
  return COMMAND_DUMPS;
}

static CommandEnd do_quit(Repl *repl, CspCall *call, const char *argument) {
  (void)repl, (void)call, (void)argument;
  return COMMAND_QUITS;
}

// What the session has under a name, else what the library says of it.
static CommandEnd tell_of(Repl *repl, CspCall *call, const char *name) {
  Text text = {0};
  if (help_find(&text, repl, call, name)) {
    say_out(call, &text);
    return COMMAND_DONE;
  }
  if (!text.failed) repl_say(repl, "%.*s", (int)text.len, text.data);
  text_free(&text);
  return fail(repl);
}

static CommandEnd do_help(Repl *repl, CspCall *call, const char *argument) {
  if (*argument != '\0') return tell_of(repl, call, argument);
  Text text = {0};
  text_addf(&text,
            "An input is run when it is whole; the value of an expression is "
            "shown, and\n`_` is the last one. What was declared can be "
            "declared again.\n\n");
  for (int n = 0; n < COMMANDS; n++)
    text_addf(&text, "%-12s %-11s %s\n", commands[n].name, commands[n].argument,
              commands[n].help);
  text_addf(&text,
            "\nA command's first letters will do. Tab completes names, Ctrl-C "
            "interrupts what\nruns or drops the line, Ctrl-D ends.\n");
  say_out(call, &text);
  return COMMAND_DONE;
}

// --- Finding them -----------------------------------------------------------
bool command_is(const char *text) { return text[0] == ':' || text[0] == '?'; }

void command_each(void (*fn)(void *arg, const char *name), void *arg) {
  for (int n = 0; n < COMMANDS; n++) fn(arg, commands[n].name);
}

// By its first letters; the first of those that fit.
static const struct Command *find_command(const char *word, size_t len) {
  for (int n = 0; n < COMMANDS; n++) {
    if (len > 1 && strncmp(commands[n].name, word, len) == 0)
      return &commands[n];
  }
  return NULL;
}

CommandEnd command_run(Repl *repl, CspCall *call, const char *line) {
  bool asks = line[0] == '?';  // ?name is :help name
  size_t len = asks ? 1 : strcspn(line, " \t\r\n");
  const struct Command *command = asks ? &commands[0] : find_command(line, len);
  const char *at = line + len + strspn(line + len, " \t\r\n");
  size_t left = strlen(at);
  while (left > 0 && strchr(" \t\r\n", at[left - 1]) != NULL) left--;
  if (command == NULL) {
    repl_say(repl, "there is no command `%.*s`: `:help` lists them\n", (int)len,
             line);
    return fail(repl);
  }
  bool wants = command->argument[0] != '\0';
  bool may = command->argument[0] == '[';
  if (!may && wants != (left > 0)) {
    repl_say(repl,
             wants ? "%s needs an argument: %s %s\n" : "%s takes no argument\n",
             command->name, command->name, command->argument);
    return fail(repl);
  }
  char *argument = strndup(at, left);
  if (argument == NULL) return fail(repl);
  CommandEnd end = command->fn(repl, call, argument);
  free(argument);
  return end;
}
