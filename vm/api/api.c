// SPDX-License-Identifier: MIT
// csp.h for native functions: arguments, results, panics, and what a native
// leaves to the interpreter (blocking work, tail calls, sleeping).
//
// Called by natives, on the M that runs their goroutine, with its P; and while
// booting, with a call that has no goroutine. The values' half of the API is
// in api_values.c, runtimes in vm.c, host classes in api_host.c.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sched/plain.h"
#include "vm/heap/work.h"
#include "vm/interp/call_native.h"
#include "vm/interp/method_tables.h"
#include "vm/interp/native_call.h"
#include "vm/interp/panic.h"
#include "vm/object/box.h"
#include "vm/object/list.h"
#include "vm/object/string_tail.h"
#include "vm/value/float_text.h"

// --- Arguments and results --------------------------------------------------
Csp *csp_of(CspCall *call) { return vm_csp(call->vm); }

int csp_argc(const CspCall *call) { return call->argc; }
const char *csp_name(const CspCall *call) { return native_name(call); }

CspValue csp_arg(const CspCall *call, int i) {
  return csp_wrap(i >= 0 && i < call->argc ? call->args[i] : VALUE_NIL);
}

static CspStatus finish_empty(const CspCall *call) {
  return call->panicked ? CSP_PANIC : CSP_OK;
}

void csp_return(CspCall *call, CspValue value) {
  RT_ASSERT(call->nresults >= 0 && call->nresults <= NATIVE_RESULTS_MAX);
  RT_ASSERT(value.word != VALUE_TOMB);
  if (call->panicked) return;
  if (value.word == VALUE_UNDEF) {
    csp_panic_memory(call);
  } else if (call->nresults == NATIVE_RESULTS_MAX) {
    csp_panic(call, "%s: more than %d results", native_name(call),
              NATIVE_RESULTS_MAX);
  } else {
    call->results[call->nresults++] = value.word;
  }
}

CspStatus csp_ok(CspCall *call, CspValue value) {
  csp_return(call, value);
  return finish_empty(call);
}

CspStatus csp_ok_nothing(CspCall *call) { return finish_empty(call); }

CspStatus csp_ok_int(CspCall *call, int64_t i) {
  return csp_ok(call, csp_int(call, i));
}

CspStatus csp_ok_float(CspCall *call, double d) {
  return csp_ok(call, csp_float(call, d));
}

CspStatus csp_ok_bool(CspCall *call, bool b) {
  return csp_ok(call, csp_bool(b));
}

CspStatus csp_ok_string(CspCall *call, const char *data, size_t len) {
  return csp_ok(call, csp_string(call, data, len));
}

CspStatus csp_ok_value(CspCall *call, CspValue value) {
  csp_return(call, value);
  return csp_ok(call, csp_nil());
}

// code NULL: none.
static CspStatus ok_error_args(CspCall *call, const char *code,
                               const char *format, va_list args) {
  size_t len = 0;
  char *text = mem_format_args(call->vm->memory, &len, format, args);
  if (text == NULL) return csp_panic_memory(call);
  CspValue message = csp_alloc_take(call, text, len);
  CspValue word =
      code != NULL ? csp_string(call, code, strlen(code)) : csp_nil();
  csp_return(call, csp_nil());
  return csp_ok(call, csp_error_coded(call, message, csp_nil(), word));
}

CspStatus csp_ok_error(CspCall *call, const char *format, ...) {
  va_list args;
  va_start(args, format);
  CspStatus status = ok_error_args(call, NULL, format, args);
  va_end(args);
  return status;
}

CspStatus csp_ok_coded(CspCall *call, const char *code, const char *format,
                       ...) {
  va_list args;
  va_start(args, format);
  CspStatus status = ok_error_args(call, code, format, args);
  va_end(args);
  return status;
}

const char *csp_errno_code(int error) {
  switch (error) {
#define CODE(word)
#define ERRNO(number, word) \
  case number:              \
    return word;
#include "vm/api/error_codes.def"
#undef CODE
#undef ERRNO
    default:
      return "other";
  }
}

CspStatus csp_ok_errno(CspCall *call, int error, const char *what) {
  return csp_ok_coded(call, csp_errno_code(error), "%s: %s", what,
                      plain_error(error));
}

// --- Panics -----------------------------------------------------------------
CspStatus csp_panic_memory(CspCall *call) { return call_out_of_memory(call); }

CspStatus csp_panic(CspCall *call, const char *format, ...) {
  if (call->panicked || call->local == NULL) return CSP_PANIC;  // as csp_call
  va_list args;
  va_start(args, format);
  char *text = mem_format_args(call->vm->memory, NULL, format, args);
  va_end(args);
  if (text == NULL) return csp_panic_memory(call);
  if (call->g != NULL) vm_panic(call->local, call->g, "%s", text);
  call->panicked = !call->hosts;
  mem_free(text);
  return CSP_PANIC;
}

// What an argument is, for messages: its type, and a number's value.
static void describe_value(CspValue v, char *out, size_t size) {
  if (csp_type(v) == CSP_INT) {
    snprintf(out, size, "int %lld", (long long)csp_to_int(v));
  } else if (csp_type(v) == CSP_FLOAT) {
    char number[32];
    int len = format_float(csp_to_float(v), number);
    snprintf(out, size, "float %.*s", len, number);
  } else {
    snprintf(out, size, "%s", csp_type_name(v));
  }
}

CspStatus csp_bad_arg(CspCall *call, int i, const char *wanted) {
  const NativeDef *def = call->def;
  const char *name = native_name(call);
  char got[80];
  CspValue v = csp_arg(call, i);
  if (value_is_type(v.word, OBJ_STRING) && csp_type(v) != CSP_STRING)
    return csp_panic_memory(call);
  describe_value(v, got, sizeof got);
  if (def != NULL && i < def->nparams) {
    return csp_panic(call, "%s: %s must be %s, not %s", name,
                     def->param_names[i]->own, wanted, got);
  }
  return csp_panic(call, "%s: argument %d must be %s, not %s", name, i + 1,
                   wanted, got);
}

size_t csp_room(CspCall *call) { return heap_room(call->vm->heap); }

// --- Argument checks --------------------------------------------------------
bool csp_need_int(CspCall *call, int i, int64_t *out) {
  Value v = csp_arg(call, i).word;
  if (!value_is_int(v)) {
    csp_bad_arg(call, i, "an int");
    return false;
  }
  *out = value_int(v);
  return true;
}

bool csp_need_number(CspCall *call, int i, double *out) {
  Value v = csp_arg(call, i).word;
  if (!value_is_number(v)) {
    csp_bad_arg(call, i, "a number");
    return false;
  }
  *out = csp_to_float(csp_wrap(v));
  return true;
}

// The rare cases, not in line: the usual one needs no frame.
__attribute__((noinline)) static bool need_settled(CspCall *call, int i) {
  Value v = csp_arg(call, i).word;
  if (value_is_type(v, OBJ_STRING) && string_settle((ObjString *)value_obj(v)))
    return true;
  csp_bad_arg(call, i, "a string");
  return false;
}

bool csp_need_string(CspCall *call, int i, const char **data, size_t *len) {
  Value v = csp_arg(call, i).word;
  bool fits =
      value_is_type(v, OBJ_STRING) && !(value_obj(v)->flags & STRING_TAIL);
  if (!fits && !need_settled(call, i)) return false;
  const ObjString *string = (ObjString *)value_obj(v);
  *data = string_data(string);
  if (len != NULL) *len = string->len;
  return true;
}

bool csp_need_type(CspCall *call, int i, CspType type, CspValue *out) {
  static const char *const wanted[] = {
      "nil",       "a bool",       "an int",        "a float",  "a string",
      "bytes",     "a list",       "a map",         "a range",  "a function",
      "a channel", "a task",       "a struct type", "a struct", "an error",
      "a module",  "a host value", "a group",       "a timer",  "a tuple",
      "a mutex",   "a semaphore"};
  RT_ASSERT((size_t)type < sizeof wanted / sizeof *wanted);
  CspValue v = csp_arg(call, i);
  if (csp_type(v) != type) {
    csp_bad_arg(call, i, wanted[type]);
    return false;
  }
  *out = v;
  return true;
}

// --- What the interpreter does after the native -----------------------------
CspStatus csp_block(CspCall *call, void (*work)(void *data),
                    CspStatus (*done)(CspCall *call, void *data, bool made),
                    void *data) {
  RT_ASSERT(work != NULL && done != NULL);
  call->later.kind = LATER_BLOCK;
  call->later.quick = true;
  call->later.after = 0;
  call->later.fd_wait = (FdWait){.copy = -1};
  call->later.work = work;
  call->later.done = done;
  call->later.data = data;
  return CSP_LATER;
}

CspStatus csp_block_slow(CspCall *call, void (*work)(void *data),
                         CspStatus (*done)(CspCall *call, void *data,
                                           bool made),
                         void *data) {
  csp_block(call, work, done, data);
  call->later.quick = false;
  return CSP_LATER;
}

CspStatus csp_block_after(CspCall *call, int64_t ns, void (*work)(void *data),
                          CspStatus (*done)(CspCall *call, void *data,
                                            bool made),
                          void *data) {
  csp_block(call, work, done, data);
  call->later.after = ns;
  return CSP_LATER;
}

CspStatus csp_block_fd(CspCall *call, CspWait *wait, void (*work)(void *data),
                       CspStatus (*done)(CspCall *call, void *data, bool made),
                       void *data) {
  csp_block(call, work, done, data);
  call->later.fd_wait = (FdWait){.wait = wait, .copy = -1};
  return CSP_LATER;
}

void csp_write_out(CspCall *call, const char *data, size_t len) {
  P *p = call->g != NULL && !native_is_over(call) ? call->local->p : NULL;
  call->vm->hooks->write(call->vm, p, data, len);
}

const char *csp_no_thread(void) {
  return "no thread for it: the limit of threads is reached, or the system "
         "refuses one, or a descriptor that a stepped runtime must watch";
}

// Arguments that fit in the place of the native's own take no memory. So what
// only leaves a lock cannot fail for want of it. They wait in the results.
static CspStatus tail_in_place(CspCall *call, CspValue function, int argc,
                               const CspValue *argv) {
  for (int i = 0; i < argc; i++) call->results[i] = argv[i].word;
  call->nresults = argc;
  call->later.kind = LATER_TAIL;
  call->later.value = function.word;
  call->later.value2 = VALUE_NIL;
  return CSP_LATER;
}

CspStatus csp_tail(CspCall *call, CspValue function, int argc,
                   const CspValue *argv) {
  RT_ASSERT(argc >= 0);
  if (argc <= call->argc && argc <= NATIVE_RESULTS_MAX)
    return tail_in_place(call, function, argc, argv);
  ObjList *args = list_new(call->local, (size_t)argc);
  if (args == NULL) return csp_panic_memory(call);
  for (int i = 0; i < argc; i++) {
    if (!list_push(call->local, args, argv[i].word) ||
        !work_on(call->local, 8)) {
      return csp_panic_memory(call);
    }
  }
  call->later.kind = LATER_TAIL;
  call->later.value = function.word;
  call->later.value2 = value_from_obj(args);
  return CSP_LATER;
}

CspValue csp_builtin(CspCall *call, const char *name) {
  return csp_wrap(vm_builtin(call->local, name));
}

CspStatus csp_tail_named(CspCall *call, const char *name, int argc,
                         const CspValue *argv) {
  CspValue function = csp_builtin(call, name);
  if (csp_is_undef(function)) {
    return csp_panic(call, "%s is not there (the library's prelude is missing)",
                     name);
  }
  return csp_tail(call, function, argc, argv);
}

CspStatus csp_sleep(CspCall *call, int64_t ns) {
  call->later.kind = LATER_SLEEP;
  call->later.number = ns;
  return CSP_LATER;
}

CspStatus csp_yield(CspCall *call) {
  call->later.kind = LATER_YIELD;
  return CSP_LATER;
}
