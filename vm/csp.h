// SPDX-License-Identifier: MIT
// cspvm's public C interface: runtimes, values, native functions, modules.
//
// A runtime (Csp) is independent of every other in the process, and there is no
// global state. Unless a comment says otherwise, a function may be called by
// the thread that made the runtime, before and after csp_run, and by native
// functions (with their CspCall) while it runs. Other threads may call those
// that say so. docs/embedding.md is the guide, with a table of the threads that
// may call each.
//
// Collections happen only at safepoints, never inside a native function or an
// allocation. So a native may keep CspValues in C variables until it returns.
// csp_call is the exception, and says what stays.
//
// C99 and C++11 can include this. What a host gives the runtime to call
// (native functions, write_out, finalize, ...) is called by C code on any of
// its threads: no C++ exception and no longjmp may leave it.
#ifndef CSP_H
#define CSP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
// A host can link with what is declared here, and with nothing else.
#pragma GCC visibility push(default)

// This header's version. csp_version tells the library's, which may be another.
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
  CSP_GROUP,
  CSP_TIMER,
  CSP_TUPLE,
  CSP_MUTEX,  // of the module sync; so is the next one
  CSP_SEMAPHORE,
  CSP_NO_MEMORY,  // a string that csp_to_string cannot give
} CspType;

// --- Runtimes ---------------------------------------------------------------
// What scripts may use beyond their own memory. Functions that need more panic.
enum {
  CSP_FILES = 1,        // files and folders, standard input, imports of files
  CSP_PROCESSES = 2,    // other programs
  CSP_ENVIRONMENT = 4,  // variables; what this process is, where it runs
  CSP_PROCS = 8,        // changing the number of Ps
  CSP_NATIVE = 16,      // importing native modules (CspConfig.modules)
  CSP_NET = 32,         // the network: connecting, listening, names of hosts
  CSP_ALL = 63,
};

// What CspConfig.load is asked, and its answer: malloced, the runtime frees it.
typedef struct CspLoad {
  const char *path;  // as it stands after `import`
  const char *from;  // the importing script's path, or module's name
  char *name;        // one for each module, in messages; NULL for path
  char *text;        // its source of len bytes, or NULL if there is none
  size_t len;
  char *error;  // why there is none, for the message
} CspLoad;

// Every field but `size` is 0 by default. New versions add fields at the end.
typedef struct CspConfig {
  size_t size;         // of this struct, as the host was compiled
  int procs;           // number of Ps; 0 follows the CPUs usable
  bool stepped;        // no threads: all runs on the host's (csp_call)
  int max_threads;     // that run or block in calls; 0 means 10,000. 1: EINVAL.
                       // There are fewer Ps than that
  bool child_first;    // `go` runs the new goroutine first (Cilk's order)
  uint64_t seed;       // of random choices; 0 takes one from the system
  uint64_t max_stack;  // bytes a goroutine's stack may take; 0 means 256 MB
  uint64_t max_frames;  // calls deep; 0 means 1,000,000
  uint64_t max_memory;  // bytes that values take; 0 means no limit. Beyond that
                        // (in steps of 64 KB) a script panics: out of memory
  uint64_t max_goroutines;  // that have not ended (or `go` panics). 0: no limit
  uint32_t allowed;         // CSP_FILES | ..., or 0 for nothing
  // map gives the memory of values as zeroed blocks of 4 MB or more, at a
  // multiple of align. It returns NULL when there is none. Several of the
  // runtime's threads may call it at once. If map is NULL, the blocks come from
  // the system. All other memory comes from alloc.
  void *(*map)(void *arg, size_t bytes, size_t align);
  void (*unmap)(void *arg, void *block, size_t bytes);
  void *map_arg;
  // load finds a module that an `import` names. It is asked before files are
  // looked for, but not for built-in modules. false: it has no such module. The
  // thread that compiles calls it, before the script runs. It must not run or
  // compile anything in the runtime (csp_run, csp_check, csp_disassemble,
  // csp_load and csp_call fail).
  bool (*load)(void *arg, CspLoad *load);
  void *load_arg;
  // Folders, separated by colons, where files are looked for that `import`
  // names without "./" or "../" (CSP_FILES). The text is copied. NULL: none.
  const char *path;
  int argc;  // os.args
  char **argv;
  const char *debug;  // settings (docs/debugging.md), or NULL for none
  // Gets what is printed. NULL: the standard output that csp_new finds.
  void (*write_out)(void *arg, const char *data, size_t len);
  // Gets what goes to standard error, such as reports of uncaught panics. NULL:
  // the process's standard error, likewise. Any of the runtime's threads calls
  // it, even one that holds no goroutine.
  void (*write_err)(void *arg, const char *data, size_t len);
  void *write_arg;
  // The folder that scripts see as "/". They reach nothing outside of it, by
  // whatever path, link or rename (what is mounted inside is inside). It holds
  // for all of `os`, imports, `path` and csp_open_path. A relative path begins
  // at the root, or where os.chdir has gone. NULL: scripts use the paths of the
  // process. With CSP_PROCESSES csp_new refuses it, because programs would see
  // everything.
  const char *root;
  // alloc gives all other memory of the runtime, itself included, in blocks of
  // any size, at multiples of 16. If block is NULL, it makes a new one. If
  // new_size is 0, it frees block and returns NULL. Else it resizes block,
  // which may move. old_size is what the block was given. It returns NULL when
  // there is no memory, and then the old block stays. Several threads call it
  // at once: the runtime's, those that call csp_new and csp_free, and those
  // that call csp_wake, csp_waker's and csp_post's kin. It is called until
  // csp_free has returned 0, or the last stuck thread has come back. For the
  // wakers and doors that the host still has, it is called until the last
  // csp_wake and csp_door_free. It must call nothing of this file. NULL:
  // malloc, realloc and free. ("Memory" below says what stays outside.)
  void *(*alloc)(void *arg, void *block, size_t old_size, size_t new_size);
  void *alloc_arg;
  // The folder of native modules ("Native modules" below). root does not apply
  // to it. It is copied, and csp_new makes a relative path absolute. Its
  // modules run as the host's own code, so nobody else may be able to write
  // there. NULL: none.
  const char *modules;
} CspConfig;

// Fills in the defaults. Every CspConfig begins with this call. It notes the
// size of the struct that the host knows, so that a library which is newer or
// older than the host's header understands it. Any thread. (The macro calls
// csp_config_init_sized with `size` bytes.)
#define csp_config_init(config) \
  csp_config_init_sized((config), sizeof(CspConfig))
void csp_config_init_sized(CspConfig *config, size_t size);
// The library's version, such as "0.1.0". It is CSP_VERSION of the header that
// the library was built with. Any thread.
const char *csp_version(void);
// Makes a runtime. The config is copied; NULL means the defaults. When it fails
// it returns NULL, and errno tells why:
//   EINVAL         csp_config_init has not begun the config; or it has a root,
//                  and allows CSP_PROCESSES
//   E2BIG          the host is newer than the library, and has set a field that
//                  the library does not have
//   ENOSYS, EPERM  with a root: the kernel (before Linux 5.6) or a filter of
//                  system calls refuses openat2, which a root needs
//   others         out of memory (ENOMEM), threads or descriptors; or with a
//                  root: that folder could not be opened
Csp *csp_new(const CspConfig *config);
// Ends the runtime and frees its threads, descriptors and memory. First it
// writes what is buffered, and reports the panics that nobody has been told of.
// It returns the number of stuck threads. A thread is stuck if its blocking
// call (csp_block's work) has not ended within 50 ms of the run's end. 0:
// everything is freed. Else the last of these threads frees everything when it
// comes back, and then calls what is still to be called (done of pending calls,
// finalize, unmap). Nothing else of the host's is called after csp_free has
// returned. Blocks no longer than other threads need to leave the runtime
// (csp_enter). NULL gives 0.
int csp_free(Csp *csp);
// Gives the runtime the compiler (lang/). Call it before csp_install_library.
void csp_install_language(Csp *csp);
// Gives it the library (stdlib/). Call it before csp_run. false: out of memory.
bool csp_install_library(Csp *csp);

typedef enum CspOutcome {
  CSP_RAN = 0,
  CSP_FAILED = 1,  // uncaught panic, error or deadlock, which was reported
  CSP_NOT_COMPILED = 2,
} CspOutcome;

// Compiles and runs a script to its end, and writes all messages. *status: what
// a program should exit with (0, 1, 2, or what os.exit chose). May be called
// once for a runtime. A second call gives CSP_NOT_COMPILED. Blocks.
CspOutcome csp_run(Csp *csp, const char *path, const char *text, size_t len,
                   int *status);
// Does the same for one test of a script. When the top level has run, it calls
// the script's function of that name, which takes no parameters. The host
// registers two builtins. `_test_began` is called first, without arguments.
// `_test_ended` is called with what the function returned. Unless it returns
// one nil, that is an error, which ends the script. A script that ends
// otherwise calls no _test_ended. The top level's deferred calls follow.
CspOutcome csp_run_test(Csp *csp, const char *path, const char *text,
                        size_t len, const char *function, int *status);
// Compiles only. *messages is malloced text of errors and warnings, or NULL.
// With true, NULL means that there are none, and with false that memory is out.
bool csp_check(Csp *csp, const char *path, const char *text, size_t len,
               char **messages);
// Returns bytecode as readable, malloced text. NULL: it does not compile, and
// *messages says why, or memory is out, and *messages is NULL.
char *csp_disassemble(Csp *csp, const char *path, const char *text, size_t len,
                      char **messages);
// Ends soon what is under way when the interrupt comes, and nothing that begins
// later. In a stepped runtime that is the csp_call or csp_load
// (CSP_INTERRUPTED), the csp_step (CSP_MORE) or the csp_run (status 130) that
// the host is in. After all but csp_run the runtime can be used further. With
// threads it is the one csp_run, even if that has not begun (CSP_FAILED, status
// 130). Calls by natives are part of what the host has called, and end with it.
// true: something was under way. It ends, unless it was past its last safepoint
// (CSP_DONE). false: nothing was under way, so this call has no effect. A
// watchdog that comes before the call it watches tries again. Does not block,
// takes no lock, keeps errno. Any thread and signal handlers.
bool csp_interrupt(Csp *csp);

// --- Watching (docs/debugging.md) -------------------------------------------
// Tells what all goroutines do or wait for, and since when, with their stacks
// and where they were started. It returns malloced text. NULL: no script runs
// now, or memory is out. Any thread may call it, but natives only in
// csp_block's work. In a stepped runtime only the host, between its calls, and
// such work may, as another thread could not stop the host. It looks at some
// hundreds at a time, and blocks until it has seen all. Each time it stops all
// goroutines for some 300 us, or up to 5 ms where stopping them takes long. It
// gives 1,000 entries at most, and counts the rest.
char *csp_dump_goroutines(Csp *csp);
// A counter by its name in sched.stats(). false: there is none. Any thread.
bool csp_counter(Csp *csp, const char *name, uint64_t *value);
// How late readied goroutines ran (a sample of them). counts[i] of them were
// late by 2^i ns up to twice that. Gives how many, at most room. Any thread.
int csp_lateness(Csp *csp, uint64_t *counts, int room);

// --- Native functions -------------------------------------------------------
typedef enum CspStatus {
  CSP_OK,     // results were added with csp_return
  CSP_PANIC,  // csp_panic and friends were called
  CSP_LATER,  // csp_block, csp_tail: the rest is the runtime's
} CspStatus;

typedef CspStatus (*CspFn)(CspCall *call);

// One function. params are comma-separated names, as in "s, sep = nil,
// rest...". A default makes a parameter optional (its value is nil, whatever
// the default says). "..." takes any number more. A call with too few, too many
// or unknown named arguments panics before fn is called.
//
// A row without fn says what holds for the rows after it.
//   CSP_NEEDS(CSP_FILES)  they need that of CspConfig.allowed, up to the next
//   CSP_REPEATABLE        where they find no memory they have changed nothing
//                         yet, and are called again after a collection, unless
//                         they have blocked (csp_block)
//
// CSP_REAL("sqrt", sqrt) is a row for a C function from double to double, such
// as double sqrt(double). Scripts call it with an int or a float and get a
// float, for less than a native costs. Any other argument panics. The function
// runs on several threads at once, does not block, and calls nothing of csp.h.
//
// CSP_STORED("pop", "list", pop) is a row for one that returns what was stored
// before. A call that is a statement may drop an error that it returns.
typedef struct CspFunction {
  const char *name;
  const char *params;
  CspFn fn;
} CspFunction;
// clang-format off
#define CSP_NEEDS(capability) {#capability, NULL, NULL}
#define CSP_REPEATABLE {"CSP_REPEATABLE", NULL, NULL}
#define CSP_STORED(name, params, function) {name, "stored " params, function}
#define CSP_REAL(name, function) \
  {name, "real x", (CspFn)(void (*)(void))(function)}
// clang-format on

// A module for `import "path"`, which is made when it is first imported.
// functions ends with a NULL name. init (may be NULL) adds constants with
// csp_module_set, registers classes whose values only the module makes, and
// calls csp_panic_memory if it could not. source is a part written in the
// language, or NULL. It is compiled into the module.
typedef struct CspModule {
  const char *path;
  const CspFunction *functions;
  void (*init)(CspCall *call, CspValue module);
  const char *source;
  size_t source_len;
} CspModule;

// Registers a module before csp_run. The struct lives as long as the runtime.
bool csp_register(Csp *csp, const CspModule *module);
// Registers methods of built-in types. The receiver is the first parameter.
bool csp_register_methods(Csp *csp, CspType type, const CspFunction *functions);
// Registers predeclared functions. Embedded sources alone see _names.
bool csp_register_builtins(Csp *csp, const CspFunction *functions);
// Compiles a part of the library that is written in the language. It may
// declare functions, which become builtins, and methods of built-in types, but
// nothing else. Its statements never run. The result is a malloced image of
// *count words for csp_register_prelude. After that this runtime is only good
// for csp_free. Call it after csp_install_language and after all natives that
// the source names are registered. NULL: there were errors, which were written.
uint32_t *csp_compile_prelude(Csp *csp, const char *source, size_t len,
                              size_t *count);
// Registers what such an image holds. The same natives have to be registered
// before, in the same version. false: they are not, the image is damaged (a
// number, index or instruction that cannot be), or memory is out, and a message
// was written. An image is code, trusted as the host's own. One that was forged
// can do whatever the runtime can. It is copied.
bool csp_register_prelude(Csp *csp, const uint32_t *image, size_t count);
void csp_module_set(CspCall *call, CspValue module, const char *name,
                    CspValue value);

// --- Native modules (docs/modules.md) ---------------------------------------
// A native module is a shared object, NAME.so in the folder CspConfig.modules.
// `import "NAME"` loads it, if scripts may do that (CSP_NATIVE), and if neither
// a built-in module nor one that was registered has this name, nor one that
// CspConfig.load gives. A NAME has letters, digits and _ alone. The module is
// loaded once for the process, by whichever thread compiles the import, and
// never unloaded. Each runtime registers it when it is first imported there.
//
// It exports one function, which CSP_MODULE(NAME) begins. That does nothing but
// return a table that is never freed. A module is not linked with libcspvm. The
// program gives it the functions of this file: it exports them (as cspvm does)
// or is linked with libcspvm.so. It installs no signal handlers and nothing
// that runs at exit.
//
// CSP_API is the version of the interface between such modules and the library.
// A release that needs modules to be compiled anew has a higher one. A module
// with another number is refused.
#define CSP_API 1
typedef struct CspNative {
  int api;                  // CSP_API
  const CspModule *module;  // its path is NAME
} CspNative;
// CSP_MODULE(NAME) { return &table; } is the function, csp_module_ with the
// NAME after it. A host that is linked with the module instead calls it for
// what csp_register takes.
// clang-format off
#ifdef __cplusplus
#define CSP_EXPORTED extern "C" __attribute__((visibility("default")))
#else
#define CSP_EXPORTED __attribute__((visibility("default")))
#endif
#define CSP_MODULE(name) \
  CSP_EXPORTED const CspNative *csp_module_##name(void); \
  const CspNative *csp_module_##name(void)
// clang-format on

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
// Results of functions that can fail in the ordinary way. They are (value,
// nil), or (nil, error) with a printf message, whose floats have points
// whatever the locale. csp_ok_coded's error has a code. csp_ok_errno says
// "what: strerror", and its code is csp_errno_code(error).
CspStatus csp_ok_value(CspCall *call, CspValue value);
CspStatus csp_ok_error(CspCall *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
CspStatus csp_ok_coded(CspCall *call, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
CspStatus csp_ok_errno(CspCall *call, int error, const char *what);
// The code of a system's error, as in docs/library.md: "not_found" for ENOENT.
// "other" for those that have none. Any thread.
const char *csp_errno_code(int error);
// Gives the element of a sequence at *at, which is 0 for the first, and moves
// *at on (less than 2^61). false: there is none. It may panic. Where memory is
// out it may give an undefined value, and may then be called with the same *at
// again. If it leaves *at negative, it gives no element yet. Other goroutines
// run, and it is called again with that *at and *element. *element is then a
// value that nobody else may see yet. In all other calls it comes undefined. It
// must neither block nor call the script. It finds all it needs in `of` and
// `with`, because in a loop the call has neither arguments nor data.
typedef bool (*CspEach)(CspCall *call, CspValue of, CspValue with, int64_t *at,
                        CspValue *element);
// The result is a list of all elements. But where the call stands after `for …
// in`, each element is made when its turn comes, if the loop goes on so far. So
// what next does may not depend on when it is called. about tells roughly how
// many there are, for the list's room, or is NULL.
CspStatus csp_ok_each(CspCall *call, CspEach next, CspValue of, CspValue with,
                      size_t (*about)(CspValue of, CspValue with));
// The function's name as scripts know it ("strings.index"), for messages. It
// belongs to the table, and lives as long as the runtime.
const char *csp_name(const CspCall *call);
// Panics with an error of that message, which begins with the function's name
// as a rule. Returns CSP_PANIC.
CspStatus csp_panic(CspCall *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
CspStatus csp_panic_memory(CspCall *call);

// The bytes that one result may still take (CspConfig.max_memory), and that a
// native may malloc on the way to it. At least 64 KB. SIZE_MAX: no limit.
size_t csp_room(CspCall *call);
// For natives that found no memory and have no results yet. true: there was a
// collection, so try again. Only arguments and held values are left. false:
// there was none, as it would be in vain or cost too much time.
bool csp_make_room(CspCall *call);

// These check arguments. false: the call has panicked with a message that names
// the function, the parameter, what it must be and what it is.
bool csp_need_int(CspCall *call, int i, int64_t *out);
bool csp_need_number(CspCall *call, int i, double *out);  // int or float
bool csp_need_string(CspCall *call, int i, const char **data, size_t *len);
bool csp_need_type(CspCall *call, int i, CspType type, CspValue *out);
CspStatus csp_bad_arg(CspCall *call, int i, const char *wanted);

// Charges the running goroutine's time slice for work that took about `units`
// turns of a script's loop, some 30 ns each. Call it after long work.
void csp_charge(CspCall *call, uint64_t units);
// A native whose loops may take more than 50 us reports in them how much they
// do. So limits, interrupts and deadlines end it, and others get their turn.
// The unit is about a nanosecond: 1 for a turn of the smallest loop or 8 bytes
// copied, 4 for an element of a list. Such work needs no csp_charge.
//
// csp_work is for work that cannot be left in the middle, or is usually short.
// false: the goroutine is interrupted or cancelled, or the runtime ends. Then
// free what you have and return CSP_PANIC. From then on csp_call gives
// CSP_ENDED, csp_waker NULL, and csp_block's work does not run. csp_work does
// not block. What waits on this P runs on an idle one, or afterwards.
bool csp_work(CspCall *call, uint64_t units);
// csp_spent is for a native that works in pieces and lets others run between
// them. true: the piece should end here, with `return csp_again(...)`. Then
// step(call, data, true) does the next piece. Its data is a copy of the `size`
// bytes at data, in the runtime's memory. step may return csp_again itself,
// with the same data or another. The arguments are still there. All other
// values may have been collected, except results, and the `values` CspValues
// that data begins with. Other goroutines may have changed what they can reach.
// If on is false, the native does not go on, as the goroutine is interrupted or
// cancelled, memory is out, or the runtime ends. Then step frees what it has
// besides data. What it returns does not matter ("Given up" below).
bool csp_spent(CspCall *call, uint64_t units);
CspStatus csp_again(CspCall *call,
                    CspStatus (*step)(CspCall *call, void *data, bool on),
                    void *data, size_t size, int values);

// Makes a blocking operation. After fn has returned CSP_LATER, work(data) runs
// as a blocking call. It must not touch values or the runtime at all. While it
// lasts, other goroutines go on with the P. Then done(call, data, made) runs as
// the rest of the native function. It adds results, frees data, and returns
// like a native (CSP_OK or CSP_PANIC). The arguments are still there. If made
// is false, work has not run, as there was no thread for the others
// (CspConfig's limit, or the system's). Then done gives an error (csp_no_thread
// says which) and frees data. A stepped runtime has no other thread, so work
// runs on the host's, and csp_step lasts as long as it does.
//
// Given up: if the goroutine is cancelled, or csp_free ends it, done is called
// all the same. made tells whether work has run. What done returns is ignored.
// It frees data, and may call what natives may after a panic. csp_work is
// false. csp_again calls step at once, with on false. csp_block and its kin
// call done at once, with made false. csp_call gives CSP_ENDED, and csp_waker
// NULL. In csp_free, channels and csp_go do nothing.
CspStatus csp_block(CspCall *call, void (*work)(void *data),
                    CspStatus (*done)(CspCall *call, void *data, bool made),
                    void *data);
// Does the same for work that is known to take long. The P is handed over at
// once, which costs some microseconds more.
CspStatus csp_block_slow(CspCall *call, void (*work)(void *data),
                         CspStatus (*done)(CspCall *call, void *data,
                                           bool made),
                         void *data);
// The same as csp_block, `ns` nanoseconds later, for what is tried again and
// again. No thread waits meanwhile. If the call is cancelled, made is false.
CspStatus csp_block_after(CspCall *call, int64_t ns, void (*work)(void *data),
                          CspStatus (*done)(CspCall *call, void *data,
                                            bool made),
                          void *data);
// The same as csp_block, once fd can be read (or written), for what may take
// for ever, such as a pipe, a terminal, a socket or a child's pidfd. No thread
// waits. Another reader may have been faster, so work tries without blocking,
// and done may wait again. A wait that csp_wait_end has ended goes on to work,
// too, and so does a wait whose fd is no descriptor. `wait` was zeroed before
// its first use. Keep it, unchanged, until the wait ends. It serves one wait at
// a time. The descriptor may be closed meanwhile, after csp_wait_end. If the
// system cannot watch it (no descriptor is left, or epoll takes no such kind),
// a blocking call waits. In a stepped runtime made is false then.
typedef struct CspWait {
  int fd;      // to be watched
  bool write;  // until it can be written, else until it can be read
  bool ended;  // the runtime's, as desc is
  void *desc;
} CspWait;
CspStatus csp_block_fd(CspCall *call, CspWait *wait, void (*work)(void *data),
                       CspStatus (*done)(CspCall *call, void *data, bool made),
                       void *data);
// Ends the wait, or the next if none has begun. For natives of its runtime.
void csp_wait_end(CspCall *call, CspWait *wait);
const char *csp_no_thread(void);
// For work that may take long, such as a query. The native makes a watch before
// it calls csp_block or its kin, and work calls csp_in_vain now and then. true:
// the goroutine is cancelled or interrupted, its deadline is over, or the run
// ends. Then work may end early, and done learns of it by csp_work, which is
// false. csp_in_vain is for work's thread alone, as long as work lasts.
typedef struct CspWatch {
  const void *runtime, *goroutine;
} CspWatch;
CspWatch csp_watch(const CspCall *call);
bool csp_in_vain(const CspWatch *watch);
// The native's result is what calling function with these arguments gives. It
// takes no memory for up to 8 arguments, if the native has as many.
CspStatus csp_tail(CspCall *call, CspValue function, int argc,
                   const CspValue *argv);
// A predeclared function, a hidden one or one of the prelude. undef: none.
CspValue csp_builtin(CspCall *call, const char *name);
// csp_tail with such a function.
CspStatus csp_tail_named(CspCall *call, const char *name, int argc,
                         const CspValue *argv);
// Parks the goroutine for so many nanoseconds. The native has no result.
CspStatus csp_sleep(CspCall *call, int64_t ns);
// Lets others run first (the goroutine goes to the global queue's tail).
CspStatus csp_yield(CspCall *call);
// A native that waits for the host makes a waker, gives it to whatever will
// call csp_wake (perhaps at once), and returns csp_park(call), with no csp_call
// in between. Without a waker csp_park panics. The native's result is then what
// `make` gives (nil if make is NULL). NULL: out of memory.
//
// A waker is the host's until csp_wake, which frees it. Call csp_wake exactly
// once, also when the wait was cancelled, the run has ended or the runtime is
// freed. Any thread may call it at any time, but no signal handler. A waker
// that is never woken is never freed. make has the last word on data and is
// always called, once. It is called on one of the runtime's threads, which it
// must not block, or in csp_free, or in csp_wake if the runtime is gone. It can
// only make values. Where there is no runtime, they are undef, as without
// memory.
//
// csp_waker_told is told when nobody waits any more, as the goroutine was
// cancelled, or the run has ended. Then cancelled(data) is called, at most
// once, so that the host can give up what it does. It is not called if csp_wake
// came first. If both come at once, csp_wake may return before cancelled is
// called. But make is called only after cancelled has returned, so cancelled
// may use what make frees. cancelled is called on one of the runtime's threads
// or in csp_run or csp_free. It must not block, and may call csp_wake for this
// waker, but nothing else of this file.
typedef struct CspWaker CspWaker;
CspWaker *csp_waker(CspCall *call);
CspWaker *csp_waker_told(CspCall *call, void (*cancelled)(void *data),
                         void *data);
CspStatus csp_park(CspCall *call);
void csp_wake(CspWaker *waker, CspValue (*make)(CspCall *call, void *data),
              void *data);

// --- Descriptors ------------------------------------------------------------
//
// For what a native reads and writes again and again, such as a socket. The
// runtime watches the descriptor as long as it is open. A native tries first,
// on its own thread, and waits only if there is nothing yet. No thread waits
// meanwhile, and a wait costs no system call of its own. (csp_block_fd is for
// rare waits, and for what cannot be watched.)
//
// A CspFd belongs to a host value, whose class frees it (csp_fd_free). Its two
// sides are independent. Any number of goroutines may want one side: they take
// turns, first come, first served. A native that has the turn may use the
// number, which nobody closes before it leaves. So it goes like this:
//
//   number = csp_fd_enter(fd, CSP_READS);      // the turn, if it is free
//   if (number < 0) {                          // else once it is
//     csp_when_entered(call, fd, CSP_READS);
//     return csp_again(call, step, &data, sizeof data, 0);
//   }
//   n = read(number, ...);
//   if (n < 0 && errno == EAGAIN) {            // keeps the turn
//     csp_when_ready(call, fd, CSP_READS, until);
//     return csp_again(call, step, &data, sizeof data, 0);
//   }
//   csp_fd_leave(call, fd, CSP_READS);
//
// and csp_ready tells step how the wait has ended. A native has to leave the
// turn in any case, also in a step with `on` false. Only such a step after
// csp_when_entered has none.
typedef struct CspFd CspFd;
typedef enum CspSide { CSP_READS, CSP_WRITES } CspSide;
typedef enum CspReady {
  CSP_FD_READY,   // the call has the turn, or may try again (perhaps in vain)
  CSP_FD_LATE,    // the time of csp_when_ready has come. It has the turn
  CSP_FD_CLOSED,  // after csp_when_entered it has no turn, else it has
} CspReady;
// For a descriptor that was just opened. One of 0 to 2 is moved to a number
// above, which exec closes. The host may have closed its standard streams, and
// what it prints later must not reach this one. A number below 0 is returned as
// it is, with errno as the open left it. -1: errno tells why. Any thread.
int csp_above_streams(int number);
// Takes over a descriptor, which has O_NONBLOCK. NULL: it is still the
// caller's, and errno tells why. EPERM: it cannot be watched (a regular file).
CspFd *csp_fd_open(CspCall *call, int number);
// Ends all waits (CSP_FD_CLOSED). The number is closed now, or by the call that
// leaves last. false: it was closed before.
bool csp_fd_close(CspCall *call, CspFd *fd);
// The same, but resets a TCP connection: the other side sees that data is lost.
bool csp_fd_reset(CspCall *call, CspFd *fd);
// Frees fd, and closes its number if that is open. No call may be using fd. Any
// thread, also in CspClass.finalize. Does not block. NULL does nothing.
void csp_fd_free(CspFd *fd);
// The number, if the turn was free: the call has it now. -1: another call has
// it, or the descriptor is closed.
int csp_fd_enter(CspFd *fd, CspSide side);
// The turn goes to the call that has waited longest.
void csp_fd_leave(CspCall *call, CspFd *fd, CspSide side);
// The number, for a call with a turn. -1: it is closed. The call should end.
int csp_fd_number(const CspFd *fd);
// These say when the step of the next csp_again runs. The first waits until the
// call has the turn. The second waits until the side may be ready, or until the
// time `until` has come (as csp_monotonic counts; 0 is never).
void csp_when_entered(CspCall *call, CspFd *fd, CspSide side);
void csp_when_ready(CspCall *call, CspFd *fd, CspSide side, int64_t until);
// In such a step: how the wait has ended.
CspReady csp_ready(const CspCall *call);

// A layer, such as TLS, that a native module puts on a connection of the module
// net. All that scripts read and write goes through it from then on. `state` is
// the layer's own. `number` is the descriptor, until the function returns. No
// function may block. read and write may run at once. They return as recv and
// send do, with errno: EAGAIN waits for that side, EINTR tries again after
// others have run, EPROTO is an error of the layer's own.
typedef struct CspLayer {
  const char *code;  // of errors that are EPROTO
  int64_t (*read)(void *state, int number, void *to, size_t room);
  // It may keep what it has taken. 0 bytes ask it to send that.
  int64_t (*write)(void *state, int number, const void *from, size_t len);
  // The end of what is written. 0, or -1 and errno. Called again after EAGAIN.
  int (*end)(void *state, int number);
  void (*wrong)(void *state, char *to, size_t room);  // text for EPROTO
  // The connection is closed. Calls that run or follow are to say EAGAIN.
  void (*close)(void *state);
  void (*finalize)(void *state);  // as CspClass.finalize
} CspLayer;
// The descriptor of a connection. NULL: v is no connection, or not open yet.
CspFd *csp_connection_fd(CspValue v);
// Puts a layer on. The call must have the turns of both sides. 0: the
// connection owns state. Otherwise the caller still does. EISCONN: there is a
// layer. EBUSY: something was received and not read. EINVAL: no connection.
int csp_layer_on(CspValue connection, const CspLayer *layer, void *state);
// What the layer's state holds outside of the heap from now on (for other
// values: csp_host_weight). It is 0 once the connection is closed. false: there
// is no room for more, and it is 0.
bool csp_layer_weight(CspCall *call, CspValue connection, size_t bytes);
// The state, or NULL if v has no such layer. It lives as long as v.
void *csp_layer_state(CspValue v, const CspLayer *layer);

// --- Calls from the host ----------------------------------------------------
//
// A stepped runtime (CspConfig.stepped) starts no thread and has one P. Its
// goroutines run while the host is inside csp_load, csp_call, csp_step or
// csp_run, on that thread. The host may use one thread after the other, not two
// at once. Functions that other threads may call say so.
//
// The host's own call, for making values, csp_call and so on, between the calls
// named above. It is the same one each time. NULL: not stepped, out of memory,
// or a script has ended the runtime (os.exit).
CspCall *csp_host(Csp *csp);

typedef enum CspEnd {
  CSP_DONE,         // it returned
  CSP_THREW,        // it panicked
  CSP_INTERRUPTED,  // by csp_interrupt or the time limit
  CSP_STUCK,        // it waits, and nothing can ever run again
  CSP_BAD_SCRIPT,   // it does not compile
  CSP_ENDED,        // a script has ended the runtime, or csp_interrupt has
} CspEnd;

enum { CSP_RESULTS_MAX = 8 };
typedef struct CspResult {
  CspEnd end;
  int count;                         // of results, also those not in values
  CspValue values[CSP_RESULTS_MAX];  // the first results, then nil. [0] of a
                                     // failure is what was panicked with, or
                                     // an error
  char *message;  // how it failed, with its trace, malloced, or NULL
                  // (CSP_DONE, CSP_ENDED, or where malloc has no memory)
} CspResult;
void csp_result_free(CspResult *result);  // the message

// Calls function on a goroutine of its own and waits until that ends. From the
// host (csp_host), other goroutines run meanwhile only while that one waits.
// The host must not call it from write_out and the like. From a native, in any
// runtime, the native's goroutine waits. The values that the caller has in C
// variables may be collected during the call, unless they are held (csp_hold)
// or are the native's arguments. Those in *result stay until the next call or
// step, or until the native returns. result is filled in, and never NULL. After
// CSP_ENDED a native frees what is its own and returns at once, or panics. It
// must use nothing else of this file.
CspEnd csp_call(CspCall *call, CspValue function, int argc,
                const CspValue *argv, CspResult *result);
// Starts function on a goroutine of its own, as `go` does, and does not wait.
// (From a native, that goroutine joins the group of the native's own.) It
// returns the task, which a script may wait for. undef: out of memory or too
// many goroutines (then a native has panicked), or the caller is neither a
// native nor the host between its calls. No collection is made. If there is a
// task, done (may be NULL) is called once. The thread that ran the goroutine
// calls it when that has ended (in a stepped runtime, inside the host's call or
// step). If the runtime has ended first, csp_run or csp_free calls it, with
// CSP_ENDED. done must not block. It may read values and call csp_wake, but
// nothing else of this file. *result, its values and its message are gone when
// done returns. A panic of a goroutine with done is told only there.
CspValue csp_go(CspCall *call, CspValue function, int argc,
                const CspValue *argv,
                void (*done)(void *data, const CspResult *result), void *data);
// Whether the task has ended. true: result is filled in as by csp_call, and the
// task's panic counts as told. false: it runs on, and *result has no values and
// no message. Natives and the host. Does not wait.
bool csp_task_done(CspCall *call, CspValue task, CspResult *result);
// For `return csp_rethrow(...)` in natives, of a result that is not CSP_DONE:
// panics with what the function panicked with, and frees the message.
CspStatus csp_rethrow(CspCall *call, CspResult *result);
// Makes an instance of a struct type, as Type(values..., name: value) does.
// There are `count` values. Where names is NULL or has NULL for a value, the
// value is for the next field in order, else for the field of that name.
// *result is as of csp_call. values[0] is the instance, or tells of a field
// that is unknown, missing or given twice. Where every field is given, no
// script runs and nothing is collected. Else the defaults of the others are
// computed in a csp_call. The callers of csp_call may call it.
CspEnd csp_new_struct(CspCall *call, CspValue type, int count,
                      const CspValue *values, const char *const *names,
                      CspResult *result);
// Compiles a script and runs its top level as csp_call does. values[0] is its
// module, whose members are its top-level names. The collector frees the code
// when nothing holds the module, any of its functions or types, and no
// goroutine runs in it. Until then it counts as memory. From the host only.
CspEnd csp_load(CspCall *call, const char *path, const char *text, size_t len,
                CspResult *result);
// Collects now what nothing holds any more. A host calls it before it makes
// many values, or after it was told that memory is out. In a native the
// collection comes later, at the latest before the next piece (csp_again). A
// collection by another thread may count for it, and not have called all
// finalizers yet. A second csp_collect then makes sure that they are called.
void csp_collect(CspCall *call);
// A top-level name of a script or module. false: *value is nil, because there
// is none or the script has not got that far, or undef, because memory is out.
bool csp_member(CspCall *call, CspValue module, const char *name,
                CspValue *value);
// Limits how long csp_load and csp_call may take from now on, in ns. 0 means
// for ever. When the time is over the goroutine panics with `interrupted`,
// which only deferred functions can delay, and is given up 10 ms later. The
// compiler gives up, too, in csp_load, csp_check and csp_run.
void csp_limit_time(Csp *csp, int64_t ns);

// Whether a script has ended the runtime (os.exit). *status: what it chose.
bool csp_ended(Csp *csp, int *status);

// Runs goroutines for ns, or until none can run if ns < 0. Not for natives.
typedef enum CspStep {
  CSP_IDLE,   // none can run now
  CSP_MORE,   // the time was over, or csp_interrupt came
  CSP_CLOSED  // a script has ended the runtime
} CspStep;
CspStep csp_step(Csp *csp, int64_t ns);
// A descriptor for poll(2) and its like. It is readable when csp_step has
// something to do. After csp_step has returned CSP_IDLE, wait for it, then step
// again. It also becomes readable when the host's own csp_try_send,
// csp_try_recv or csp_close readies a goroutine. It belongs to the runtime. -1:
// errno tells why.
int csp_fd(Csp *csp);
// In how many ns a timer is due. 0: there is something to do. < 0: none is set.
int64_t csp_next(Csp *csp);

// --- Other threads ----------------------------------------------------------
//
// Both run fn as a native function, on a goroutine of its own. The runtime is
// one that runs (csp_run in another thread) or that another thread steps. Until
// it runs, fn waits. csp_do waits until the goroutine has ended. csp_post does
// not wait. It leaves data to fn, or, if the run ends before fn is called, to
// drop (may be NULL), which must not touch the runtime.
//
// false: the run is over or memory is out, and fn was not called or did not
// end, or fn panicked. If it panicked, *message (may be NULL) is malloced text,
// else NULL. A csp_post that returns false calls neither fn nor drop. At most
// 128 functions of other threads are ahead of a script's goroutines. The others
// wait in order, in memory that has no bound. So a thread that never waits uses
// csp_do, or counts what it has posted. Any thread that is not inside the
// runtime. The library must be installed.
bool csp_do(Csp *csp, CspStatus (*fn)(CspCall *call, void *data), void *data,
            char **message);
bool csp_post(Csp *csp, CspStatus (*fn)(CspCall *call, void *data), void *data,
              void (*drop)(void *data));
// While it is kept, the runtime waits for posts instead of reporting a
// deadlock. Release it as often as you keep it. Any thread.
void csp_keep(Csp *csp);
void csp_release_keep(Csp *csp);

// csp_do, csp_post, csp_interrupt and csp_release_keep may cause the end of the
// run, and then csp_free may be called. It waits until they have left the
// runtime, which is soon. But no call may begin at the same time as csp_free,
// or later. A thread that cannot be sure of that needs a door of its own.
// csp_door makes it while the runtime is there, and does not fail. A door
// outlives the runtime.
//
// csp_enter returns the runtime, for the functions that any thread may call.
// Then csp_free waits until csp_leave. csp_enter returns NULL when csp_free has
// begun or is long over, and then there is no csp_leave. Between the two the
// thread does nothing that takes long, except csp_do, which csp_free ends. It
// does not call csp_free. Any thread that has the door, and signal handlers.
typedef struct CspDoor CspDoor;
CspDoor *csp_door(Csp *csp);  // any thread that may use the runtime
Csp *csp_enter(CspDoor *door);
void csp_leave(CspDoor *door);
// Call it once for each csp_door. NULL does nothing. Any thread.
void csp_door_free(CspDoor *door);

// Values that are held are not collected. 0: out of memory. Natives and
// csp_host call csp_hold and csp_held. Any thread may call csp_release.
typedef uint32_t CspHandle;
CspHandle csp_hold(CspCall *call, CspValue value);
CspValue csp_held(CspCall *call, CspHandle handle);
void csp_release(Csp *csp, CspHandle handle);

// --- Values -----------------------------------------------------------------
CspType csp_type(CspValue v);
const char *csp_type_name(CspValue v);  // "int", ..., a struct's own name
bool csp_truthy(CspValue v);
bool csp_same(CspValue a, CspValue b);   // the same word
bool csp_equal(CspValue a, CspValue b);  // ==
// -1, 0, 1; 2 unordered (NaN), 3 types without an order.
int csp_compare(CspValue a, CspValue b);
// The same for loops. Long strings and bytes are charged, as by csp_work. If
// the native is to give up they count as equal, and csp_work and csp_spent say.
bool csp_equal_on(CspCall *call, CspValue a, CspValue b);
int csp_compare_on(CspCall *call, CspValue a, CspValue b);

CspValue csp_nil(void);
CspValue csp_bool(bool b);
// These allocate. Out of memory gives undef. csp_ok and csp_return notice it
// and panic. So do functions that put values into others and may say false
// (csp_list_push, csp_map_set, csp_bytes_append, csp_set_field and their kin),
// whether the value or what it is put into is undef. csp_error and
// csp_error_coded of undef give undef. No other function of this file takes
// undef unless it says so.
CspValue csp_int(CspCall *call, int64_t i);
CspValue csp_float(CspCall *call, double d);
CspValue csp_string(CspCall *call, const char *data, size_t len);
// Makes a string (or bytes) of len bytes. The caller writes all of them to
// *data before anybody else sees the value. It may be kept between pieces, or
// held (csp_hold) while csp_block's work writes. *data stays where it is.
// csp_cut_room makes it shorter before anybody else sees it.
CspValue csp_string_room(CspCall *call, size_t len, char **data);
CspValue csp_bytes_room(CspCall *call, size_t len, char **data);
void csp_cut_room(CspValue room, size_t len);
CspValue csp_string_take(CspCall *call, char *malloced, size_t len);  // frees
CspValue csp_error(CspCall *call, CspValue message, CspValue cause);
// code: a string, an int or nil.
CspValue csp_error_coded(CspCall *call, CspValue message, CspValue cause,
                         CspValue code);
CspValue csp_list(CspCall *call, size_t capacity);
// A list that will have about `about` elements, which is a guess. A long one
// grows in place. It takes memory as elements come, and few are copied.
CspValue csp_list_growing(CspCall *call, size_t capacity, size_t about);
CspValue csp_tuple(CspCall *call, const CspValue *values, size_t count);
CspValue csp_map(CspCall *call, size_t capacity);
CspValue csp_bytes(CspCall *call, const void *data, size_t len);
CspValue csp_range(CspCall *call, int64_t from, int64_t to);  // to excluded
bool csp_is_undef(CspValue v);

// The caller has checked the type.
bool csp_to_bool(CspValue v);
int64_t csp_to_int(CspValue v);
double csp_to_float(CspValue v);  // int or float
// Valid as long as the value. A NUL follows the bytes, which may have others.
// NULL: no memory to copy it. csp_type (CSP_NO_MEMORY) or csp_need_string told.
const char *csp_to_string(CspValue v, size_t *len);
// For a piece of a native that only reads. No NUL, no copy. false: no string.
bool csp_view(CspValue v, const char **data, size_t *len);
bool csp_is_error(CspValue v);  // CSP_ERROR, or a struct with a method `error`
// The next four give a struct's field, or nil. They call no method, because a
// script cannot run wherever these may be called. For what `.message` is in a
// script, use csp_method(call, error, "error", &method) and csp_call.
CspValue csp_error_message(CspValue error);
CspValue csp_error_cause(CspValue error);
CspValue csp_error_code(CspValue error);  // a string, an int or nil
CspValue csp_error_trace(CspCall *call, CspValue error);  // a list, or undef

size_t csp_list_len(CspValue list);              // or of a tuple
CspValue csp_list_get(CspValue list, size_t i);  // or tuple. nil out of range
// Out of range it does nothing.
void csp_list_set(CspCall *call, CspValue list, size_t i, CspValue v);
void csp_list_swap(CspCall *call, CspValue a, CspValue b);  // all elements
// Moves *at on to where v is (by ==), and charges that. false: if *at is `end`,
// v is not there before it. If *at is less, the piece is spent (csp_spent).
bool csp_list_find(CspCall *call, CspValue list, CspValue v, size_t *at,
                   size_t end);
bool csp_list_push(CspCall *call, CspValue list, CspValue v);
// All of them or, without memory, none. The values are not undef.
bool csp_list_append(CspCall *call, CspValue list, const CspValue *values,
                     size_t count);
// Beyond the end it appends.
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
bool csp_map_clear(CspCall *call, CspValue map);
// Iterates over a snapshot of the map. Begin with a zeroed CspIter. Between two
// pieces (csp_again), state[0] is a value that has to be kept.
typedef struct CspIter {
  uint64_t state[3];
} CspIter;
bool csp_map_next(CspCall *call, CspValue map, CspIter *iter, CspValue *key,
                  CspValue *value);

// A field of an instance of a struct. false: *value is nil, as v has no field
// of that name, or is no such instance.
bool csp_field(CspValue instance, const char *name, CspValue *value);
// The name of field number `at` of an instance or its type, and its value (nil
// of a type). NULL: there is none. The name belongs to the type.
const char *csp_field_at(CspValue v, int at, CspValue *value);
// false: panicked (no such field, no instance, value undef).
bool csp_set_field(CspCall *call, CspValue instance, const char *name,
                   CspValue value);
// A method of any value as a function for csp_call, csp_tail and scripts. The
// value goes along as its receiver. For a struct type it is the plain function,
// whose first argument is the receiver. false: *method is nil if there is none
// of that name, or undef if memory is out.
bool csp_method(CspCall *call, CspValue v, const char *name, CspValue *method);
// `(from..to).by(step)`, or `from..=to` (inclusive). false: it is no range.
bool csp_range_get(CspValue range, int64_t *from, int64_t *to, bool *inclusive,
                   int64_t *step);

size_t csp_bytes_len(CspValue bytes);
// Copies out or in, clamped to what is there. Returns how many bytes.
size_t csp_bytes_read(CspValue bytes, size_t at, void *to, size_t count);
size_t csp_bytes_write(CspValue bytes, size_t at, const void *from,
                       size_t count);
bool csp_bytes_append(CspCall *call, CspValue bytes, const void *from,
                      size_t count);

// Makes a channel of at most 134,217,728 values. undef: more, or out of memory.
// csp_try_send and csp_try_recv do not wait.
CspValue csp_chan(CspCall *call, uint32_t capacity);
typedef enum CspSent { CSP_SENT, CSP_FULL, CSP_CHAN_CLOSED } CspSent;
CspSent csp_try_send(CspCall *call, CspValue chan, CspValue value);
// false: *value is nil. There is none now, or it is closed and empty.
bool csp_try_recv(CspCall *call, CspValue chan, CspValue *value);
bool csp_close(CspCall *call, CspValue chan);  // false: it was closed
// Use them as `return csp_send(...)`. The native waits. csp_send has no result.
// csp_recv results in what was received and whether the channel was open. It
// waits for timers, too.
CspStatus csp_send(CspCall *call, CspValue chan, CspValue value);
CspStatus csp_recv(CspCall *call, CspValue chan);

// A value as println shows it, as malloced text. If quoted, strings are as in
// source. NULL: out of memory. It calls no string() method. csp_needs_call
// tells whether one should be called (by csp_tail to csp_builtin's `str`, or to
// a function of yours that calls that). csp_format_most is for hostile values.
char *csp_format(CspCall *call, CspValue v, bool quoted, size_t *len);
bool csp_needs_call(CspValue v);
// The same, charged. A long text needs `str`, too, which can be left half way.
bool csp_needs_call_on(CspCall *call, CspValue v);
// The same, but at most the first `most` bytes of that text. *cut: there would
// be more (beyond `most`, or beyond what CspConfig.max_memory leaves). Then it
// ends with a whole character. It takes 2 * most bytes of memory, and 24 bytes
// a level of nesting. Its time depends on `most` and the nesting (of which
// 10,000 levels are shown), even if the value is huge, cyclic, or shared in
// many places. cut and len may be NULL, as csp_format's len.
char *csp_format_most(CspCall *call, CspValue v, bool quoted, size_t most,
                      size_t *len, bool *cut);

// --- Text -------------------------------------------------------------------
//
// Natives and csp_host. These are linear in the text, charged as by csp_work.
//
// The float nearest to a decimal number: digits with at most one point, a sign
// before and an exponent after, nothing else ("-2.5", "1e3"), whatever the
// process's locale is. Returns 0, or:
//   EINVAL     it is no such number
//   ERANGE     it is too large, and *out infinite
//   ECANCELED  the call is to end, and has panicked
int csp_parse_float(CspCall *call, const char *text, size_t len, double *out);
// The float as text, the shortest that reads back: its length, at most 31.
int csp_format_float(double d, char text[32]);
// ns as seconds, such as "1.5s", as text with a NUL. Returns its length.
int csp_format_seconds(int64_t ns, char text[32]);
// The first (last) place in text where needle is. CSP_NOWHERE: there is none.
// CSP_GIVEN_UP: the call is to end, and has panicked. An empty needle is at 0
// (at len).
enum { CSP_NOWHERE = -1, CSP_GIVEN_UP = -2 };
int64_t csp_find(CspCall *call, const char *text, size_t len,
                 const char *needle, size_t needle_len);
int64_t csp_find_last(CspCall *call, const char *text, size_t len,
                      const char *needle, size_t needle_len);

// --- Values as bytes (CBOR, RFC 8949) ---------------------------------------
// nil, bools, ints, floats, strings, bytes, lists, maps, and tuples (as lists),
// up to 1,000 in one another.
//
// Writes the value as CBOR, malloced, *len bytes, at most `most`. Ints, lengths
// and floats take the shortest form that keeps the value. Maps keep their
// order. NULL: the value cannot be written, or memory is out or the calling
// goroutine interrupted. If it cannot be written, *error is malloced text that
// tells what and where ("value[2]["name"]: ..."). That is a value of another
// type, a string that is not UTF-8, a list or map that contains itself, or too
// many bytes. In the other cases *error is NULL, and csp_panic_memory panics
// with what it is.
char *csp_to_cbor(CspCall *call, CspValue v, size_t most, size_t *len,
                  char **error);
// Reads the value that `len` bytes hold, which may be anybody's. If used is
// NULL, they are one value and nothing else. Otherwise the first *used of them
// are the value. false: *value is nil, and *error is malloced text that tells
// what is wrong and at which byte, or NULL, as above. It refuses what is not
// well-formed or not UTF-8, ints of more than 64 bits (bignums, too), decimal
// fractions, simple values but undefined (nil), and keys that are equal, bytes
// or NaN. It ignores other tags, and accepts indefinite lengths. It takes
// memory for what was really there, whatever lengths say, up to 200 bytes for
// each byte (csp_room, max_memory).
bool csp_from_cbor(CspCall *call, const void *data, size_t len, size_t *used,
                   CspValue *value, char **error);
// The same for natives, in pieces, for `return csp_ok_to_cbor(...)`. The result
// is (bytes, nil) or (value, nil), or (nil, error) with a code: "invalid" where
// v cannot be written, "syntax" where data (a string or bytes) is wrong.
CspStatus csp_ok_to_cbor(CspCall *call, CspValue v);
CspStatus csp_ok_from_cbor(CspCall *call, CspValue data);

// --- Values with C data behind them -----------------------------------------
// What scripts can do with the values of a class besides calling its methods.
// Each may be NULL. They run on whichever of the runtime's threads wants it, on
// several at once, also for one value. None may block, and none may call the
// script (csp_call, csp_load, and what only `return`s of natives do).
//
// Those without a CspCall call nothing of this file, and cannot fail.
//   string   what str, print and ${} show, as *len bytes, malloced. NULL: out
//            of memory. Without it they show <name>.
//   equal    a == b, both of the class. Without it a value equals itself alone.
//   hash     of a key of maps. It is the same for equal values, and as long as
//            the value is a key. With equal but no hash it cannot be one.
//   compare  for < <= > >= min max sort, both of the class. It gives < 0, 0,
//            > 0, or 2 if there is no order between them. It fits equal.
//   len      len(v), at least 0.
// Those with one may make values, panic (csp_panic) and charge (csp_work), and
// are called again if they panicked for memory. false: there is none, and the
// script panics with that in general words.
//   add      a + b. One of them is of the class, so look at both.
//   get      v[index], and v.name where no method has that name (index is the
//            string then). In `x, ok := v[index]` false gives nil, false.
//   set      v[index] = to and v.name = to.
//   iterate  `for x in v`, `for i, x in v`, as csp_ok_each; its `of` is v.
typedef struct CspOperations {
  char *(*string)(const void *data, size_t *len);
  bool (*equal)(const void *a, const void *b);
  uint64_t (*hash)(const void *data);
  int (*compare)(const void *a, const void *b);
  int64_t (*len)(const void *data);
  bool (*add)(CspCall *call, CspValue a, CspValue b, CspValue *sum);
  bool (*get)(CspCall *call, CspValue v, CspValue index, CspValue *element);
  bool (*set)(CspCall *call, CspValue v, CspValue index, CspValue to);
  CspEach iterate;
} CspOperations;

typedef struct CspClass {
  const char *name;              // type(v)
  void (*finalize)(void *data);  // when collected, by any thread; it may call
                                 // csp_report alone
  size_t size;                   // bytes of data
  const CspOperations *operations;  // or NULL: only methods
} CspClass;
// Zeroed data, at a multiple of 16. data may be NULL.
CspValue csp_host_new(CspCall *call, const CspClass *klass, void **data);
// Tells what a host's value holds outside of the heap, in place of what was
// told before (0 at first, at most 64 GB). It counts as the value's own memory:
// for CspConfig.max_memory, and for when to collect. It is given back when the
// value is finalized. Does not block, but may call the finalizers of others, as
// whatever makes values may. false: there is no room for more, and nothing has
// changed. Then free it and csp_panic_memory, or ask csp_make_room first, which
// collects the value if nothing keeps it. Less always fits.
bool csp_host_weight(CspCall *call, CspValue v, size_t bytes);
// The data, or NULL if v is no such value.
void *csp_host_data(CspValue v, const CspClass *klass);
// Registers a class with methods (`file.close()`) or NULL. Before csp_run, or
// in a module's init. One that is registered stays as it is.
bool csp_register_class(Csp *csp, const CspClass *klass,
                        const CspFunction *functions);
// The runtime's own zeroed data of a registered class. It is made when first
// asked for, and finalized when the runtime is freed. It takes the place of a
// module's global variables. Goroutines run on several threads at once, so
// guard it with a lock. NULL: out of memory, or not registered.
void *csp_state(Csp *csp, const CspClass *klass);

// --- Memory -----------------------------------------------------------------
//
// What this file calls malloced is libc's, and the receiver frees it by free().
// That holds for texts that functions return or put into *messages, *message
// and *error, for CspResult.message, CBOR and images. From the host, it holds
// for the strings of CspLoad, of CspOperations.string and of csp_string_take.
// All other memory of a runtime comes from CspConfig.alloc.
//
// Natives can take theirs there, too. csp_alloc makes a block of so many bytes,
// at a multiple of 16, or resizes block if that is not NULL. NULL: no memory,
// and the old block stays. Any thread, as long as the runtime is there, in
// csp_block's work and finalize, too. Does not block. csp_alloc_free takes
// NULL, too, and keeps errno.
void *csp_alloc(Csp *csp, void *block, size_t size);
void csp_alloc_free(void *block);
// These do as the functions without _alloc, with such blocks.
CspValue csp_alloc_take(CspCall *call, char *block, size_t len);  // frees
char *csp_alloc_format(CspCall *call, CspValue v, bool quoted, size_t *len);
char *csp_alloc_format_most(CspCall *call, CspValue v, bool quoted, size_t most,
                            size_t *len, bool *cut);
char *csp_alloc_to_cbor(CspCall *call, CspValue v, size_t most, size_t *len,
                        char **error);
bool csp_alloc_from_cbor(CspCall *call, const void *data, size_t len,
                         size_t *used, CspValue *value, char **error);
char *csp_alloc_real_path(Csp *csp, const char *path);
char *csp_alloc_folder(Csp *csp);  // csp_working_folder

// --- Files ------------------------------------------------------------------
//
// What natives do with a path of a script's. They stay within CspConfig.root,
// or, without one, do as the process would. Any thread may call them. They may
// block, so they belong in csp_block's work. If they fail, they return -1 or
// NULL, and errno tells why. With a root there are two more errors. ELOOP: the
// path leads over a magic link (as /proc/self/fd/1 is). EAGAIN: folders were
// renamed all the time, and the kernel could not tell where ".." leads.
//
// Opens the path as open(2) does. It returns a descriptor, never 0, 1 or 2,
// closed by exec. mode gives the permissions of a new file. In a stepped
// runtime the descriptor has O_NONBLOCK, and ENXIO tells of a FIFO that nobody
// reads. So a script cannot make the host wait. In one with threads, flags
// decide. Without O_NONBLOCK the thread waits for a FIFO.
int csp_open_path(Csp *csp, const char *path, int flags, unsigned mode);
// Where a path's last name stands, for functions that act on names (unlinkat,
// mkdirat, renameat, fstatat with AT_SYMLINK_NOFOLLOW). They must not follow
// the name, because a link may lead out of the root.
typedef struct CspPlace {
  int folder;        // an O_PATH descriptor, or AT_FDCWD
  const char *name;  // in it; "." where the path ends with "/", "." or ".." of
                     // a root. Without a root it is the path itself
  char *own;         // the runtime's
} CspPlace;
// Returns 0, and then csp_place_end has to follow. path must outlive the place.
int csp_find_path(Csp *csp, const char *path, CspPlace *place);
void csp_place_end(CspPlace *place);  // keeps errno
// The path without links, "." and "..", as scripts see it, malloced.
char *csp_real_path(Csp *csp, const char *path);
// The working folder, malloced. Without a root it is the process's, and so is
// what csp_change_folder changes.
char *csp_working_folder(Csp *csp);
int csp_change_folder(Csp *csp, const char *path);  // 0
bool csp_has_root(Csp *csp);

// --- Output -----------------------------------------------------------------
// Buffers standard output. It is flushed when the runtime goes idle, at its
// end, and at each newline on a terminal. Natives only; csp_flush_out may wait
// for whoever reads it, so it belongs in csp_block's work.
void csp_write_out(CspCall *call, const char *data, size_t len);
void csp_flush_out(Csp *csp);
// The same for standard error (or write_err), but at once. The second may wait
// for whoever reads it, so it belongs in csp_block's work.
void csp_write_err(CspCall *call, const char *data, size_t len);
void csp_flush_err(Csp *csp, const char *data, size_t len);
// Reports a failure that no script can handle any more. It writes text to
// standard error (or write_err) at once. A csp_run that would give status 0
// gives 1. Any thread. A CspClass's finalize may call it, too.
void csp_report(Csp *csp, const char *text, size_t len);
// end is called once when a csp_run is over, by its thread, before it gives its
// status. It writes what is still buffered. No goroutine runs then, but threads
// may still be in blocking calls. Call csp_at_end before csp_run. false: out of
// memory.
bool csp_at_end(Csp *csp, void (*end)(Csp *csp));
// The command line (CspConfig.argc and argv): the script's arguments.
int csp_args(CspCall *call, char ***argv);
// Whether the runtime is stepped (CspConfig.stepped). Any thread.
bool csp_is_stepped(const Csp *csp);
// Whether CspConfig.allowed has all of these bits. Any thread.
bool csp_allows(const Csp *csp, uint32_t bits);
// The runtime's clocks, in ns: since 1970, and one that never goes back.
int64_t csp_wall_clock(CspCall *call);
int64_t csp_monotonic(CspCall *call);
// Random 64 bits from the runtime's seeded generator.
uint64_t csp_random(CspCall *call);
// Ends the program with this status, now. Deferred calls do not run.
CspStatus csp_exit(CspCall *call, int status);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
