// SPDX-License-Identifier: MIT
// Inside the compiler only. These are the types that all files of both passes
// share, from syntax tree to bytecode. What a file declares is in the header
// beside it.
//
// A file is compiled in two passes. resolve*.c walks the tree once, binds each
// name to a Symbol (Node.note), finds out what closures capture, folds
// constants, and reports all errors that it finds. Only when there are none the
// second pass generates code: expr.c, condition.c, calls.c (expressions),
// assign.c, stmt.c, assert.c, loop.c, branch.c (statements), func.c (functions
// and structs) on top of emit.c (instructions, constants, registers, jumps).
// loader.c finds imported modules and compiles them first, and compile.c
// runs all that in order. check/ warns between the passes.
//
// Registers: a function's variables lie from 0 up, temporaries above them.
// `top` is the first free one. What an expression needs while it is computed
// lies at top and above, so that a value whose target is `top` itself comes
// into being where it is wanted.
#ifndef CSP_LANG_COMPILER_H
#define CSP_LANG_COMPILER_H

#include "lang/arena.h"
#include "lang/ast.h"
#include "lang/diag.h"
#include "lang/session_input.h"
#include "lang/table.h"
#include "sched/rt.h"
#include "vm/code/opcodes.h"
#include "vm/heap/local.h"
#include "vm/object/value_text.h"

typedef struct Symbol Symbol;
typedef struct Func Func;
typedef struct Compiler Compiler;

// --- Names ------------------------------------------------------------------
typedef enum SymbolKind {
  SYM_LOCAL,    // in a register, or in a cell that a register holds
  SYM_LITERAL,  // a local constant with a literal value: `node`
  SYM_GLOBAL,   // a variable at the top level of a file: `cell`
  SYM_FUNC,     // a function that is known now: `value` is its closure
  SYM_STRUCT,   // a struct type: `value`
  SYM_MODULE,   // `value`; nil when it could not be loaded
  SYM_VALUE,    // anything else that never changes: `value`
  SYM_UNKNOWN,  // was reported
} SymbolKind;

struct Symbol {
  SymbolKind kind;
  bool constant;
  bool captured;  // a LOCAL, by a function inside its owner; a GLOBAL that is
                  // used by functions, or before its declaration
  bool declared;  // GLOBAL: its statement was resolved
  bool assigned;  // LOCAL: again, after its declaration
  bool unsteady;  // LOCAL: a VALUE around whose statement it is declared
                  // assigns it. The expression's operands need copies of it
  bool used;      // read somewhere
  bool parameter;
  bool predeclared;
  bool escapes;    // for check/: others may change what it holds
  bool gets_keys;  // for check/: of a map, with what is no function
  bool asked;      // for check/: by a condition or an operator
  const AstStr *name;
  Pos pos;
  const Node *decl;  // the statement that declares it; in check/ the
                     // STRUCT of a receiver
  Func *owner;       // LOCAL
  int values;        // LOCAL: of its owner, how many VALUEs it is declared in
  int reg;           // LOCAL, while code is generated
  uint32_t bound_at, ended_at;  // LOCAL: where it has that register (naming.c)
  Symbol *bound_next, *open_next;
  Node *node;  // the literal, of a LITERAL or a GLOBAL that is known; the
               // node of a STRUCT of this file
  Value value;
  ObjCell *cell;
  Symbol *next;               // in its scope
  const struct Scope *scope;  // NULL: of the file, or around it
  Symbol *hides;              // the one of that name further out, in a function
  // STRUCT that gets methods: how many it had before, if `extended`
  uint32_t methods_before;
  bool extended;
};

// What is captured and changes lives in a cell; closures copy all else.
static inline bool symbol_in_cell(const Symbol *symbol) {
  return symbol->captured && symbol->assigned;
}

// Flags of ObjCells that hold top-level names, for files that are compiled
// later.
enum {
  CELL_CONST = 1,  // may not be assigned
  CELL_KNOWN = 2,  // its value is there and never changes
};

typedef struct Scope Scope;
struct Scope {
  Scope *up;
  Symbol *symbols;
};

// Flags of nodes that the compiler sets.
enum {
  NOTE_NEW = 1 << 8,     // NAME: declared by this statement
  NOTE_RESULT = 1 << 9,  // RETURN: the value of a session's input
  NOTE_ENDS = 1 << 10,   // FUNC: its end is reached
};

// --- Functions --------------------------------------------------------------
enum {
  RESULTS_NONE = -1,
  RESULTS_PASSED = NRESULTS_PASSED,  // what lone calls give, with a `?`
  RESULTS_VARY = NRESULTS_VARY,
  UPVALUES_MAX = 255,
};

// What `break` and `continue` leave, while resolving.
typedef struct Target Target;
struct Target {
  Target *up;
  const AstStr *label;
  bool loop;
  bool value;   // a switch whose value is wanted
  bool broken;  // a break leads out of it
};

// The same while generating.
typedef struct Exit Exit;
struct Exit {
  Exit *up;
  const Node *stmt;
  const AstStr *label;
  bool loop;
  bool group;  // no target: the group has to end on the way
  int breaks;  // jumps to be patched
  int continues;
};

// The last value of a return. Newest first.
typedef struct ReturnLast {
  const Node *value;
  bool alone;
  struct ReturnLast *before;
} ReturnLast;

// While it is resolved.
typedef struct FuncResolve {
  int several;  // values of the first return that has more than one; 0 means
                // none
  int other;    // those of one that does not agree; 0 means none
  Pos several_pos, other_pos;
  bool passes;  // returns what a lone call gives
  ReturnLast *last;
  const Node *bare;  // the first return without a value
  bool told;         // for check/: that its returns do not fit a call
  Node *propagate;   // the first `?`
  Target *target;
  int values;  // the VALUEs around
} FuncResolve;

// While its code is generated.
typedef struct FuncGenerate {
  Instr *code;
  uint32_t ncode, code_cap;
  LineInfo *lines;
  uint32_t nlines, lines_cap;
  // The variables that have a register of their own, or had one.
  Symbol *bound, *open;  // newest first
  uint32_t names_size;   // of their names, packed (naming.c)
  Value *constants;
  uint32_t nconstants, constants_cap;
  Table constant_index;
  Table cell_index;
  Symbol **upvalue_symbols;  // UPVALUES_MAX, or NULL while there are none
  UpvalueFrom *upvalues;
  int nupvalues;
  int top;               // first free register
  int active;            // first register above the variables
  int max;               // registers needed
  int give;              // where the statement's value comes to (GIVE)
  uint32_t last;         // where the newest instruction begins
  uint32_t last_target;  // the highest place that a jump leads to
  bool too_complex;      // reported
  Exit *exit;
} FuncGenerate;

struct Func {
  Func *parent;
  Func *next;  // of the functions at the top level, to be generated
  Node *node;  // a FUNC, or the STRUCT of a constructor; NULL means the file
               // itself
  const AstStr *name;
  Symbol *self;       // the top-level function's name; or the method's struct
  ObjString *method;  // of a method: its name
  const int8_t *receiver;  // ... of built-in types: ObjTypes, -1 at the end
  Proto *proto;
  bool constructor;
  bool has_defer;
  int results;  // RESULTS_..., or the number
  FuncResolve resolve;
  FuncGenerate gen;
};

// --- One compilation --------------------------------------------------------
typedef struct Loading Loading;
struct Loading {  // files that are being compiled, innermost first
  Loading *up;
  const char *path;  // canonical
  const char *shown;
};

typedef struct Loader {
  Vm *vm;
  Text messages;  // of files that are done
  Loading *chain;
  Allowance allowance;
  Table failed;  // canonical paths of files with errors
  bool no_memory;
  bool errors;
} Loader;

struct Compiler {
  Vm *vm;
  Local *local;
  Loader *loader;
  // loader_import: the module of an import. NULL: reported, or no memory.
  ObjModule *(*import)(Compiler *compiler, Node *import);
  Arena *arena;
  Diags *diags;
  const Source *source;
  ObjModule *module;
  ObjString *path;  // interned
  bool privileged;
  bool script;       // nobody imports the file
  bool interactive;  // the module was there before: imports become members
  bool partial;      // there were syntax errors: names may be missing
  bool warnings;
  bool no_memory;
  SessionInput *session;  // NULL: a file
  Table globals;          // const AstStr * -> Symbol *, of the file's top level
  Symbol *global_list;
  Table outer;  // the same of what lies around: members, predeclared
  Table inner;  // the innermost of each name in compiler->scope and around it,
                // or 0
  Table methods;  // full names of methods, as "Point.len", to their FUNCDECLs
  Scope *scope;   // innermost; NULL at the top level of the file
  Func *func;     // that is being resolved or generated
  Func *main;
  Func *funcs;  // at the top level, methods, constructors
  Func **funcs_end;
};

static inline int count_nodes(const Node *list) {
  int count = 0;
  for (const Node *node = list; node != NULL; node = node->next) count++;
  return count;
}

// A warning, if they are asked for.
#define WARN(compiler, ...)                                              \
  do {                                                                   \
    if ((compiler)->warnings) diag_warn((compiler)->diags, __VA_ARGS__); \
  } while (0)

// Memory or time has run out: what is generated now nobody will run.
static inline bool compile_gives_up(Compiler *compiler) {
  if (arena_failed(compiler->arena)) compiler->no_memory = true;
  return compiler->no_memory;
}

#endif
