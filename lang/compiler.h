// SPDX-License-Identifier: MIT
// Inside the compiler only: from syntax tree to bytecode.
//
// A file is compiled in two passes. resolve*.c walks the tree once, binds each
// name to a Symbol (Node.note), finds out what closures capture, folds
// constants, and reports all errors that it finds. Only when there are none
// the second pass generates code: expr.c, condition.c, calls.c (expressions),
// assign.c, stmt.c, assert.c, loop.c, branch.c (statements), func.c (functions
// and structs) on top of emit.c (instructions, constants, registers, jumps).
// loader.c finds imported modules and compiles them first; compile.c strings
// all that together.
//
// Registers: a function's variables lie from 0 up, temporaries above them.
// `top` is the first free one. What an expression needs while it is computed
// lies at top and above, so that a value whose target is `top` itself comes
// into being where it is wanted.
#ifndef CSP_LANG_COMPILER_H
#define CSP_LANG_COMPILER_H

#include "lang/lang.h"
#include "sched/rt.h"
#include "vm/code/code.h"
#include "vm/heap/local.h"
#include "vm/object/format.h"

typedef struct Symbol Symbol;
typedef struct Func Func;
typedef struct Compiler Compiler;

// --- table.c: a hash table from words to words ------------------------------
typedef struct Table {
  uint64_t *slots;  // pairs
  uint8_t *taken;
  uint32_t count, cap;
} Table;
bool table_get(const Table *table, uint64_t key, uint64_t *value);
// false: no memory.
bool table_set(const Memory *memory, Table *table, uint64_t key,
               uint64_t value);
void table_free(Table *table);
// At most half full, and each key is where it is looked for.
bool lang_table_is_valid(const Table *table);

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
  bool captured;  // LOCAL: by a function inside its owner; GLOBAL: used by
                  // functions, or before its declaration
  bool declared;  // GLOBAL: its statement was resolved
  bool assigned;  // LOCAL: again, after its declaration
  bool used;      // read somewhere
  bool parameter;
  bool predeclared;
  const AstStr *name;
  Pos pos;
  const Node *decl;  // the statement that declares it
  Func *owner;       // LOCAL
  int reg;           // LOCAL, while code is generated
  Node *node;        // LITERAL, GLOBAL that is known: the literal; STRUCT of
                     // this file: its node
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
};

// --- Functions --------------------------------------------------------------
enum { RESULTS_NONE = -1, RESULTS_VARY = 255, UPVALUES_MAX = 255 };

// What `break` and `continue` leave, while resolving.
typedef struct Target Target;
struct Target {
  Target *up;
  const AstStr *label;
  bool loop;
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

// While it is resolved.
typedef struct FuncResolve {
  Pos result_pos, other_pos;  // two returns that do not agree
  int result_count, other_count;
  Node *try_node;  // the first `?`
  Target *target;
} FuncResolve;

// While its code is generated.
typedef struct FuncGenerate {
  Instr *code;
  uint32_t ncode, code_cap;
  LineInfo *lines;
  uint32_t nlines, lines_cap;
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
  uint32_t last;         // where the newest instruction begins
  uint32_t last_target;  // the highest place that a jump leads to
  bool too_complex;      // reported
  Exit *exit;
} FuncGenerate;

struct Func {
  Func *parent;
  Func *next;  // of the functions at the top level, to be generated
  Node *node;  // FUNC; STRUCT: the constructor; NULL: the file itself
  const AstStr *name;
  Symbol *self;       // the top-level function's name; or the method's struct
  ObjString *method;  // of a method: its name
  const int8_t *receiver;  // ... of built-in types: ObjTypes, -1 at the end
  Proto *proto;
  bool constructor;
  bool has_defer;
  int results;  // RESULTS_NONE, RESULTS_VARY or the number
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
  // loader_import: the module of an import; NULL: reported, or no memory.
  ObjModule *(*import)(Compiler *c, Node *import);
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
  Table outer;    // the same of what lies around: members, predeclared
  Table inner;    // the innermost of each name in c->scope and around it, or 0
  Table methods;  // full names of methods, as "Point.len", that were declared
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
#define WARN(c, ...)                                       \
  do {                                                     \
    if ((c)->warnings) diag_warn((c)->diags, __VA_ARGS__); \
  } while (0)

// --- scope.c: declaring and finding names -----------------------------------
static inline uint32_t name_length(const AstStr *name) {
  return (uint32_t)name->len;
}
bool name_is(const AstStr *name, const char *text);
bool name_is_blank(const Node *name);
ObjString *name_string(Compiler *c, const AstStr *name);  // interned in the Vm
Symbol *symbol_new(Compiler *c, SymbolKind kind, const AstStr *name, Pos pos);
void scope_push(Compiler *c, Scope *scope);
void scope_pop(Compiler *c);           // warns of names that were not used
bool scope_at_top(const Compiler *c);  // at the top level of the file
// The symbols of the innermost scope belong to it, and `inner` finds them.
bool scope_is_valid(const Compiler *c);
// In the innermost scope alone; NULL: not there.
Symbol *scope_here(const Compiler *c, const AstStr *name);
// Declares; an error if the scope has that name already.
Symbol *scope_declare(Compiler *c, SymbolKind kind, const AstStr *name,
                      Pos pos);
// Innermost first, then the file's, the module's, the predeclared names. Notes
// captures. NULL: nowhere.
Symbol *scope_find(Compiler *c, const AstStr *name, Pos pos);
// The symbol to read a top-level function or struct of a session by: what is
// in its cell then.
Symbol *scope_late(Compiler *c, Symbol *symbol);
// Reports that a name (to be assigned, or read) is unknown, and what was
// probably meant.
void scope_unknown(Compiler *c, const AstStr *name, Pos pos, bool assigned);
// A type's name after `is` or a method's receiver is unknown.
void scope_unknown_type(Compiler *c, const AstStr *name, Pos pos);
// The types that `is` knows: NULL for others.
const char *scope_type_name(const AstStr *name);

// --- member.c: names in modules ---------------------------------------------
// What a value that never changes makes of its name.
SymbolKind member_kind(Value v);
// The symbol for a cell of a module.
Symbol *member_symbol(Compiler *c, const AstStr *name, ObjCell *cell);
// name of that module; unknown and private ones are reported.
Symbol *member_find(Compiler *c, Symbol *module, const AstStr *name, Pos pos);
ObjCell *member_cell(Compiler *c, const ObjModule *module, const AstStr *name);
// Marks all members that are set as known for ever (native modules).
void member_mark_known(Vm *vm, ObjModule *module);
// Calls fn with the names of all members, private ones too if wanted.
void member_each(const Compiler *c, const ObjModule *module, bool private,
                 void (*fn)(void *arg, const char *name), void *arg);

// --- declare.c: the top-level names of a file -------------------------------
void declare_file(Compiler *c, Node *stmts);

// --- resolve.c: statements; true: control never gets past it ----------------
bool resolve_stmts(Compiler *c, Node *stmts);
bool resolve_block(Compiler *c, Node *block);  // in a scope of its own
void resolve_file(Compiler *c, Node *stmts);

// --- resolve_expr.c ---------------------------------------------------------
void resolve_expr(Compiler *c, Node *node);  // NULL is fine
void resolve_list(Compiler *c, Node *list);
void resolve_target(Compiler *c, Node *node);  // left of an assignment

// --- resolve_func.c: functions, methods, structs ----------------------------
Func *func_new(Compiler *c, Node *node, const AstStr *name);
void resolve_func(Compiler *c, Node *node, Func *func);
void resolve_func_literal(Compiler *c, Node *node);
void resolve_method(Compiler *c, Node *decl);
void resolve_struct(Compiler *c, Node *node, Symbol *symbol);
void resolve_return(Compiler *c, Node *node);

// --- fold.c: constants ------------------------------------------------------
// Replaces an operation on literals by its result, where that cannot fail.
void fold(Compiler *c, Node *node);
bool fold_is_literal(const Node *node);
void fold_to_literal(Node *node, const Node *literal);  // becomes the same

// --- emit.c -----------------------------------------------------------------
enum { NO_JUMP = -1 };

int emit(Compiler *c, Pos pos, Instr instr);
int emit_abc(Compiler *c, Pos pos, Op op, int a, int b, int d);
int emit_abx(Compiler *c, Pos pos, Op op, int a, int bx);
// A further word, with a place of its own for what goes wrong there.
void emit_extra(Compiler *c, Pos pos, Instr word);
int emit_word(Compiler *c, Instr word);
// The operands of the operation in the word `at`, whose place is the newest,
// stand the other way round in the source.
void emit_turned(Compiler *c, uint32_t at);
// Index of a constant; 0 after an error.
int emit_constant(Compiler *c, Value v);
int emit_name(Compiler *c, const AstStr *name);
int emit_cell(Compiler *c, const Symbol *symbol);  // its name comes next
void emit_load(Compiler *c, Pos pos, int target, Value v);
// Jumps forward. A list is the newest jump's word, chained through offsets.
void emit_jump(Compiler *c, Pos pos, int *list);                 // JMP
void emit_branch(Compiler *c, Pos pos, Instr instr, int *list);  // with a word
void emit_patch(Compiler *c, int list);  // all lead here
// Jumps backward to `to`.
void emit_loop(Compiler *c, Pos pos, uint32_t to);
void emit_branch_back(Compiler *c, Pos pos, Instr instr, uint32_t to);
uint32_t emit_here(Compiler *c);         // as the target of a jump backward
bool emit_reachable(const Compiler *c);  // can control come here?

// Registers.
int reg_take(Compiler *c, int count);   // the first of them
void reg_set(Compiler *c, int top);     // top, and counts what was needed
void reg_need(Compiler *c, int count);  // that many from 0 are used
void func_too_complex(Compiler *c, const char *why);

// --- balance.c: what holds while code is generated --------------------------
// Nobody will run the function: memory is out, or it is too complex.
bool code_is_lost(const Compiler *c);
// Code is made for a name that is unknown only if a module did not compile.
bool symbol_may_be_used(const Compiler *c, const Symbol *symbol);
// Between two statements: only variables take registers.
bool registers_are_balanced(const Func *f);
// The list has words of the function, the newest first, that wait for targets.
bool jumps_are_waiting(const Func *f, int list);
// Each place begins at a later instruction than the one before.
bool lines_are_sorted(const Func *f);
bool operands_fit(int a, int b, int d);  // one byte each, b and d signed
bool constant_is_there(const Compiler *c, int index, Value v);
// A function that is done: all its loops and groups have ended, and its proto
// passes the verifier.
bool func_is_complete(const Compiler *c, const Func *f);

// --- expr.c -----------------------------------------------------------------
// The value into a register: a variable's, top, or top - 1. top stays.
void expr_to(Compiler *c, Node *node, int target);
// The value in some register: its variable's own, or top, which is taken.
int expr_any(Compiler *c, Node *node);
int expr_next(Compiler *c, Node *node);  // into top, which is taken
void expr_discard(Compiler *c, Node *node);
// `count` values into registers from top, which are taken.
int expr_many(Compiler *c, Node *node, int count);
// What a NAME, or a FIELD of a module, is; NULL: neither.
Symbol *expr_symbol(const Node *node);
// The register of a variable that lives in one, or -1.
int expr_register(const Compiler *c, const Node *node);
bool expr_constant(Compiler *c, const Node *node, Value *v);
void expr_read(Compiler *c, Pos pos, Symbol *symbol, int target);
void expr_store(Compiler *c, Pos pos, Symbol *symbol, int from);
// R[target] = R[left] op right.
void expr_arith(Compiler *c, Pos pos, AstOp op, int target, int left,
                Node *right);
// Whether `right` is a literal that the instruction's last byte holds.
bool expr_fits_small(AstOp op, const Node *right);
// A number among the first 256 constants, or -1.
int expr_number(Compiler *c, const Node *right);

// --- pairs.c: two operations in one instruction -----------------------------
// Emits node into target, or left op right, if there is one for it and the
// operation in one of its operands.
bool pair_to(Compiler *c, Node *node, int target);
bool pair_with(Compiler *c, Pos pos, AstOp op, int target, int left,
               Node *right);

// --- condition.c ------------------------------------------------------------
// Jumps (forward, through the list) if the truth of node is `sense`.
void condition_jump(Compiler *c, Node *node, bool sense, int *list);
// The same backward.
void condition_back(Compiler *c, Node *node, bool sense, uint32_t to);
// Jumps if R[subject] == node is `sense`.
void condition_equal(Compiler *c, Pos pos, int subject, Node *node, bool sense,
                     int *list);
// The bool that a comparison, or && and || of them, gives.
void condition_value(Compiler *c, Node *node, int target);
bool condition_is(const Node *node);         // gives a bool by jumps
bool condition_is_simple(const Node *node);  // may be generated twice

// --- calls.c ----------------------------------------------------------------
enum CallHow { CALL_PLAIN, CALL_GO, CALL_GO_TASK, CALL_DEFER };

// The window to call at so that the result comes to target, if possible.
int calls_window(const Compiler *c, int target);
void calls_at(Compiler *c, Node *call, int window, int want, enum CallHow how);
// a? at that window: `want` values without the error.
void calls_try(Compiler *c, Node *node, int window, int want);
void calls_return(Compiler *c, Pos pos, int from, int count);
void calls_return_multi(Compiler *c, Pos pos, int window);
void calls_return_all(Compiler *c, Pos pos, Node *call);  // return g()

// --- assign.c: :=, var, const, =, op=, ++ -----------------------------------
void assign_define(Compiler *c, Node *node);
void assign_stmt(Compiler *c, Node *node);
void assign_incdec(Compiler *c, Node *node);
// Values lie from register `from` up, which is top - count: new names take
// registers from there, old ones are stored.
void assign_names(Compiler *c, Node *names, int from);
// The variable in register reg becomes visible, in a cell if it needs one.
void assign_bind(Compiler *c, Pos pos, Symbol *symbol, int reg);
void assign_targets(Compiler *c, Node *targets, int from);

// --- stmt.c -----------------------------------------------------------------
void stmt_list(Compiler *c, Node *stmts);
void stmt_block(Compiler *c, Node *block);  // with its registers given back
void stmt(Compiler *c, Node *node);

// --- assert.c ---------------------------------------------------------------
// The call as a statement, if it is an assert whose failure shows two values.
bool assert_stmt(Compiler *c, Node *call);

// --- loop.c, branch.c -------------------------------------------------------
void exit_push(Compiler *c, Exit *exit, const AstStr *label, bool loop);
void exit_pop(Compiler *c);  // breaks lead here
void loop_for(Compiler *c, Node *node, const AstStr *label);
void loop_for_in(Compiler *c, Node *node, const AstStr *label);
void branch_if(Compiler *c, Node *node);
void branch_switch(Compiler *c, Node *node, const AstStr *label);
void branch_select(Compiler *c, Node *node, const AstStr *label);
void branch_group(Compiler *c, Node *node);
// Ends the groups that lie around here within `outer` (NULL: the function).
void branch_leave_groups(Compiler *c, Pos pos, const Exit *outer);
bool branch_in_group(const Compiler *c);

// --- func.c -----------------------------------------------------------------
// Makes the proto and what callers may know of it before there is code.
void func_declare(Compiler *c, Func *func);
// The same for one that captures nothing: its closure; nil: out of memory.
Value func_known(Compiler *c, Func *func);
void func_generate(Compiler *c, Func *func);
void func_generate_file(Compiler *c, Func *func, Node *stmts);
Proto *func_proto(const Symbol *symbol);  // of a known function or struct
void func_closure(Compiler *c, Node *node, int target);  // of a FUNC
void func_local(Compiler *c, Node *decl);                // func f() in a block
int func_upvalue(Compiler *c, Func *func, Symbol *symbol);
// The struct type of a STRUCT: its object; NULL: out of memory.
ObjStruct *struct_new(Compiler *c, Node *node);
void struct_local(Compiler *c, Node *node);
// In place of one of the first `before` methods, if that has the name. false:
// out of memory.
bool struct_add_method(Vm *vm, ObjStruct *type, uint32_t before,
                       ObjString *name, Value function);

// --- loader.c ---------------------------------------------------------------
// The module that an IMPORT names, compiled; NULL after an error.
ObjModule *loader_import(Compiler *c, Node *import);
void loader_free(Loader *loader);
// Whether that file is being compiled.
bool chain_has(const Loading *chain, const char *path);

// --- outline.c --------------------------------------------------------------
// A resolved script's statements, with calls around them, resolved too:
//   _test_began()
//   ...
//   _test_ended(name())?
// An error where there is no such function.
Node *outline_add_test(Compiler *c, Node *stmts, const char *name);

// --- compile.c --------------------------------------------------------------
typedef struct Unit {
  const char *test;  // CompileInput's
  Source source;
  ObjModule *module;
  bool privileged, interactive, warnings;
  bool script;            // nobody imports it
  SessionInput *session;  // NULL: a file
} Unit;
// One file to the closure of its top level; NULL: errors are in the loader.
ObjClosure *compile_unit(Loader *loader, const Unit *unit);
// For the file `first`, and what it imports.
void loader_begin(Loader *loader, Vm *vm, Loading *first);
// The messages as malloced text, or NULL when there are none.
char *loader_text(Loader *loader);
// Memory or time has run out: what is generated now nobody will run.
static inline bool compile_gives_up(Compiler *c) {
  if (arena_failed(c->arena)) c->no_memory = true;
  return c->no_memory;
}

// --- session.c --------------------------------------------------------------
void session_result(SessionInput *input, Node *stmts);
void session_names(Compiler *c);

#endif
