// SPDX-License-Identifier: MIT
// cspvm's public C interface: runtimes, values, native functions, modules.
//
// A runtime (Csp) is independent of every other in the process; there is no
// global state. Unless a comment says otherwise a function may be called by
// the thread that made the runtime before and after csp_run, and by native
// functions (with their CspCall) while it runs. Nothing here may be called by
// other threads, except csp_interrupt.
//
// Collections happen only at safepoints, never inside a native function or an
// allocation: a native may keep CspValues in C variables until it returns.
#ifndef CSP_H
#define CSP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CSP_VERSION "0.1.0"

typedef struct Csp Csp;
typedef struct CspCall CspCall;

// Any value of the language. Compare with csp_same or csp_equal only.
typedef struct CspValue {
  uint64_t word;
} CspValue;

typedef enum CspType {
  CSP_NIL,
  CSP_BOOL,
  CSP_INT,
  CSP_FLOAT,
  CSP_STRING,
  CSP_BYTES,
  CSP_LIST,
  CSP_MAP,
  CSP_RANGE,
  CSP_FUNC,
  CSP_CHAN,
  CSP_TASK,
  CSP_STRUCT,    // a struct type
  CSP_INSTANCE,  // an instance of one
  CSP_ERROR,
  CSP_MODULE,
  CSP_HOST,
} CspType;

// --- Runtimes ---------------------------------------------------------------
typedef struct CspConfig {
  int procs;            // Ps; 0: CSPPROCS, else the CPUs usable
  int max_threads;      // that run or block in calls; 0: 10,000
  uint64_t seed;        // of random choices; 0: from the system
  uint64_t max_stack;   // bytes a goroutine's stack may take; 0: 256 MB
  uint64_t max_frames;  // calls deep; 0: 1,000,000
  int argc;             // os.args
  char **argv;
  const char *debug;  // options as in CSPDEBUG; NULL: none
  // Where print and println, and reports of uncaught panics go; NULL: the
  // process's standard output and standard error.
  void (*write_out)(void *arg, const char *data, size_t len);
  void (*write_err)(void *arg, const char *data, size_t len);
  void *write_arg;
} CspConfig;

// Fills in the defaults.
void csp_config_init(CspConfig *config);
// NULL: out of memory or threads.
Csp *csp_new(const CspConfig *config);
// Ends it and frees everything; but nothing when threads are still inside a
// blocking call that did not end within 50 ms of the run's end.
void csp_free(Csp *csp);
// Gives it the compiler (lang/); then the library may be installed.
void csp_install_language(Csp *csp);

typedef enum CspOutcome {
  CSP_RAN = 0,
  CSP_FAILED = 1,  // uncaught panic or error, or deadlock; reported
  CSP_NOT_COMPILED = 2,
} CspOutcome;

// Compiles and runs a script to its end. *status: what a program should exit
// with (0, 1, 2, or what os.exit chose). Messages have been written. At most
// once for a runtime. Blocks.
CspOutcome csp_run(Csp *csp, const char *path, const char *text, size_t len,
                   int *status);
// Compiles only. *messages: malloced text of errors and warnings, or NULL.
bool csp_check(Csp *csp, const char *path, const char *text, size_t len,
               char **messages);
// Bytecode as readable, malloced text; NULL and *messages when it does not
// compile.
char *csp_disassemble(Csp *csp, const char *path, const char *text, size_t len,
                      char **messages);
// Asks a running script to end soon (csp_run returns CSP_FAILED, status 130).
// Any thread, and signal handlers.
void csp_interrupt(Csp *csp);

// --- Native functions -------------------------------------------------------
typedef enum CspStatus {
  CSP_OK,     // results were added with csp_return
  CSP_PANIC,  // csp_panic and friends were called
  CSP_LATER,  // csp_block, csp_tail: the rest is the runtime's
} CspStatus;

typedef CspStatus (*CspFn)(CspCall *call);

// One function. params: comma-separated names, as in "s, sep = nil, rest...":
// a default makes a parameter optional (it is nil, whatever stands there),
// "..." takes any number more. A call with too few, too many or unknown named
// arguments panics before fn is called.
typedef struct CspFunction {
  const char *name;
  const char *params;
  CspFn fn;
} CspFunction;

// A module for `import "path"`. functions ends with a NULL name. init (may be
// NULL) adds constants with csp_module_set; it has no call: csp_boot gives
// one. source: a part written in the language, compiled into the module when
// it is first imported, or NULL.
typedef struct CspModule {
  const char *path;
  const CspFunction *functions;
  void (*init)(CspCall *call, CspValue module);
  const char *source;
  size_t source_len;
} CspModule;

// Before csp_run. The struct must live as long as the runtime.
bool csp_register(Csp *csp, const CspModule *module);
// Methods of built-in types; the receiver is the first parameter.
bool csp_register_methods(Csp *csp, CspType type, const CspFunction *functions);
// Predeclared functions; names that begin with _ are seen by embedded sources
// only.
bool csp_register_builtins(Csp *csp, const CspFunction *functions);
// A part of the library in the language: functions, which become builtins, and
// methods of built-in types. Compiled at once; its other statements never run.
// After csp_install_language.
bool csp_register_prelude(Csp *csp, const char *source, size_t len);
void csp_module_set(CspCall *call, CspValue module, const char *name,
                    CspValue value);

// --- Inside a native function -----------------------------------------------
Csp *csp_of(CspCall *call);
int csp_argc(const CspCall *call);
// The i-th argument; nil past the end.
CspValue csp_arg(const CspCall *call, int i);
// Adds a result (at most 8).
void csp_return(CspCall *call, CspValue value);
// All of these return CSP_OK, for `return csp_ok_...(call, ...)`.
CspStatus csp_ok(CspCall *call, CspValue value);
CspStatus csp_ok_nothing(CspCall *call);
CspStatus csp_ok_int(CspCall *call, int64_t i);
CspStatus csp_ok_float(CspCall *call, double d);
CspStatus csp_ok_bool(CspCall *call, bool b);
CspStatus csp_ok_string(CspCall *call, const char *data, size_t len);
// Results of functions that can fail in the ordinary way: (value, nil), and
// (nil, error) with a printf message; csp_ok_errno says "what: strerror".
CspStatus csp_ok_value(CspCall *call, CspValue value);
CspStatus csp_ok_error(CspCall *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
CspStatus csp_ok_errno(CspCall *call, int error, const char *what);
// Panics with an error of that message; returns CSP_PANIC.
CspStatus csp_panic(CspCall *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
CspStatus csp_panic_memory(CspCall *call);

// Argument checks: false after having panicked with a message that names the
// function, the parameter, what it must be and what it is.
bool csp_need_int(CspCall *call, int i, int64_t *out);
bool csp_need_number(CspCall *call, int i, double *out);  // int or float
bool csp_need_string(CspCall *call, int i, const char **data, size_t *len);
bool csp_need_type(CspCall *call, int i, CspType type, CspValue *out);
CspStatus csp_bad_arg(CspCall *call, int i, const char *wanted);

// Charges the running goroutine's time slice for work that took about `units`
// loop turns (row 21 of the scheduler's table): call it after long work.
void csp_charge(CspCall *call, uint64_t units);

// A blocking operation (row 22): after fn has returned CSP_LATER, work(data)
// runs without a P (it must not touch values, or the runtime at all), then
// done(call, data) runs as the rest of the native function: it adds results,
// frees data, and returns like a native (CSP_OK or CSP_PANIC). The arguments
// are still there. made: false: there was no thread that the others could go
// on with (CspConfig's limit, or the system's): work has not run; done gives
// an error (csp_no_thread says which) and frees data.
CspStatus csp_block(CspCall *call, void (*work)(void *data),
                    CspStatus (*done)(CspCall *call, void *data, bool made),
                    void *data);
const char *csp_no_thread(void);
// The native's result is what calling function with these arguments gives.
CspStatus csp_tail(CspCall *call, CspValue function, int argc,
                   const CspValue *argv);
// A predeclared, hidden or prelude function; undef if there is none.
CspValue csp_builtin(CspCall *call, const char *name);
// csp_tail with such a function.
CspStatus csp_tail_named(CspCall *call, const char *name, int argc,
                         const CspValue *argv);
// Parks the goroutine for so many nanoseconds; the native's result is nothing.
CspStatus csp_sleep(CspCall *call, int64_t ns);
// Lets others run first (the goroutine goes to the global queue's tail).
CspStatus csp_yield(CspCall *call);

// --- Values -----------------------------------------------------------------
CspType csp_type(CspValue v);
const char *csp_type_name(CspValue v);  // "int", ..., a struct's own name
bool csp_truthy(CspValue v);
bool csp_same(CspValue a, CspValue b);   // the same word
bool csp_equal(CspValue a, CspValue b);  // ==
// -1, 0, 1; 2 unordered (NaN), 3 types without an order.
int csp_compare(CspValue a, CspValue b);

CspValue csp_nil(void);
CspValue csp_bool(bool b);
// These allocate. Out of memory gives undef: csp_ok and csp_return notice it
// and panic.
CspValue csp_int(CspCall *call, int64_t i);
CspValue csp_float(CspCall *call, double d);
CspValue csp_string(CspCall *call, const char *data, size_t len);
// A string of len bytes that the caller writes, all of them, to *data before it
// does anything else with it.
CspValue csp_string_room(CspCall *call, size_t len, char **data);
CspValue csp_string_take(CspCall *call, char *malloced, size_t len);  // frees
CspValue csp_error(CspCall *call, CspValue message, CspValue cause);
CspValue csp_list(CspCall *call, size_t capacity);
CspValue csp_map(CspCall *call, size_t capacity);
CspValue csp_bytes(CspCall *call, const void *data, size_t len);
CspValue csp_range(CspCall *call, int64_t from, int64_t to);  // to excluded
bool csp_is_undef(CspValue v);

// The caller has checked the type.
bool csp_to_bool(CspValue v);
int64_t csp_to_int(CspValue v);
double csp_to_float(CspValue v);  // int or float
// Valid until the native returns. NUL-terminated (which may also be inside).
const char *csp_to_string(CspValue v, size_t *len);
CspValue csp_error_message(CspValue error);
CspValue csp_error_cause(CspValue error);

size_t csp_list_len(CspValue list);
CspValue csp_list_get(CspValue list, size_t i);  // nil out of range
void csp_list_set(CspCall *call, CspValue list, size_t i, CspValue v);
bool csp_list_push(CspCall *call, CspValue list, CspValue v);
bool csp_list_insert(CspCall *call, CspValue list, size_t at, CspValue v);
void csp_list_remove(CspCall *call, CspValue list, size_t at, size_t count);

size_t csp_map_len(CspValue map);
bool csp_map_get(CspCall *call, CspValue map, CspValue key, CspValue *out);
bool csp_map_get_name(CspCall *call, CspValue map, const char *key,
                      CspValue *out);
// false: panicked (bad key, concurrent writers, memory).
bool csp_map_set(CspCall *call, CspValue map, CspValue key, CspValue v);
bool csp_map_set_name(CspCall *call, CspValue map, const char *key, CspValue v);
bool csp_map_delete(CspCall *call, CspValue map, CspValue key, bool *found);
// Iteration over a snapshot; start with a zeroed one.
typedef struct CspIter {
  uint64_t state[3];
} CspIter;
bool csp_map_next(CspCall *call, CspValue map, CspIter *iter, CspValue *key,
                  CspValue *value);

size_t csp_bytes_len(CspValue bytes);
// Copies out / in, clamped to what is there; how many bytes.
size_t csp_bytes_read(CspValue bytes, size_t at, void *to, size_t count);
size_t csp_bytes_write(CspValue bytes, size_t at, const void *from,
                       size_t count);
bool csp_bytes_append(CspCall *call, CspValue bytes, const void *from,
                      size_t count);

// A value as println shows it, malloced (quoted: strings as in source). NULL:
// out of memory. string() methods are not called; csp_needs_call tells whether
// that would be needed (then csp_tail to an embedded function that does).
char *csp_format(CspCall *call, CspValue v, bool quoted, size_t *len);
bool csp_needs_call(CspValue v);

// --- Values with C data behind them -----------------------------------------
typedef struct CspClass {
  const char *name;              // type(v)
  void (*finalize)(void *data);  // when collected; any thread, no runtime calls
  size_t size;                   // bytes of data
} CspClass;
// Zeroed data. *data may be NULL.
CspValue csp_host_new(CspCall *call, const CspClass *klass, void **data);
// The data, or NULL if v is no such value.
void *csp_host_data(CspValue v, const CspClass *klass);
// Methods of a host class (`file.close()`); as csp_register_methods.
bool csp_register_class(Csp *csp, const CspClass *klass,
                        const CspFunction *functions);
// The runtime's own zeroed data of a registered class, made when first asked
// for, finalized when the runtime is freed: what a module would otherwise keep
// in global variables. Goroutines run on several threads at once: guard it
// with a lock. NULL: out of memory, or not registered.
void *csp_state(Csp *csp, const CspClass *klass);

// --- Output -----------------------------------------------------------------
// Buffered standard output (flushed when the runtime goes idle, at its end,
// and at each newline on a terminal). Owner: natives.
void csp_write_out(CspCall *call, const char *data, size_t len);
void csp_flush_out(Csp *csp);
// Standard error (or write_err): at once.
void csp_write_err(CspCall *call, const char *data, size_t len);
// The command line (CspConfig.argc and argv): the script's arguments.
int csp_args(CspCall *call, char ***argv);
// The runtime's clocks, in ns: since 1970, and one that never goes back.
int64_t csp_wall_clock(CspCall *call);
int64_t csp_monotonic(CspCall *call);
// Random 64 bits from the runtime's seeded generator.
uint64_t csp_random(CspCall *call);
// Ends the program with this status, now (deferred calls do not run).
CspStatus csp_exit(CspCall *call, int status);

#ifdef __cplusplus
}
#endif
#endif
