// SPDX-License-Identifier: MIT
// The REPL: what its files show each other.
//
// All of it is one run of one runtime. The main goroutine runs a loop in the
// language (repl.c) over natives. One native reads an input (a blocking call,
// without a P, so that others go on), compiles it and starts it as a goroutine
// with a task. The loop waits for the task, or for an event: Ctrl-C, or that
// nothing can run any more. Another native shows how it ended.
//
// The thread that is in the reading call owns the editor. Natives own the rest,
// with the P of the main goroutine. Signals come to threads of their own
// (repl_signals.c, quit.c), which tell the editor, or post to the runtime.
#ifndef CSP_CLI_REPL_INTERNAL_H
#define CSP_CLI_REPL_INTERNAL_H

#include <pthread.h>

#include "cli/quit.h"
#include "cli/repl.h"
#include "cli/repl_edit.h"
#include "cli/signal_reader.h"
#include "lang/compile/session.h"
#include "vm/heap/local.h"
#include "vm/interp/native_call.h"
#include "vm/object/value_text.h"
#include "vm/runtime/runtime.h"

typedef struct Repl Repl;

// What is done with an input's values.
typedef enum ShowMode { SHOW_VALUES, SHOW_TYPES, SHOW_TIME } ShowMode;

// An input that ran well, for :save.
typedef struct Entry {
  char *text, *names;
  size_t len;     // of the text, in which zero bytes may be
  bool bare;      // a script could not hold it
  bool replaced;  // something that it declares was declared again
} Entry;

enum {
  PHASE_READS = 1,  // Ctrl-C is for the editor
  PHASE_ENDS = 2,   // a signal ends the REPL: no further input is begun
};

struct Repl {
  Csp *csp;
  Vm *vm;
  Session session;
  Editor *editor;    // NULL: standard input or output is no terminal
  const char *file;  // run first, or NULL
  char *file_text;   // malloced; NULL once it runs
  size_t file_len;

  // the reader's, then the main goroutine's
  char *text;     // the input, malloced; NULL at the end
  size_t len;     // of it: zero bytes may be in it
  bool too_long;  // on a pipe, which is not read on
  char *path;     // malloced, of `:load`
  int error;      // an errno, of :load
  char *dump;     // of :goroutines

  // the evaluation
  SessionInput input;
  char *input_text;  // malloced
  int number;        // of inputs so far
  char name[24];     // "repl[number]"
  ShowMode mode;
  Goroutine *running;  // pinned, as its task is
  ObjTask *task;
  uint32_t running_pin, task_pin, group_pin;
  ObjGroup *group;         // by which it is cancelled
  bool told;               // why it was ended
  uint32_t described_pin;  // of the error whose text it makes, or 0
  bool drops;              // its value ended with an error, which was shown
  int64_t began;
  bool failed;  // an input did, on a pipe

  ObjChan *events;  // pinned; holds one
  SchedPost stuck;
  SchedPost interrupt;
  uint32_t posted;  // atomic: `interrupt` is under way
  SchedPost ending;
  uint32_t phase;       // atomic: PHASE_...
  uint32_t end_status;  // atomic: that of the signal that ends the REPL
  uint64_t interrupts;  // atomic: how many came for an evaluation
  uint64_t seen;        // of these, when the input had been read

  Entry *entries;
  size_t entry_count;
};

// --- repl.c -----------------------------------------------------------------
void repl_say(Repl *repl, const char *format, ...)  // on standard error
    __attribute__((format(printf, 2, 3)));
// Compiles and starts the text (which it takes over, and a zero byte follows).
// true: it runs, as repl->running. By natives.
bool repl_start(Repl *repl, CspCall *call, char *text, size_t len,
                const char *path, ShowMode mode);
// Ctrl-C. Any thread.
void repl_interrupt(Repl *repl);
// A signal is to end the REPL, with that status (QuitAsk). Any thread.
QuitAnswer repl_ask_to_end(void *repl, int status);
bool repl_ends(const Repl *repl);  // whether one is

// --- repl_print.c -----------------------------------------------------------
// In source form; what is long or deep is shortened.
void print_value(Text *out, CspCall *call, Value v);
// The report of a panic or an error, with the line of the input under its first
// place there.
void print_report(Text *out, const SessionInput *input, const char *report);

// --- repl_commands.c --------------------------------------------------------
typedef enum CommandEnd {
  COMMAND_DONE,
  COMMAND_RUNS,   // an evaluation: repl->running
  COMMAND_LOADS,  // a script is read: repl->path
  COMMAND_DUMPS,  // repl->dump is wanted: csp_dump_goroutines, without a P
  COMMAND_QUITS,
} CommandEnd;
CommandEnd command_run(Repl *repl, CspCall *call, const char *line);
bool command_is(const char *text);
// Calls fn with each name, with the colon.
void command_each(void (*fn)(void *arg, const char *name), void *arg);
void entries_add(Repl *repl);  // repl->input went well
void entries_free(Repl *repl);
bool entry_declares(const Entry *entry, const char *name);

// --- repl_lookup.c: by a thread with a P ------------------------------------
// The value of `name`, or `a.b.c`: of the session, else predeclared. Only
// fields, keys and members follow a point.
bool lookup_path(const Repl *repl, const char *path, size_t len, Value *out);
bool lookup_builtin(const Repl *repl, const char *name, size_t len, Value *out);
// Whether the session has its first name.
bool lookup_is_own(const Repl *repl, const char *path, size_t len);

// --- repl_help.c ------------------------------------------------------------
// Adds what is known of this name (`f`, `p.move`, `os.exit`), of the session or
// else of the library. false: nothing, and it adds a message.
bool help_find(Text *out, Repl *repl, CspCall *call, const char *name);
// The function that the session has under this name. NULL: none.
const Proto *help_function(Repl *repl, const char *name);

// --- repl_complete.c: by the thread that edits, without a P -----------------
// What the word that ends at the end of the line may be. `data` is the Repl,
// and *from becomes where the word begins.
Names complete_word(void *data, const char *line, size_t len, size_t *from);

// --- repl_read.c: by the thread in the reading call -------------------------
// The next whole input, malloced, of *len bytes and a zero byte; NULL at the
// end, or after one that is too long (repl->too_long).
enum { INPUT_MAX_MB = 4 };
char *read_input(Repl *repl, size_t *len);

// --- repl_signals.c ---------------------------------------------------------
typedef struct SignalWatch {
  Repl *repl;
  SignalReader reader;  // of those of a terminal
  QuitWatch quit;
} SignalWatch;
// By the thread that no other was made by yet: they all have to be deaf.
void signals_block(void);
void signals_unblock(void);
void signals_begin(SignalWatch *watch, Repl *repl);
// The run has ended with that status. The signal that has ended it, or 0.
int signals_end(SignalWatch *watch, int status);

#endif
