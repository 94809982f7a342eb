// SPDX-License-Identifier: MIT
// The names of a function's variables, packed one after the other
// (Proto.variables): where the variable is, the name's length and the name.
//
// Only messages read them, so they are small and quick to write.
#ifndef CSP_VM_CODE_VARIABLES_H
#define CSP_VM_CODE_VARIABLES_H

#include <string.h>

#include "vm/value/proto_layout.h"

// From instruction `at` to before `end`, `place` holds the variable `name`: a
// register, or VARIABLE_UPVALUE + an upvalue.
enum { VARIABLE_UPVALUE = 256 };

typedef struct Variable {
  uint32_t at, end;
  uint16_t place;
  uint8_t len;
  const char *name;  // not ended by 0
} Variable;

// What each takes beside its name.
enum { VARIABLE_SIZE = 11 };

// Writes it, and returns where the next one goes.
static inline uint8_t *variable_write(uint8_t *to, Variable variable) {
  RT_ASSERT(variable.at <= variable.end);
  memcpy(to, &variable.at, 4);
  memcpy(to + 4, &variable.end, 4);
  memcpy(to + 8, &variable.place, 2);
  to[10] = variable.len;
  memcpy(to + VARIABLE_SIZE, variable.name, variable.len);
  return to + VARIABLE_SIZE + variable.len;
}

// The one at *next. false: there are no more.
static inline bool variable_next(const Proto *proto, uint32_t *next,
                                 Variable *out) {
  if (*next >= proto->nvariables) return false;
  const uint8_t *from = proto->variables + *next;
  memcpy(&out->at, from, 4);
  memcpy(&out->end, from + 4, 4);
  memcpy(&out->place, from + 8, 2);
  out->len = from[10];
  out->name = (const char *)from + VARIABLE_SIZE;
  *next += VARIABLE_SIZE + (uint32_t)out->len;
  RT_ASSERT(*next <= proto->nvariables);
  return true;
}

#endif
