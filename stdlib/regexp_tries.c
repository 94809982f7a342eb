// SPDX-License-Identifier: MIT
// The tries: one way after the other, as a backtracking search does, but from
// no instruction twice at one place. So it is linear in the text, as the list
// is, and quicker. A bit for each instruction and place says what was tried,
// so texts are short (tries_fit).
#include "stdlib/regexp.h"

typedef struct Tries {
  RegexpSearch *search;
  RegexpMachine *machine;
  const RegexpProgram *program;
  size_t slots, places;
  uint64_t turns;
} Tries;

static bool push_try(Tries *tries, uint32_t inst, uint32_t slot, size_t at) {
  RegexpMachine *machine = tries->machine;
  if (machine->way_count == machine->way_cap) {
    size_t cap = machine->way_cap * 2;
    if (cap > tries->search->room / sizeof(RegexpWay)) return false;
    RegexpWay *ways =
        machine_alloc(machine, machine->ways, machine->way_cap * sizeof *ways,
                      cap * sizeof *ways);
    if (ways == NULL) return false;
    machine->ways = ways;
    machine->way_cap = cap;
  }
  machine->ways[machine->way_count++] = (RegexpWay){inst, slot, at};
  return true;
}

static bool was_tried(Tries *tries, uint32_t inst, size_t at) {
  size_t bit = inst * tries->places + (at - tries->search->begin);
  uint64_t mask = (uint64_t)1 << bit % 64,
           *word = &tries->machine->seen[bit / 64];
  bool was = (*word & mask) != 0;
  *word |= mask;
  return was;
}

// One step of a way, which goes on at *inst and *at. REGEXP_MORE: it does.
static RegexpFound step_try(Tries *tries, uint32_t *at_inst, size_t *at) {
  const RegexpInst *inst = &tries->program->insts[*at_inst];
  RegexpSearch *search = tries->search;
  size_t width = 0, *slots = tries->machine->slots;
  switch ((RegexpOp)inst->op) {
    case REGEXP_MATCH:
      return *at == search->end ? REGEXP_FOUND : REGEXP_NOWHERE;
    case REGEXP_CHAR:
      if (*at >= search->end ||
          !regexp_has(
              tries->program, inst,
              regexp_class_at(tries->program, search->text, *at, &width)))
        return REGEXP_NOWHERE;
      *at += width;
      break;
    case REGEXP_SPLIT:
      if (!push_try(tries, (uint32_t)inst->arg, REGEXP_NONE, *at))
        return REGEXP_PANICKED;
      break;
    case REGEXP_SAVE:
      if (!push_try(tries, 0, (uint32_t)inst->arg, slots[inst->arg]))
        return REGEXP_PANICKED;
      slots[inst->arg] = *at;
      break;
    case REGEXP_ASSERT:
      if (!(regexp_looks_at(search->text, *at) & (uint32_t)inst->arg))
        return REGEXP_NOWHERE;
      break;
    case REGEXP_JUMP:
      break;
  }
  *at_inst = (uint32_t)inst->out;
  return REGEXP_MORE;
}

static RegexpFound try_way(Tries *tries, uint32_t inst, size_t at) {
  RegexpFound found = REGEXP_MORE;
  while (found == REGEXP_MORE) {
    if (was_tried(tries, inst, at)) return REGEXP_NOWHERE;
    tries->turns++;
    found = step_try(tries, &inst, &at);
  }
  return found;
}

static RegexpFound try_all(Tries *tries) {
  RegexpMachine *machine = tries->machine;
  RegexpFound found = REGEXP_NOWHERE;
  machine->way_count = 0;
  if (!push_try(tries, 0, REGEXP_NONE, tries->search->begin))
    return REGEXP_PANICKED;
  while (machine->way_count > 0 && found == REGEXP_NOWHERE) {
    RegexpWay way = machine->ways[--machine->way_count];
    if (way.slot != REGEXP_NONE)
      machine->slots[way.slot] = way.at;
    else
      found = try_way(tries, way.inst, way.at);
  }
  return found;
}

RegexpFound tries_groups(RegexpSearch *search) {
  RegexpMachine *machine = search->machine;
  Tries tries = {.search = search,
                 .machine = machine,
                 .program = search->program,
                 .slots = search->program->group_count * 2,
                 .places = search->end - search->begin + 1};
  size_t bits = search->program->count * tries.places;
  memset(machine->seen, 0, (bits + 63) / 64 * 8);
  for (size_t i = 0; i < tries.slots; i++) machine->slots[i] = REGEXP_NO_PLACE;
  RegexpFound found = try_all(&tries);
  machine->slots[0] = search->begin;
  machine->slots[1] = search->end;
  search->units += bits / 512 + tries.turns * 4;
  return found;
}
