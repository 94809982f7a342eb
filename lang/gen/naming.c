// SPDX-License-Identifier: MIT
// The names of a function's variables: noted while its code is generated, and
// packed when that is complete (vm/code/variables.h). Parameters are not among
// them, as the proto has their names anyway.
#include "lang/gen/naming.h"

#include "vm/code/variables.h"

static uint8_t length_of(const AstStr *name) {
  return name->len < UINT8_MAX ? (uint8_t)name->len : UINT8_MAX;
}

void naming_bind(Func *func, Symbol *symbol) {
  FuncGenerate *gen = &func->gen;
  symbol->bound_at = gen->ncode;
  symbol->ended_at = UINT32_MAX;
  symbol->bound_next = gen->bound;
  symbol->open_next = gen->open;
  gen->bound = gen->open = symbol;
  gen->names_size += VARIABLE_SIZE + length_of(symbol->name);
}

void naming_end(Func *func, int active) {
  FuncGenerate *gen = &func->gen;
  while (gen->open != NULL && gen->open->reg >= active) {
    gen->open->ended_at = gen->ncode;
    gen->open = gen->open->open_next;
  }
}

// --- Packing ----------------------------------------------------------------
static uint8_t *pack(uint8_t *to, const AstStr *name, Variable variable) {
  variable.name = name->text;
  variable.len = length_of(name);
  return variable_write(to, variable);
}

void naming_pack(Compiler *compiler, Func *func) {
  uint32_t size = func->gen.names_size;
  for (int i = 0; i < func->gen.nupvalues; i++)
    size += VARIABLE_SIZE + length_of(func->gen.upvalue_symbols[i]->name);
  if (size == 0) return;
  uint8_t *to = mem_alloc(compiler->vm->memory, size);
  if (to == NULL) {
    compiler->no_memory = true;
    return;
  }
  func->proto->variables = to;
  func->proto->nvariables = size;
  for (int i = 0; i < func->gen.nupvalues; i++)
    to = pack(to, func->gen.upvalue_symbols[i]->name,
              (Variable){.end = UINT32_MAX,
                         .place = (uint16_t)(VARIABLE_UPVALUE + i)});
  for (const Symbol *one = func->gen.bound; one != NULL; one = one->bound_next)
    to = pack(to, one->name,
              (Variable){.at = one->bound_at,
                         .end = one->ended_at,
                         .place = (uint16_t)one->reg});
  RT_ASSERT(to == func->proto->variables + size);
}
