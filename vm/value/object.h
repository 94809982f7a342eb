// SPDX-License-Identifier: MIT
// Heap objects: their layouts, and the one way to load and store values.
//
// Every object begins with Obj. Objects are safe under races: one release store
// publishes a whole object, and loads depend on the pointer. A list or map is
// one pointer to a block that carries its own length and capacity, and growing
// publishes a new block.
#ifndef CSP_VM_OBJECT_H
#define CSP_VM_OBJECT_H

#include "sched/sched.h"
#include "vm/value/value.h"

typedef struct Vm Vm;
typedef struct Local Local;        // the VM's data of one P (p->local)
typedef struct Proto Proto;        // a compiled function (proto_layout.h)
typedef struct CodeUnit CodeUnit;  // those that are collected together
typedef struct Goroutine Goroutine;

// clang-format off
// X(name, type name as programs see it, or "" for internal ones)
#define OBJ_TYPES(X)                                                        \
  X(INT, "int") X(FLOAT, "float") X(STRING, "string") X(BYTES, "bytes")     \
  X(LIST, "list") X(MAP, "map") X(RANGE, "range") X(CLOSURE, "func")        \
  X(NATIVE, "func") X(BOUND, "func") X(CHAN, "chan") X(TASK, "task")        \
  X(STRUCT, "struct") X(INSTANCE, "struct") X(ERROR, "error")               \
  X(MODULE, "module") X(HOST, "host") X(CELL, "") X(VALUES, "") X(RAW, "")  \
  X(TABLE, "") X(GOROUTINE, "") X(TIMER, "timer") X(ITER, "") X(EACH, "")   \
  X(GROUP, "group") X(CHAN_BLOCK, "") X(RING, "") X(TUPLE, "tuple")         \
  X(MUTEX, "mutex") X(SEMAPHORE, "semaphore")
// clang-format on

typedef enum ObjType {
#define X(name, text) OBJ_##name,
  OBJ_TYPES(X)
#undef X
      OBJ_TYPE_COUNT
} ObjType;

struct Obj {
  uint8_t type;   // ObjType; immutable
  uint8_t flags;  // by type
  uint16_t aux;   // by type
  uint32_t hash;  // strings, tuples: cached, atomic relaxed, 0 unknown.
                  // Hosts' values: their weight, atomic (heap_weigh)
};

// Boxed numbers.
typedef struct ObjInt {
  Obj obj;
  int64_t value;
} ObjInt;
typedef struct ObjFloat {
  Obj obj;
  double value;
} ObjFloat;

// Immutable bytes. Not interned, except names in code (flag STRING_INTERNED:
// equal interned strings of one Vm are one object). The bytes are the string's
// own, with a NUL after them, or in a block that it may share (string_tail.c).
typedef struct ObjString {
  Obj obj;
  uint32_t len;  // immutable
  int32_t at;  // atomic: where the bytes are, in words of 8 from the object on
  char own[];
} ObjString;
enum {
  STRING_INTERNED = 1,
  STRING_WEAK = 2,    // and forgotten when nothing else holds it (unit.c)
  STRING_JOINED = 4,  // made by one `+`: the next one leaves room
  STRING_TAIL = 8,    // its bytes are in an ObjRaw
};
enum { STRING_OWN = 2 };  // ObjString.at of a string's own bytes

// A block of raw bytes, or of values: what bytes and lists point to. `len` is
// atomic, and a list's `cap`, too. Readers read len once and clamp it to cap.
// Slots at and above len hold nil (bytes: 0).
typedef struct ObjRaw {
  Obj obj;
  uint64_t cap;
  uint64_t len;
  uint8_t data[];
} ObjRaw;
typedef struct ObjValues {
  Obj obj;
  uint64_t cap;
  uint64_t len;
  Value slots[];
} ObjValues;
// The block of a list that is used as a queue (value_ring.c).
typedef struct ObjRing {
  Obj obj;
  uint64_t no_cap, no_len;  // 0: where ObjValues has cap and len
  uint64_t mask;            // slots (a power of two), less 1; immutable
  uint64_t first;           // atomic: the slot of element 0, masked
  uint64_t count;           // atomic
  uint64_t reads;           // atomic: of elements since its front was used
  Value slots[];
} ObjRing;

typedef struct ObjBytes {
  Obj obj;
  ObjRaw *block;  // atomic, never NULL
} ObjBytes;
typedef struct ObjList {
  Obj obj;
  ObjValues *block;  // atomic, never NULL; or an ObjRing
} ObjList;

// Immutable, but for its cached hash. It is laid out as the block of a list,
// whose readers read it, too (list.h). cap and len are the same. aux: levels of
// tuples in it, itself included (tuple.c).
typedef struct ObjTuple {
  ObjValues values;
} ObjTuple;
enum {  // flags: what it or a tuple in it has as an element
  TUPLE_NAN = 1,
  TUPLE_BYTES = 2,
  TUPLE_NO_HASH = 4,  // a value of a host that cannot be a key
};

// A hash table whose entries are in order of insertion. A deleted entry has the
// key VALUE_TOMB, and keeps its place until a rebuild makes a new table. The
// index follows the entries. It has 2^index_bits words, each the number of an
// entry plus 1, or 0. Loops that probe it are bounded by its size. A table with
// a cap of 8 or less has no index, and is searched entry by entry.
typedef struct MapEntry {
  Value key;
  Value value;
} MapEntry;
typedef struct ObjTable {
  Obj obj;
  uint32_t cap;         // entries
  uint32_t used;        // atomic: entries in use, tombs included
  uint32_t live;        // atomic
  uint32_t index_bits;  // 0: no index
  uint32_t first;       // atomic: all entries before it are deleted
  MapEntry entries[];
} ObjTable;
typedef struct ObjMap {
  Obj obj;
  ObjTable *table;    // atomic, never NULL
  ObjTable *growing;  // atomic: the larger one that is being made, or NULL
  uint32_t writer;    // atomic: a writer is inside (found out, not waited for)
  uint32_t grower;    // atomic: a writer goes on with `growing`, alone
} ObjMap;
// A map with the flag MAP_DEFAULT.
typedef struct ObjDefaultMap {
  ObjMap map;
  Value missing;  // immutable: what reading a key that is not there gives
} ObjDefaultMap;
enum { MAP_DEFAULT = 1 };

// Immutable. from, from + step and so on, before `to` or up to it.
typedef struct ObjRange {
  Obj obj;
  int64_t from, to;
  int64_t step;  // 1, unless by() gave another one; never 0
} ObjRange;
enum { RANGE_INCLUSIVE = 1 };  // flags

// A variable captured by closures, and every top-level variable of a module
// (UNDEF until set).
typedef struct ObjCell {
  Obj obj;
  Value value;
} ObjCell;

// aux: number of upvalues.
typedef struct ObjClosure {
  Obj obj;
  Proto *proto;
  Value upvalues[];  // cells, or values of variables that never change
} ObjClosure;

typedef struct NativeDef NativeDef;  // native_def.h
typedef struct ObjNative {
  Obj obj;
  const NativeDef *def;
  void *data;  // of the module's author
} ObjNative;

typedef struct ObjBound {  // p.method
  Obj obj;
  Value receiver;
  Value function;
} ObjBound;

typedef struct ObjTimer ObjTimer;
enum {  // flags of ObjChan: what of the module sync it is a part of, for dumps
  PART_OF_RWMUTEX = 1,  // a mutex: its gate. A semaphore: its room
  PART_OF_ONCE = 2,
  PART_OF_LATCH = 3,
};
typedef struct ObjChan {  // also a mutex, a semaphore (vm/interp/lock_wait.c)
  Obj obj;
  ObjTimer *timer;  // of after and tick; NULL. Keeps it as long as the chan
  Chan chan;        // flexible: its buffer ends the object
} ObjChan;
typedef struct ObjChanBlock {  // of a channel that grows
  Obj obj;
  ChanBlock block;  // flexible: its words end the object
} ObjChanBlock;
_Static_assert(sizeof(ObjChanBlock) == CHAN_BLOCK_HEAD, "sizes of chan_grow.c");
static inline ObjChanBlock *obj_chan_block(ChanBlock *block) {
  return (ObjChanBlock *)(void *)((char *)block -
                                  offsetof(ObjChanBlock, block));
}
enum { TIMER_IS_VALUE = 1 };  // flags: timer(d) has made it, for scripts
struct ObjTimer {
  Obj obj;
  Timer timer;  // timer.arg is this object
  ObjChan *chan;
  // --- of timer(d) alone (timers.c); others end here ---
  RtLock lock;
  bool pending;  // guarded by lock, as are timer's start and stop
};

// What `go` as an expression gives: ends by closing `done`.
enum { TASK_RUNNING, TASK_RETURNED, TASK_RETURNED_ONE, TASK_PANICKED };
enum {                  // flags
  TASK_OF_HOST = 1,     // csp_call waits for it
  TASK_IS_TOLD = 2,     // of csp_go: its end is told (api_go.c)
  TASK_IS_LOST = 4,     // only its report is due (report.c)
  TASK_HAS_CALLER = 8,  // of csp_call: its goroutine is kept (collect.c)
  TASK_FILLS = 16,      // the last result comes after any number of nils
  TASK_HAS_ERROR = 32,  // that was returned
};
typedef struct ObjTask {
  Obj obj;
  uint32_t state;    // atomic; written before done is closed
  uint32_t awaited;  // atomic: somebody asked for the outcome
  Value results;     // what was returned, as ObjValues or the one value; or
                     // what was panicked with
  Value also;        // what that panic carries (drop.c): a list, or nil
  void *trace;       // the panic's Trace (goroutine.h), of Vm.memory; or NULL
  Chan done;         // cap 0
} ObjTask;

// A group block under way (group_block.c). Its goroutine's alone, but for what
// is guarded by group.lock.
typedef struct ObjGroup {
  Obj obj;
  bool left;        // a panic leaves it ...
  bool raised;      // ... which is that of `failure`
  bool valued;      // its value is wanted ...
  uint8_t value;    // ... in this register
  uint8_t told;     // its owner or a member got the panic of a cancellation
  bool failed;      // guarded by group.lock; so is what follows
  bool returned;    // `failure` is an error that a member returned
  Value failure;    // of the first member (or the body) that failed
  Value also;       // a list of what deferred calls of cancelled ones gave
  void *trace;      // of that, of Vm.memory; or NULL
  ptrdiff_t frame;  // of the frame that it stands in; as an offset
  const void *end;  // the instruction after the block
  Proto *begun_in;
  const void *begun_pc;
  uint32_t shield_at;  // Goroutine's, before the group
  Group group;
} ObjGroup;

static inline ObjGroup *obj_group(Group *group) {
  return (ObjGroup *)((char *)group - offsetof(ObjGroup, group));
}

// A struct type. Fixed when compiled; methods are added by the compiler only.
typedef struct StructField {
  ObjString *name;  // interned
} StructField;
typedef struct Method {
  ObjString *name;  // interned
  Value function;
} Method;
// Room for the methods of a type. The REPL adds methods while goroutines look
// them up, so room that is too small stays as it is for those that read it.
typedef struct MethodRoom {
  struct MethodRoom *before;  // the smaller one; NULL
  Method methods[];
} MethodRoom;
typedef struct ObjStruct {
  Obj obj;                // aux: number of fields
  uint32_t id;            // never used again; inline caches compare it
  uint32_t method_count;  // atomic: released after the room and the method
  ObjString *name;
  Proto *constructor;   // parameters are the fields, with defaults
  ObjClosure *make;     // closure of the constructor
  MethodRoom *room;     // atomic; of Vm.memory, by the compiler, or NULL
  Value string_method;  // the method `string`, or nil
  Value error_method;   // `error`, if no argument is needed, or nil
  ObjString *fields[];  // interned
} ObjStruct;
typedef struct ObjInstance {
  Obj obj;  // aux: number of fields
  ObjStruct *type;
  Value fields[];
} ObjInstance;

typedef struct ObjError {
  Obj obj;
  Value message;  // any value; a string mostly
  Value cause;    // or nil
  Value code;     // a string or an int, for programs; or nil
  Value also;     // a list of errors of deferred calls, or nil (drop.c)
  union {
    ObjRaw *places;           // where it was made, and what it passed; or NULL
                              // (places.c)
    struct ObjError *origin;  // with ERROR_COPY
  };
} ObjError;
_Static_assert(sizeof(ObjError) <= 48, "the code has a place that was free");
enum {
  ERROR_PLAIN = 1,   // it gets no places, and many may share it
  ERROR_SHARED = 2,  // the runtime's own, whose message says what its code does
  ERROR_COPY = 4,    // of a plain one, for one failure, and == to it
};

typedef struct ObjModule {
  Obj obj;
  ObjString *name;
  ObjMap *members;   // name -> ObjCell (as a value)
  ObjClosure *main;  // its top level, or NULL; a proto's `self`
  uint32_t started;  // RUNMOD was here
} ObjModule;

// Values that the standard library or a host defines.
struct CspOperations;
typedef struct HostClass {
  const char *name;              // the type's name
  void (*finalize)(void *data);  // any thread, no VM calls; NULL means none
  size_t size;
  const struct CspOperations *operations;  // or NULL
} HostClass;
typedef struct ObjHost {
  Obj obj;
  const HostClass *klass;
  _Alignas(16) char data[];
} ObjHost;

// A for loop's state over a map or string (kept in one register).
typedef struct ObjIter {
  Obj obj;
  Value source;
  ObjTable *table;  // maps: the snapshot that is walked
  uint64_t at;
} ObjIter;

struct CspCall;
struct CspValue;
// What csp_ok_each gives a for loop to walk. With the flag EACH_HOST `next` is
// a host's.
enum { EACH_HOST = 1 };
typedef struct ObjEach {
  Obj obj;
  bool (*next)(struct CspCall *call, struct CspValue of, struct CspValue with,
               int64_t *at, struct CspValue *element);  // a CspEach
  Value of, with;
} ObjEach;

static inline bool value_is_type(Value v, ObjType type) {
  return value_is_obj(v) && value_obj(v)->type == type;
}

// --- Loads and stores of values in objects ----------------------------------
// Loads a value (or pointer) that another goroutine may store. Plain on x86
// and arm64 (the address dependency orders what it points to); acquire where
// a tool must see the edge.
#if defined(__SANITIZE_THREAD__)
#define CSP_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CSP_TSAN 1
#endif
#endif
#ifdef CSP_TSAN
// acquire: pairs with the release in heap_store
#define heap_load(slot) rt_load_acquire(slot)
#else
// relaxed: the dependency (above) pairs with the release in heap_store
#define heap_load(slot) rt_load_relaxed(slot)
#endif

// The bytes of a string. Whoever makes it writes to them. A NUL follows those
// that are its own. For what else wants one there is string_settle.
static inline char *string_data(const ObjString *string) {
  return (char *)(uintptr_t)string + (intptr_t)heap_load(&string->at) * 8;
}
// Where they are, of one with STRING_TAIL.
static inline ObjRaw *string_block(const ObjString *string) {
  RT_ASSERT(string->obj.flags & STRING_TAIL);
  return (ObjRaw *)(void *)(string_data(string) - offsetof(ObjRaw, data));
}

#endif
