// SPDX-License-Identifier: MIT
// What the files of vm/ (and lang/, which compiles into it) show each other.
#ifndef CSP_VM_VM_H
#define CSP_VM_VM_H

#include <stdarg.h>

#include "vm/heap/heap.h"
#include "vm/value/goroutine.h"
#include "vm/value/ranks.h"
#include "vm/value/utf8.h"

struct CompileInput;
struct CspLoad;
struct NativeModule;
struct VmHooks;

// Per-P data: p->local.
// What csp_call needs for each call, to be used again (api_call.c). Both are
// pinned.
enum { HOST_TASKS = 8 };
typedef struct HostTask {
  ObjTask *task;
  ObjGroup *group;  // by which the call is cancelled; or NULL
  uint32_t pin, group_pin;
} HostTask;

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
  bool overdue;     // more was charged than a look is apart
  HostTask tasks[HOST_TASKS];
  int task_count;
  uint32_t calls;  // by natives: counts to their next look (api_call.c)
  // The interpreter's, by opcode byte: here, where a register leads (interp.c).
  void (*handlers[256])(void);
};

// The methods of a built-in type; names are interned.
typedef struct MethodTable {
  uint32_t count;
  Method methods[];
} MethodTable;

// What forced collections that were in vain have to leave to the script
// (limits.c). Atomics; ns.
typedef struct Pace {
  int64_t due;   // when all that was taken has been left, too
  int64_t took;  // the last collection that was forced
  int64_t most;  // the longest since nothing was due
} Pace;

// Whether a collection may be forced at that time (rt_now); one took so long;
// it ended now, in vain.
bool pace_allows(const Pace *pace, int64_t now);
void pace_took(Pace *pace, int64_t ns);
void pace_in_vain(Pace *pace, int64_t now);

struct Vm {
  const Memory *memory;  // immutable: its door's; of all but the heap's chunks
  Sched *sched;
  const struct VmHooks *hooks;  // immutable: what the runtime does (interp.h)
  uint32_t allowed;             // immutable, CspConfig's; so are these two:
  bool child_first, stepped;
  uint32_t output_full;        // atomic: it must go out by a blocking call
  uint32_t output_failed;      // atomic: a write failed: the program ends
  RtLock waits_lock;           // guards all CspWait.desc
  struct NativeDef **natives;  // registered; freed at the end
  size_t native_count, native_cap;
  Heap *heap;
  uint64_t hash_seed;
  Local *boot;         // the Local of P 0, for work before sched_run
  Proto *protos;       // that stay; the compiler's
  CodeUnit *units;     // of what is collected (unit.c)
  CodeUnit *unit;      // what is compiled now is this one's, or NULL
  uint32_t code_kept;  // atomic: as long as it is not 0 all units stay
  Goroutine *main;
  // Interned names: an open-addressing table of ObjString*, permanent.
  ObjString **names;
  uint32_t names_count, names_cap;
  uint32_t next_struct_id;
  MethodTable *methods[OBJ_TYPE_COUNT];  // of built-in types, malloced
  ObjMap *builtins;                      // predeclared names -> value
  ObjMap *modules;                       // path -> ObjModule
  ObjString *type_names[OBJ_TYPE_COUNT];
  ObjFloat *float_zero, *float_neg_zero, *float_inf, *float_neg_inf, *float_nan;
  ObjString *empty_string;
  uint64_t stack_limit_bytes;  // 256 MB
  uint64_t frame_limit;        // 1,000,000
  uint64_t goroutine_limit;    // 0: none
  uint64_t goroutines;  // atomic; with a limit: that were started, less ended
  Pace forced;          // of collections
  int safepoint_count;  // safepoints between two looks
  uint64_t interrupt;  // atomic: id of the goroutine to be interrupted; 0: none
  // The compiler, installed by the layer above (lang_install).
  struct ObjClosure *(*compile)(Vm *vm, const struct CompileInput *input,
                                char **errors);
  struct NativeModule *native_modules;  // registered, not necessarily loaded
  struct HostMethods *host_methods;     // of host classes (api.c)
  // A panic of the main goroutine is reported after that time though members of
  // its groups have not ended: group.c.
  int64_t patience_ns;
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
  ObjModule *module;  // its members become / are its top-level names; NULL:
                      // the main script, a fresh module is made
  const char *test;   // csp_run_test's function, or NULL
} CompileInput;

// --- module.c: built-in modules ---------------------------------------------
// The module of that import path if it is built in (made on first use, with
// its native members; its CSP part is compiled into it by the importer), or
// NULL. *source: its CSP part, or NULL. *no_memory: set to true when it is
// built in, but could not be made.
ObjModule *vm_builtin_module(Vm *vm, const char *path, const char **source,
                             size_t *source_len, bool *no_memory);
// Feeds every built-in module's path (for "did you mean").
void vm_each_builtin_module(Vm *vm, void (*fn)(void *arg, const char *path),
                            void *arg);

// --- vm.c -------------------------------------------------------------------
// Asks CspConfig.load. false: there is none, or it has no such module.
bool vm_load(Vm *vm, struct CspLoad *load);
// Where files that are imported are looked for (CspConfig.path), or NULL.
const char *vm_search_path(Vm *vm);

// --- paths.c ----------------------------------------------------------------
// csp_real_path and csp_open_path of this runtime.
char *vm_real_path(Vm *vm, const char *path);
int vm_open_path(Vm *vm, const char *path, int flags);
// Whether scripts may use all of these (CSP_FILES | ...).
static inline bool vm_allows(const Vm *vm, uint32_t what) {
  return (vm->allowed & what) == what;
}

// --- module.c ---------------------------------------------------------------
ObjModule *module_new(Vm *vm, const char *name);

// --- vm.c -------------------------------------------------------------------
// Bytes that compiling a script and its imports may take now; SIZE_MAX: any
// number.
size_t vm_compile_room(Vm *vm);
// Is it to be given up, as the host's call is interrupted or its time is over?
// By the thread that compiles.
bool vm_compile_is_over(Vm *vm);

// --- module.c ---------------------------------------------------------------
// The cell of a member, made if missing (value UNDEF).
ObjCell *module_cell(Vm *vm, ObjModule *module, ObjString *name);

// --- methods.c --------------------------------------------------------------
// Adds a method to a built-in type (boot and compile time only). false: out
// of memory.
bool vm_add_method(Vm *vm, ObjType type, ObjString *name, Value function);
// The method, or VALUE_UNDEF.
Value vm_method(Vm *vm, ObjType type, const ObjString *name);

static inline Local *local_of(P *p) { return (Local *)p->local; }

// --- work.c: long work ------------------------------------------------------
// Work is counted in units of about a nanosecond, on the P (Local.debt). It
// counts for the safepoint counter (SCHEDULER row 21), whose turns are worth
// WORK_TURN each; and within an operation, every WORK_PIECE, it is looked
// whether the goroutine is to do something else. All of these: owner P.
enum { WORK_SHIFT = 5, WORK_TURN = 1 << WORK_SHIFT, WORK_PIECE = 1 << 16 };

#ifdef CSP_DEBUG
// What this thread has done since it looked last, in basic blocks that were run
// (the compiler has them counted); and the most that it was.
extern _Thread_local uint64_t work_steps, work_most;
extern _Thread_local void (*work_on_look)(void);  // for tests: at each look
void work_looked(void);
void work_forget(void);  // what the scheduler and the collector did
#else
static inline void work_looked(void) {}
static inline void work_forget(void) {}
#endif

static inline void work_charge(Local *local, uint64_t units) {
  local->debt += (int64_t)units;
}
static inline void charge_bytes(Local *local, size_t bytes) {
  work_charge(local, bytes / 8);
}
static inline void charge_steps(Local *local, size_t steps) {
  work_charge(local, (uint64_t)steps * 4);
}
// Whether the goroutine that runs is to give up what it does: it is cancelled
// or interrupted, or the run ends. Then all it does until it unwinds fails, and
// no panic is made: interp_throw has it leave, and panic when it runs again.
bool work_look(Local *local);
// As memcmp, charged; given up: 0. What is short takes less than the opcode
// that asks, and is not charged.
enum { WORK_SHORT = 256 };  // bytes
int work_compare_long(Local *local, const void *a, const void *b, size_t len);
static inline int work_compare(Local *local, const void *a, const void *b,
                               size_t len) {
  return len <= WORK_SHORT ? memcmp(a, b, len)
                           : work_compare_long(local, a, b, len);
}
// As memcpy, charged; false: given up.
bool work_copy_long(Local *local, void *to, const void *from, size_t len);
static inline bool work_copy(Local *local, void *to, const void *from,
                             size_t len) {
  enum { PIECE = 1 << 12 };
  if (len > PIECE) return work_copy_long(local, to, from, len);
  memcpy(to, from, len);
  charge_bytes(local, len);
  return true;
}
// How many of the next n turns are done between two calls of work_on.
enum { WORK_TURNS = 1024 };
static inline size_t work_turns(size_t n) {
  return n < WORK_TURNS ? n : WORK_TURNS;
}
// Charges; looks when it is time. false: given up.
static inline bool work_on(Local *local, uint64_t units) {
  work_charge(local, units);
  return __builtin_expect(local->debt < WORK_PIECE, 1) || !work_look(local);
}
// The same after a part of an operation: where there is no more to do it is
// done, whatever was charged before it.
static inline bool work_part(Local *local, uint64_t units, bool more) {
  work_charge(local, units);
  return __builtin_expect(!more || local->debt < WORK_PIECE, 1) ||
         !work_look(local);
}
// Work of unknown length (a collection, a blocking call of a stepped host): the
// next safepoint is a look that reads the clock.
static inline void charge_look(Local *local) {
  enum { PAST_ANY_LOOK = 1 << 20 };
  local->debt += PAST_ANY_LOOK;
}

// --- box.c ------------------------------------------------------------------
// NULL-safe: out of memory gives VALUE_UNDEF from these.
Value value_box_int(Local *local, int64_t i);
Value value_box_float(Local *local, double d);
static inline Value value_from_int(Local *local, int64_t i) {
  return __builtin_expect(int_fits_small(i), 1) ? value_from_small(i)
                                                : value_box_int(local, i);
}
static inline Value value_from_float(Local *local, double d) {
  Value v;
  return __builtin_expect(value_try_flo(d, &v), 1) ? v
                                                   : value_box_float(local, d);
}
static inline bool value_is_int(Value v) {
  return value_is_small(v) || value_is_type(v, OBJ_INT);
}
static inline int64_t value_int(Value v) {
  return value_is_small(v) ? value_small(v) : ((ObjInt *)value_obj(v))->value;
}
// Both for handlers: false where the slow path must decide.
static inline bool value_wide(Value v, int64_t *out) {
  if (__builtin_expect(value_is_small(v), 1)) {
    *out = value_small(v);
    return true;
  }
  if (!value_is_type(v, OBJ_INT)) return false;
  *out = ((ObjInt *)value_obj(v))->value;
  return true;
}
static inline __attribute__((always_inline)) bool value_try_int(Local *local,
                                                                int64_t i,
                                                                Value *out) {
  *out = value_from_small(i);
  if (__builtin_expect(value_small(*out) == i, 1)) return true;
  ObjInt *box = (ObjInt *)heap_try_alloc(&local->heap, sizeof *box, OBJ_INT);
  if (box == NULL) return false;
  box->value = i;
  *out = value_from_obj(box);
  return true;
}
static inline bool value_is_float(Value v) {
  return value_is_flo(v) || value_is_type(v, OBJ_FLOAT);
}
static inline double value_float(Value v) {
  return value_is_flo(v) ? value_flo(v) : ((ObjFloat *)value_obj(v))->value;
}
// For handlers: a float, boxed or not, or a small int, as a double.
static inline bool value_as_double(Value v, double *out) {
  if (value_is_float(v)) {
    *out = value_float(v);
  } else {
    *out = (double)value_small(v);
    return value_is_small(v);
  }
  return true;
}
// The word of d, which may be zero: all share its box, which is made before any
// code runs. false: d must be boxed.
static inline bool value_pack_float(const Vm *vm, double d, Value *out) {
  if (__builtin_expect(value_try_flo(d, out), 1)) return true;
  if (*out != 0) return false;  // 0.0's bits, but not -0.0's
  *out = value_from_obj(vm->float_zero);
  return true;
}
static inline bool value_is_number(Value v) {
  return value_is_int(v) || value_is_float(v);
}

// --- number.c ---------------------------------------------------------------
// Exact comparison of an int with a float: -1, 0, 1; 2 when d is NaN.
int number_compare(int64_t i, double d);

// --- string.c ---------------------------------------------------------------
// NULL: out of memory (or longer than STRING_LEN_MAX). Owner P.
#define STRING_LEN_MAX ((uint64_t)1 << 31)
// Whether its length fits into its memory, and a NUL follows. Any thread.
bool string_is_valid(const ObjString *s);
ObjString *string_new(Local *local, const char *data, size_t len);
ObjString *string_alloc(Local *local, size_t len);  // fill data[] before use
ObjString *string_format(Local *local, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
ObjString *string_concat(Local *local, ObjString *a, ObjString *b);
uint32_t string_hash(Vm *vm, ObjString *s);
bool string_equal(const ObjString *a, const ObjString *b);
// Without looking at the bytes: 1: equal, 0: not, -1: that is not known.
static inline int string_equal_known(const ObjString *a, const ObjString *b) {
  if (a == b) return 1;
  if (a->len != b->len) return 0;
  if (a->obj.flags & b->obj.flags & STRING_INTERNED) return 0;
  // relaxed, both: a hash is the same whoever computes it
  uint32_t ha = rt_load_relaxed(&a->obj.hash);
  uint32_t hb = rt_load_relaxed(&b->obj.hash);
  return ha && hb && ha != hb ? 0 : -1;
}
// The same hash as string_hash, with looks; false: given up.
bool string_hash_on(Local *local, ObjString *s);
int string_compare(const ObjString *a, const ObjString *b);
// A keyed hash (SipHash-1-3): without the seed nobody can make texts that
// collide.
uint64_t vm_hash_bytes(uint64_t seed, const char *data, size_t len);
// The permanent string of a name in code. Only while compiling or booting
// (the world's one compiler at a time, see vm.c).
ObjString *vm_intern(Vm *vm, const char *text, size_t len);

// --- list.c -----------------------------------------------------------------
// Whether len is within cap, and cap within the memory. Both at any time, by
// any thread: others may change the list meanwhile.
bool values_is_valid(const ObjValues *block);
bool list_is_valid(const ObjList *list);
ObjList *list_new(Local *local, size_t cap);      // NULL: out of memory
ObjValues *values_new(Local *local, size_t cap);  // all nil, len 0
// Its words are nil, or, in fresh memory, zeros: that of large ones is not
// touched before it is used. len 0.
ObjValues *values_new_room(Local *local, size_t cap);
bool list_push(Local *local, ObjList *list, Value v);  // false: out of memory
bool list_append(Local *local, ObjList *list, const Value *from, size_t count);
bool list_insert(Local *local, ObjList *list, size_t at, Value v);
void list_remove(Local *local, ObjList *list, size_t at, size_t count);
// A consistent view: block, and length clamped to its capacity.
static inline ObjValues *list_block(const ObjList *list) {
  return heap_load(&list->block);
}
static inline size_t values_len(const ObjValues *block) {
  // Never above cap: whoever stores it has compared with the same block's.
  // relaxed: see list.c; clamped where slots are read
  return (size_t)rt_load_relaxed(&block->len);
}

// --- channel_memory.c -------------------------------------------------------
enum { CHAN_MOST = 1 << 27 };  // values that one may hold
// NULL: out of memory.
ObjChan *channel_new(Local *local, uint32_t cap);
ObjChan *channel_new_drops(Local *local, uint32_t cap);
ObjChan *channel_new_grows(Local *local, uint32_t room, uint32_t limit);
// Its next ring, if one is wanted. false: out of memory.
bool channel_grow(Local *local, Chan *c);

// --- bytes.c ----------------------------------------------------------------
// As list_is_valid.
bool bytes_is_valid(const ObjBytes *b);
ObjBytes *bytes_new(Local *local, size_t len);  // zeroed
bool bytes_append(Local *local, ObjBytes *b, const void *from, size_t count);
static inline ObjRaw *bytes_block(const ObjBytes *b) {
  return heap_load(&b->block);
}
static inline size_t raw_len(const ObjRaw *block) {
  // relaxed: read once, and clamped
  uint64_t len = rt_load_relaxed(&block->len);
  return (size_t)(len <= block->cap ? len : block->cap);
}

// --- map.c ------------------------------------------------------------------
typedef enum MapResult {
  MAP_OK,
  MAP_NO_MEMORY,
  MAP_BAD_KEY,     // NaN or bytes
  MAP_NO_HASH,     // of a host's type with == but no hash
  MAP_CONCURRENT,  // another writer is inside
} MapResult;
const char *map_result_text(MapResult r);  // for panics
// Whether cap is one that table_new gives, all of it fits into the memory, and
// `used` into cap. (Not `live`: racing writers may leave it above.) Both at any
// time, by any thread.
bool table_is_valid(const ObjTable *table);
bool map_is_valid(const ObjMap *map);
ObjMap *map_new(Local *local, size_t cap);
// false: not there (or a key that can be in no map).
bool map_get(Vm *vm, const ObjMap *map, Value key, Value *out);
MapResult map_set(Local *local, ObjMap *map, Value key, Value v);
MapResult map_clear(Local *local, ObjMap *map);
MapResult map_delete(Local *local, ObjMap *map, Value key, bool *found);
size_t map_len(const ObjMap *map);
// A long string is going to be a key: what that takes is charged. false: given
// up.
enum { KEY_SHORT = 128 };  // bytes
__attribute__((noinline)) bool map_long_key_ready(Local *local, ObjString *key);
static inline bool map_key_ready(Local *local, Value key) {
  if (!value_is_type(key, OBJ_STRING)) return true;
  ObjString *s = (ObjString *)value_obj(key);
  return s->len <= KEY_SHORT || map_long_key_ready(local, s);
}
// Walks a snapshot: start with *at = 0 and table = the map's table at that
// time. Entries deleted since are skipped; values are current. false: end.
bool map_next(Vm *vm, const ObjMap *map, const ObjTable *table, uint64_t *at,
              Value *key, Value *value);

// --- compare.c: what == and map keys mean, and equal() ----------------------
bool value_equal(Value a, Value b);  // ==

// --- host_type.c ------------------------------------------------------------
// host_type.c: of a host's types.
bool host_equal(const ObjHost *a, const ObjHost *b);
int host_compare(const ObjHost *a, const ObjHost *b);  // as value_compare
bool host_is_key(const ObjHost *host);
bool host_hash(const ObjHost *host, uint64_t *hash);  // false: by identity

// --- compare.c --------------------------------------------------------------
// <: -1, 0, 1 for two numbers, two strings or two bytes; 2: unordered (NaN);
// 3: types that have no order.
int value_compare(Value a, Value b);
// The same, with what long strings and bytes take charged (work_on). Given up
// they are as if equal: the caller goes on until it fails.
bool value_equal_on(Local *local, Value a, Value b);
int value_compare_on(Local *local, Value a, Value b);
uint32_t value_hash(Vm *vm, Value key);  // for keys that may be in a map
// Deep; cycles are handled. *failed: NULL, or why it ended: nested deeper than
// 10,000, or memory; it charges, and may be given up.
bool value_deep_equal(Local *local, Value a, Value b, const char **failed);

// --- format.c: values as text -----------------------------------------------
typedef struct Text {    // a growing buffer
  const Memory *memory;  // of data; NULL: malloced, to be freed by free()
  char *data;
  size_t len, cap;
  size_t most;   // bytes; 0: any number
  Local *local;  // where the work is charged, and given up: failed; or NULL
  bool cuts;     // what is more than that is cut off, not refused as a whole
  bool failed;   // out of memory, or more than that: data is not complete
  bool full;     // failed: it was more than that
} Text;
void text_add(Text *text, const char *data, size_t len);
// The decimal digits of i, written in front of `end`: how many (at most 20).
enum { INT_DIGITS = 20 };
size_t format_int(int64_t i, char *end);
void text_addf(Text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_free(Text *text);

// --- host_type.c ------------------------------------------------------------
// host_type.c: adds the text of its own that a host's value has. false: none.
bool host_text(Text *text, const ObjHost *host);

// --- float.c ----------------------------------------------------------------
// The shortest decimal that reads back; buffer of 32 bytes; its length.
int format_float(double d, char *out);

// --- format.c ---------------------------------------------------------------
// As println prints it. quoted: strings in source form. Structs print as
// Name(field: value); their string() methods are NOT called: see
// value_needs_call. Containers nest; a container inside itself prints as
// [...] or {...}.
void format_value(Text *text, Vm *vm, Value v, bool quoted);
// Whether printing v would have to call a string() method somewhere inside.
// local: where the work is charged, or NULL. (Given up: false.)
bool value_needs_call(const Memory *memory, Local *local, Value v);
const char *value_type_name(Value v);  // "int", "nil", a struct's own name

#endif
