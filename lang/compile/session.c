// SPDX-License-Identifier: MIT
// Inputs that are compiled one after the other, each seeing the top-level
// names of those before it (the REPL).
//
// All inputs share one module; their top-level names are its members. What is
// declared again is assigned to the old name's cell, so that functions that
// were compiled before see it, too: for the same reason top-level functions
// and structs are read from their cells, but by themselves, and constants are
// not folded. `is` and methods' receivers mean the struct of that moment;
// instances keep theirs.
//
// The value of an input is that of its last statement, if it is an expression:
// it is returned. Where that is `f()?`, all that f() returns is, and whoever
// runs it looks at the error (SessionInput.checked).
//
// By the M that owns local's P, in a native: no safepoint comes meanwhile.
#include "lang/compile/session.h"

#include <stdlib.h>
#include <string.h>

#include "lang/compile/compile.h"
#include "lang/compile/loader.h"
#include "lang/parse/parse.h"
#include "vm/heap/local.h"
#include "vm/native/builtin_modules.h"
#include "vm/object/map.h"
#include "vm/object/string.h"
#include "vm/object/value_text.h"
#include "vm/runtime/paths.h"

bool session_begin(Session *session, struct Vm *vm) {
  session->vm = vm;
  session->module = module_new(vm, "repl");
  if (session->module == NULL) return false;
  ObjString *name = vm_intern(vm, "_", 1);
  ObjCell *last = name != NULL ? module_cell(vm, session->module, name) : NULL;
  if (last == NULL) return false;
  last->value = VALUE_NIL;
  last->obj.flags = CELL_CONST;
  return heap_pin(vm->heap, value_from_obj(session->module)) != 0;
}

// Where the statement with that first token begins: the brackets around it
// belong to it.
static size_t text_start(const SessionInput *input, size_t at) {
  size_t start = at;
  for (; at > 0 && memchr(" \t\r\n(", input->text[at - 1], 5) != NULL; at--)
    if (input->text[at - 1] == '(') start = at - 1;
  return start;
}

// The statement that gives the input's value becomes a return.
void session_result(SessionInput *input, Node *stmts) {
  RT_ASSERT(!input->checked && !input->bare);
  Node *last = stmts;
  while (last != NULL && last->next != NULL) last = last->next;
  if (input->file || last == NULL || last->kind != NODE_EXPR) return;
  const Node *value = last->a;
  if (value == NULL || value->kind == NODE_GO) return;
  if (value->kind == NODE_PROPAGATE) {
    if (value->a == NULL || value->a->kind != NODE_CALL) return;
    input->checked = true;
    input->line = value->pos.line;
    input->col = value->pos.col;
    last->a = value->a;
  }
  bool calls = value->kind == NODE_PROPAGATE || value->kind == NODE_CALL ||
               value->kind == NODE_RECV;
  input->bare |= !calls && last == stmts;
  input->shows = !calls && last != stmts;
  input->start = text_start(input, last->pos.offset);
  last->kind = NODE_RETURN;
  last->flags |= NOTE_RESULT;
}

void session_names(Compiler *compiler) {
  Text text = {.memory = compiler->vm->memory};
  for (const Symbol *symbol = compiler->global_list; symbol != NULL;
       symbol = symbol->next)
    text_addf(&text, "%s ", symbol->name->text);
  for (const Func *func = compiler->funcs; func != NULL; func = func->next)
    if (func->method != NULL) text_addf(&text, "%s ", func->name->text);
  text_add(&text, "", 1);
  RT_ASSERT(compiler->session->names == NULL);
  compiler->session->names = text.data;
  if (text.failed) compiler->no_memory = true;
}

// Takes out the members that came after the first `before`: cells that code
// wanted which nobody will run.
static void forget_members(Session *session, Local *local, size_t before) {
  ObjMap *members = session->module->members;
  for (size_t n = map_len(members); n > before; n--) {
    uint64_t at = 0;
    Value key, cell;
    bool found;
    const ObjTable *table = heap_load(&members->table);
    for (size_t i = 0; i <= before; i++)
      if (!map_next(session->vm, members, table, &at, &key, &cell)) return;
    map_delete(local, members, key, &found);
  }
}

struct ObjClosure *session_compile(Session *session, struct Local *local,
                                   SessionInput *input) {
  Vm *vm = session->vm;
  Local *boot = vm->boot;
  Loader loader;
  char *canonical = vm_real_path(vm, input->path);
  Loading loading = {.path = canonical != NULL ? canonical : input->path,
                     .shown = input->path};
  Unit unit = {
      .source = {.path = input->path, .text = input->text, .len = input->len},
      .module = session->module,
      .interactive = true,
      .session = input};
  unit.source.map_first =
      !input->file && lang_begins_with_map(input->text, input->len);
  unit.source.value_last = !input->file;
  size_t members = map_len(session->module->members);
  loader_begin(&loader, vm, &loading);
  vm->boot = local;  // nobody else uses it while the runtime runs
  ObjClosure *main = compile_unit(&loader, &unit);
  RT_ASSERT(vm->boot == local && loader.chain == &loading);
  vm->boot = boot;
  if (loader.errors || loader.no_memory) main = NULL;
  if (main == NULL || input->dry) forget_members(session, local, members);
  input->messages = loader_text(&loader);
  loader_free(&loader);
  mem_free(canonical);
  return main;
}

void session_input_free(SessionInput *input) {
  mem_free(input->messages);
  mem_free(input->names);
  input->messages = input->names = NULL;
}
