// SPDX-License-Identifier: MIT
// The list: all ways through the program at once, the preferred ones first
// (Pike's machine).
//
// At each place of the text a list has the instructions that ways have got to,
// each once, in the order in which a backtracking search would try them. Each
// has a row of slots: where its groups begin and end. A way that matches ends
// those after it. A step costs as much as the list is long, so a search is
// linear in the text.
#include "stdlib/regexp.h"

typedef struct Pike {
  RegexpSearch *search;
  RegexpMachine *machine;
  const RegexpProgram *program;
  size_t slots;  // of a row
  size_t at;
  uint32_t looks;  // that hold there
} Pike;

static size_t slot_count(const RegexpSearch *search) {
  return search->want == WANT_GROUPS ? search->program->group_count * 2 : 2;
}

static void clear_list(RegexpList *list, uint32_t count) {
  list->count = 0;
  if (++list->mark != 0) return;
  memset(list->marks, 0, count * sizeof *list->marks);
  list->mark = 1;
}

// Room for one more row.
static bool reserve_row(Pike *pike, int which) {
  RegexpMachine *machine = pike->machine;
  size_t need = (machine->lists[which].count + 1) * pike->slots;
  if (need <= machine->row_caps[which]) return true;
  size_t cap = need * 2;
  if (cap > pike->search->room / sizeof(size_t)) return false;
  size_t *rows = machine_alloc(machine, machine->rows[which],
                               machine->row_caps[which] * sizeof *rows,
                               cap * sizeof *rows);
  if (rows == NULL) return false;
  machine->rows[which] = rows;
  machine->row_caps[which] = cap;
  return true;
}

static bool pike_add(Pike *pike, int which, uint32_t inst) {
  RegexpMachine *machine = pike->machine;
  RegexpList *list = &machine->lists[which];
  if (!reserve_row(pike, which)) return false;
  memcpy(machine->rows[which] + list->count * pike->slots, machine->scratch,
         pike->slots * sizeof(size_t));
  list->at[list->count++] = inst;
  return true;
}

static void push_way(RegexpMachine *machine, uint32_t inst, uint32_t slot,
                     size_t at) {
  machine->ways[machine->way_count++] = (RegexpWay){inst, slot, at};
}

// Follows one way up to a character or the end. The others are left for
// follow_later.
static bool follow_way(Pike *pike, int which, uint32_t at) {
  RegexpMachine *machine = pike->machine;
  RegexpList *list = &machine->lists[which];
  while (list->marks[at] != list->mark) {
    const RegexpInst *inst = &pike->program->insts[at];
    list->marks[at] = list->mark;
    switch ((RegexpOp)inst->op) {
      case REGEXP_SPLIT:
        push_way(machine, (uint32_t)inst->arg, REGEXP_NONE, 0);
        break;
      case REGEXP_SAVE:
        if ((size_t)inst->arg >= pike->slots) break;
        push_way(machine, 0, (uint32_t)inst->arg, machine->scratch[inst->arg]);
        machine->scratch[inst->arg] = pike->at;
        break;
      case REGEXP_ASSERT:
        if (!(pike->looks & (uint32_t)inst->arg)) return true;
        break;
      case REGEXP_JUMP:
        break;
      case REGEXP_CHAR:
      case REGEXP_MATCH:
        return pike_add(pike, which, at);
    }
    at = (uint32_t)inst->out;
  }
  return true;
}

// Adds all ways from the instruction, whose slots are in scratch.
static bool add_ways(Pike *pike, int which, uint32_t inst) {
  RegexpMachine *machine = pike->machine;
  machine->way_count = 0;
  push_way(machine, inst, REGEXP_NONE, 0);
  while (machine->way_count > 0) {
    RegexpWay way = machine->ways[--machine->way_count];
    if (way.slot != REGEXP_NONE)
      machine->scratch[way.slot] = way.at;
    else if (!follow_way(pike, which, way.inst))
      return false;
  }
  return true;
}

// A new way begins here, after all others, as long as there is no match.
static bool add_start(Pike *pike) {
  RegexpSearch *search = pike->search;
  size_t *scratch = pike->machine->scratch;
  bool may = !search->program->anchored || pike->at == 0;
  if (!may || search->end != REGEXP_NO_PLACE) return true;
  for (size_t i = 0; i < pike->slots; i++) scratch[i] = REGEXP_NO_PLACE;
  scratch[0] = pike->at;
  return add_ways(pike, 0, 0);
}

static void keep_match(Pike *pike, uint32_t number) {
  RegexpMachine *machine = pike->machine;
  RegexpSearch *search = pike->search;
  memcpy(machine->slots, machine->rows[0] + number * pike->slots,
         pike->slots * sizeof(size_t));
  machine->slots[1] = pike->at;
  search->begin = machine->slots[0];
  search->end = pike->at;
}

// From the list of this place to that of the next, which becomes the first.
static bool step_list(Pike *pike, uint32_t class, size_t width) {
  RegexpMachine *machine = pike->machine;
  const RegexpProgram *program = pike->program;
  RegexpList *list = &machine->lists[0];
  size_t here = pike->at;
  clear_list(&machine->lists[1], program->count);
  uint32_t looks = regexp_looks_at(pike->search->text, here + width);
  for (uint32_t i = 0; i < list->count; i++) {
    const RegexpInst *inst = &program->insts[list->at[i]];
    if (inst->op == REGEXP_MATCH) {
      pike->at = here;
      keep_match(pike, i);
      break;
    }
    if (!regexp_has(program, inst, class)) continue;
    memcpy(machine->scratch, machine->rows[0] + i * pike->slots,
           pike->slots * sizeof(size_t));
    pike->at = here + width;
    pike->looks = looks;
    if (!add_ways(pike, 1, (uint32_t)inst->out)) return false;
  }
  pike->search->units += 4 + list->count * (8 + pike->slots / 2);
  RegexpList other = machine->lists[0];
  machine->lists[0] = machine->lists[1];
  machine->lists[1] = other;
  size_t *rows = machine->rows[0], cap = machine->row_caps[0];
  machine->rows[0] = machine->rows[1];
  machine->row_caps[0] = machine->row_caps[1];
  machine->rows[1] = rows;
  machine->row_caps[1] = cap;
  return true;
}

// The place's list is done. Whether that was the last one.
static bool was_last(const RegexpSearch *search, const RegexpList *list) {
  bool found = search->end != REGEXP_NO_PLACE;
  if (search->at == search->text.len) return true;
  if (found && search->want == WANT_MATCH) return true;
  return list->count == 0 && (found || search->program->anchored);
}

static RegexpFound pike_on(RegexpSearch *search) {
  Pike pike = {.search = search,
               .machine = search->machine,
               .program = search->program,
               .slots = slot_count(search)};
  uint64_t most = search->units + REGEXP_PIECE;
  for (bool last = false; !last;) {
    size_t width = 0;
    uint32_t class = search->program->class_count;
    pike.at = search->at;
    pike.looks = regexp_looks_at(search->text, pike.at);
    if (!add_start(&pike)) return REGEXP_PANICKED;
    if (search->at < search->text.len)
      class =
          regexp_class_at(search->program, search->text, search->at, &width);
    if (!step_list(&pike, class, width)) return REGEXP_PANICKED;
    last = was_last(search, &search->machine->lists[0]);
    search->at += width;
    if (!last && search->units >= most) return REGEXP_MORE;
  }
  return search->end != REGEXP_NO_PLACE ? REGEXP_FOUND : REGEXP_NOWHERE;
}

RegexpFound pike_begin(RegexpSearch *search) {
  search->end = REGEXP_NO_PLACE;
  clear_list(&search->machine->lists[0], search->program->count);
  search->step = pike_on;
  return REGEXP_MORE;
}
