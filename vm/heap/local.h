// SPDX-License-Identifier: MIT
// What a P (Local) and a runtime (Vm) have.
#ifndef CSP_VM_HEAP_LOCAL_H
#define CSP_VM_HEAP_LOCAL_H

#include <stdarg.h>
#include "vm/heap/heap.h"
#include "vm/value/goroutine.h"
#include "vm/value/ranks.h"

struct CompileInput;
struct CspLoad;
struct NativeModule;
struct VmHooks;

// What csp_call needs for each call, to be used again (api_call.c). Both are
// pinned.
enum { HOST_TASKS = 8 };
typedef struct HostTask {
  ObjTask *task;
  ObjGroup *group;  // by which the call is cancelled; or NULL
  uint32_t pin, group_pin;
} HostTask;

// What a P has of the VM: p->local.
struct Local {
  LocalHeap heap;
  Vm *vm;
  P *p;
  Goroutine *all;   // goroutines born on this P (weak list)
  Goroutine *free;  // dead ones to reuse; dropped by each collection
  uint32_t free_count;
  int64_t balance;  // atomic: goroutines started here, less those ended here
  uint32_t grow;    // registers a call could not get (handlers.h)
  int64_t debt;     // units of work since the counter was charged (work.c)
  bool overdue;     // more work was charged than lies between two looks
  bool raced;  // the list operation that failed did not lack memory (list.c)
  bool part_done;  // the instruction that failed has another part (access.c)
  HostTask tasks[HOST_TASKS];
  int task_count;
  uint32_t calls;  // by natives: counts to their next look (api_call.c)
  // The interpreter's handlers, by opcode. They are here because a register
  // already points at Local.
  void (*handlers[256])(void);
};

// The methods of a built-in type; names are interned.
typedef struct MethodTable {
  uint32_t count;
  Method methods[];
} MethodTable;

// Memory that stays until the runtime ends (lasting.c).
typedef struct LastingBlock LastingBlock;

// What forced collections that were in vain have to leave to the script
// (limits.c). Atomics; ns.
typedef struct Pace {
  int64_t due;   // when the script has run as long as the collections took
  int64_t took;  // the last collection that was forced
  int64_t most;  // the longest since nothing was due
} Pace;

struct Vm {
  const Memory *memory;  // immutable, its door's; of all but the heap's chunks
  Sched *sched;
  const struct VmHooks *hooks;  // immutable: what the runtime does (interp.h)
  uint32_t allowed;             // immutable, CspConfig's, as are the next two
  bool child_first, stepped;
  bool natives_are_hosts;  // what is registered now: whose.h
  bool spans;              // sched_spans of it, by CSPDEBUG=workspan. Immutable
  uint32_t output_full;    // atomic: it must go out by a blocking call
  uint32_t output_failed;  // atomic: a write failed, so the program ends
  RtLock waits_lock;       // guards CspWait.desc and .ended, all
  uint64_t poll_records;   // atomic; what natives have of netpoll
  LastingBlock *lasting;   // the newest of them
  Heap *heap;
  uint64_t hash_seed;
  bool library_frames;  // immutable: traces show them, too
  Local *boot;          // the Local of P 0, for work before sched_run
  Proto *protos;        // that stay; the compiler's
  CodeUnit *units;      // of what is collected (unit.c)
  CodeUnit *unit;       // what is compiled now is this one's, or NULL
  uint32_t code_kept;   // atomic: as long as it is not 0 all units stay
  Goroutine *main;
  // Interned names: an open-addressing table of ObjString*, permanent.
  ObjString **names;
  uint32_t names_count, names_cap;
  uint32_t next_struct_id;
  MethodTable *methods[OBJ_TYPE_COUNT];  // of built-in types, of memory
  ObjMap *builtins;                      // predeclared names -> value
  ObjMap *modules;                       // path -> ObjModule
  ObjString *type_names[OBJ_TYPE_COUNT];
  ObjFloat *float_zero, *float_neg_zero, *float_inf, *float_neg_inf, *float_nan;
  ObjString *empty_string;
  uint64_t stack_limit_bytes;  // 256 MB
  uint64_t frame_limit;        // 1,000,000
  uint64_t goroutine_limit;    // 0: none
  uint64_t goroutines;  // atomic; started less ended, where there is a limit
  Pace forced;          // of collections
  int safepoint_count;  // safepoints between two looks
  uint64_t interrupt;   // atomic; id of the goroutine to be interrupted, or 0
  uint32_t
      main_leaves;  // atomic: main is about to be cancelled (cancel_main.c)
  // The compiler, installed by the layer above (lang_install).
  struct ObjClosure *(*compile)(Vm *vm, const struct CompileInput *input,
                                char **errors);
  struct NativeModule *native_modules;  // registered, not necessarily loaded
  struct HostMethods *host_methods;     // atomic; of host classes (api_host.c)
  // A panic of the main goroutine is reported after that time though members of
  // its groups have not ended: group_block.c.
  int64_t panic_wait_ns;
  struct Row *rows;  // of a test (rows.c), or NULL
  Timer late;
  struct VmCode *code;  // immutable: of the interpreter's own frames
};

// What the compiler is asked. Only one thread compiles at a time (before the
// main goroutine runs, or on it); objects come from vm->boot.
typedef struct CompileInput {
  const char *path;  // as messages show it; imports are relative to it
  const char *text;
  size_t len;
  bool privileged;    // an embedded library file: may use builtins that
                      // begin with _ and add methods to built-in types
  bool warnings;      // *errors also gets warnings
  ObjModule *module;  // its members become / are its top-level names. NULL:
                      // the main script, a fresh module is made
  const char *test;   // csp_run_test's function, or NULL
} CompileInput;

// Whether scripts may use all of these (CSP_FILES | ...).
static inline bool vm_allows(const Vm *vm, uint32_t what) {
  return (vm->allowed & what) == what;
}

static inline Local *local_of(P *p) { return (Local *)p->local; }

#endif
