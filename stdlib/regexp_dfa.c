// SPDX-License-Identifier: MIT
// The automaton, whose states are made when a search first gets there.
//
// Forwards a state has the ways that are gone, the preferred ones first, as the
// list (regexp_pike.c) has them, but no places. A way that matches ends those
// after it. So the last place where one matches is where the first match ends.
//
// Backwards, from that end, a state has the instructions from which a way leads
// to the end. Where the first one is among them, a match may begin. The first
// such place is where the first match begins.
//
// What an assertion looks for may depend on the next character. A state with
// such an assertion has KNOWN_NEED, and what is known of the character before.
// It has the instructions that ways begin with at its place. On the next
// character they are followed past the assertions that hold, and only then it
// is read.
//
// The tables have at most DFA_BYTES. When they are full they are emptied, and
// the search goes on from its state. A search that fills them too often, for
// the characters that it reads, gives up: the list is quicker then.
#include "stdlib/regexp.h"

enum {
  DFA_BYTES = 1 << 19,  // of `next`, and of lists
  DFA_LEAST = 8,        // states that there must be room for
  DFA_FIRST = 8,        // states that there is room for at first
  DFA_WORTH = 10        // characters that a state must be good for
};
// What a state knows. The lowest bits are a RegexpLook.
enum {
  KNOWN_WORD = 64,   // the character before is one of a word
  KNOWN_NEED = 128,  // it has an assertion
  KNOWN_SEEK = 256   // no match was found yet, and ways begin everywhere
};

// --- Tables -----------------------------------------------------------------
static void empty_index(RegexpDfa *dfa) {
  memset(dfa->index, 0xff, dfa->cap * 2 * sizeof *dfa->index);
}

static bool grow_states(RegexpMachine *machine, RegexpDfa *dfa, uint32_t cap) {
  size_t row = dfa->stride * sizeof *dfa->next, old = dfa->cap;
  uint32_t *next = machine_alloc(machine, dfa->next, old * row, cap * row);
  if (next == NULL) return false;
  dfa->next = next;
  RegexpState *states = machine_alloc(
      machine, dfa->states, old * sizeof *states, cap * sizeof *states);
  if (states == NULL) return false;
  dfa->states = states;
  uint32_t *index = machine_alloc(machine, dfa->index, old * 2 * sizeof *index,
                                  cap * 2 * sizeof *index);
  if (index == NULL) return false;
  dfa->index = index;
  dfa->cap = cap;
  empty_index(dfa);
  for (uint32_t i = 1; i < dfa->count; i++) {
    size_t at = states[i].hash & (cap * 2 - 1);
    while (index[at] != REGEXP_NONE) at = (at + 1) & (cap * 2 - 1);
    index[at] = i;
  }
  return true;
}

bool dfa_make(RegexpMachine *machine, RegexpDfa *dfa, bool back) {
  dfa->back = back;
  dfa->stride = machine->program->class_count + 1;
  dfa->count = 1;
  dfa->most = DFA_BYTES;
  return dfa->stride * sizeof *dfa->next * DFA_LEAST <= DFA_BYTES &&
         grow_states(machine, dfa, DFA_FIRST);
}

void dfa_free(RegexpDfa *dfa) {
  csp_alloc_free(dfa->next);
  csp_alloc_free(dfa->states);
  csp_alloc_free(dfa->lists);
  csp_alloc_free(dfa->index);
}

static bool reserve_list(RegexpSearch *search, RegexpDfa *dfa, size_t count) {
  size_t need = dfa->used + count;
  if (need <= dfa->lists_cap) return true;
  size_t cap = need * 2;
  if (need * sizeof(uint32_t) > dfa->most ||
      cap * sizeof(uint32_t) > search->room)
    return false;
  uint32_t *lists =
      machine_alloc(search->machine, dfa->lists, dfa->lists_cap * sizeof *lists,
                    cap * sizeof *lists);
  if (lists == NULL) return false;
  dfa->lists = lists;
  dfa->lists_cap = cap;
  return true;
}

// Room for another state. false: it is full.
static bool reserve_state(RegexpSearch *search, RegexpDfa *dfa) {
  if (dfa->count < dfa->cap) return true;
  size_t bytes = dfa->cap * 2 * dfa->stride * sizeof *dfa->next;
  return bytes <= dfa->most && bytes <= search->room &&
         grow_states(search->machine, dfa, dfa->cap * 2);
}

static void empty_dfa(RegexpDfa *dfa) {
  dfa->count = 1;
  dfa->used = 0;
  dfa->skip = 0;
  memset(dfa->begins, 0, sizeof dfa->begins);
  empty_index(dfa);
}

// --- States -----------------------------------------------------------------
static uint32_t hash_state(const RegexpList *list, uint32_t kind) {
  uint32_t hash = 2166136261u ^ kind;
  for (uint32_t i = 0; i < list->count; i++)
    hash = (hash ^ list->at[i]) * 16777619u;
  return hash ^ hash >> 13;
}

static bool same_state(const RegexpDfa *dfa, const RegexpState *state,
                       const RegexpList *list, uint32_t kind, uint32_t hash) {
  return state->hash == hash && state->kind == kind &&
         state->count == list->count &&
         memcmp(dfa->lists + state->first, list->at,
                list->count * sizeof *list->at) == 0;
}

static uint32_t look_up(const RegexpDfa *dfa, const RegexpList *list,
                        uint32_t kind, uint32_t hash, size_t *at) {
  size_t mask = dfa->cap * 2 - 1;
  for (*at = hash & mask; dfa->index[*at] != REGEXP_NONE;
       *at = (*at + 1) & mask) {
    uint32_t number = dfa->index[*at];
    if (same_state(dfa, &dfa->states[number], list, kind, hash)) return number;
  }
  return 0;
}

// The number of the state. 0: there is no room.
static uint32_t find_state(RegexpSearch *search, RegexpDfa *dfa,
                           const RegexpList *list, uint32_t kind) {
  size_t at;
  uint32_t hash = hash_state(list, kind);
  uint32_t number = look_up(dfa, list, kind, hash, &at);
  if (number != 0) return number;
  if (!reserve_list(search, dfa, list->count + 1) ||
      !reserve_state(search, dfa))
    return 0;
  look_up(dfa, list, kind, hash, &at);  // it may have grown
  number = dfa->count++;
  dfa->index[at] = number;
  dfa->made++;
  memcpy(dfa->lists + dfa->used, list->at, list->count * sizeof *list->at);
  dfa->states[number] =
      (RegexpState){(uint32_t)dfa->used, list->count, kind, hash};
  dfa->used += list->count;
  memset(dfa->next + (size_t)number * dfa->stride, 0,
         dfa->stride * sizeof *dfa->next);
  search->units += dfa->stride / 2;
  return number;
}

// --- Lists ------------------------------------------------------------------
typedef struct Closure {
  RegexpMachine *machine;
  const RegexpProgram *program;
  RegexpList *list;
  uint32_t looks;    // that are known to hold
  uint32_t unknown;  // that depend on the next character
  bool need;         // one of those was met
  uint32_t *roots;   // forwards: the instructions that it began with, in order
  uint32_t root_count;
  uint64_t turns;
} Closure;

static void start_list(RegexpList *list, uint32_t count) {
  list->count = 0;
  if (++list->mark != 0) return;
  memset(list->marks, 0, count * sizeof *list->marks);
  list->mark = 1;
}

static void follow_later(RegexpMachine *machine, uint32_t inst) {
  machine->ways[machine->way_count++].inst = inst;
}

static void follow_forward(Closure *closure, uint32_t at) {
  RegexpList *list = closure->list;
  while (list->marks[at] != list->mark) {
    const RegexpInst *inst = &closure->program->insts[at];
    list->marks[at] = list->mark;
    closure->turns++;
    if (inst->op == REGEXP_SPLIT)
      follow_later(closure->machine, (uint32_t)inst->arg);
    bool holds = inst->op != REGEXP_ASSERT ||
                 (closure->looks & (uint32_t)inst->arg) != 0;
    bool pending = !holds && (closure->unknown & (uint32_t)inst->arg) != 0;
    closure->need |= pending;
    if (inst->op == REGEXP_CHAR || inst->op == REGEXP_MATCH)
      list->at[list->count++] = at;
    if (!holds || inst->op == REGEXP_CHAR || inst->op == REGEXP_MATCH) return;
    at = (uint32_t)inst->out;
  }
}

// Backwards: the instruction, and all those from which one gets to it.
static void follow_back(Closure *closure, uint32_t at) {
  const RegexpProgram *program = closure->program;
  RegexpList *list = closure->list;
  if (list->marks[at] == list->mark) return;
  list->marks[at] = list->mark;
  bool keep = at == 0;
  for (uint32_t i = program->befores[at]; i < program->befores[at + 1]; i++) {
    uint32_t before = program->before[i];
    const RegexpInst *inst = &program->insts[before];
    bool holds = inst->op != REGEXP_ASSERT ||
                 (closure->looks & (uint32_t)inst->arg) != 0;
    bool pending = !holds && (closure->unknown & (uint32_t)inst->arg) != 0;
    closure->need |= pending;
    keep |= pending || inst->op == REGEXP_CHAR;
    closure->turns++;
    if (holds && inst->op != REGEXP_CHAR)
      follow_later(closure->machine, before);
  }
  if (keep) list->at[list->count++] = at;
}

static void close_over_ways(Closure *closure, const RegexpDfa *dfa,
                            uint32_t inst) {
  RegexpMachine *machine = closure->machine;
  if (closure->list->marks[inst] == closure->list->mark) return;
  closure->roots[closure->root_count++] = inst;
  machine->way_count = 0;
  follow_later(machine, inst);
  while (machine->way_count > 0) {
    uint32_t at = machine->ways[--machine->way_count].inst;
    if (dfa->back)
      follow_back(closure, at);
    else
      follow_forward(closure, at);
  }
}

// A shell sort: in order, equal sets are equal lists.
static void sort_insts(uint32_t *at, uint32_t count) {
  uint32_t gap = 1;
  while (gap < count / 3) gap = gap * 3 + 1;
  for (; gap > 0; gap /= 3) {
    for (uint32_t i = gap; i < count; i++) {
      uint32_t inst = at[i], to = i;
      for (; to >= gap && at[to - gap] > inst; to -= gap) at[to] = at[to - gap];
      at[to] = inst;
    }
  }
}

// What the state of a closure that is complete has, and of what kind it is.
// Forwards one with an assertion has its roots, and the closure is made anew
// when all is known: the order of the ways depends on where they came from.
static uint32_t settle(RegexpSearch *search, const RegexpDfa *dfa,
                       const Closure *closure, uint32_t kind) {
  RegexpList *list = closure->list;
  search->units += closure->turns * 4;
  if (dfa->back) sort_insts(list->at, list->count);
  if (!closure->need) return kind & KNOWN_SEEK;
  if (!dfa->back) {
    memcpy(list->at, closure->roots, closure->root_count * sizeof *list->at);
    list->count = closure->root_count;
  }
  return kind | KNOWN_NEED;
}

// What depends on the next character, in the automaton's direction.
static uint32_t unknown_looks(const RegexpDfa *dfa) {
  return LOOK_ANY_WORD | (dfa->back ? LOOK_BEGINS : LOOK_ENDS);
}

// What is known when a character of that kind was read, and what it says of the
// place before it.
static uint32_t known_after(const RegexpDfa *dfa, uint32_t kind) {
  uint32_t known = kind & KIND_WORD ? KNOWN_WORD : 0;
  if (kind & KIND_NEWLINE) known |= dfa->back ? LOOK_LINE_END : LOOK_LINE_BEGIN;
  return known;
}

static uint32_t looks_before(const RegexpDfa *dfa, uint32_t known,
                             uint32_t kind) {
  uint32_t looks = known & (LOOK_BEGINS | LOOK_ENDS);
  if (kind & (KIND_NEWLINE | KIND_END))
    looks |= dfa->back ? LOOK_LINE_BEGIN : LOOK_LINE_END;
  if (kind & KIND_END) looks |= dfa->back ? LOOK_TEXT_BEGIN : LOOK_TEXT_END;
  bool one = (known & KNOWN_WORD) != 0, other = (kind & KIND_WORD) != 0;
  return looks | (one != other ? LOOK_WORD : LOOK_NO_WORD);
}

// --- Steps ------------------------------------------------------------------
static Closure closure_of(RegexpSearch *search, const RegexpDfa *dfa, int which,
                          uint32_t looks) {
  RegexpMachine *machine = search->machine;
  Closure closure = {.machine = machine,
                     .program = search->program,
                     .list = &machine->lists[which],
                     .roots = machine->roots,
                     .looks = looks,
                     .unknown = unknown_looks(dfa)};
  start_list(closure.list, search->program->count);
  return closure;
}

// The state's own list, with what holds now that the next character is known.
static RegexpList *full_list(RegexpSearch *search, const RegexpDfa *dfa,
                             const RegexpState *state, uint32_t kind) {
  uint32_t looks = looks_before(dfa, state->kind, kind);
  Closure closure = closure_of(search, dfa, 0, looks);
  closure.unknown = 0;
  if (!(state->kind & KNOWN_NEED)) {
    memcpy(closure.list->at, dfa->lists + state->first,
           state->count * sizeof *closure.list->at);
    closure.list->count = state->count;
  } else {
    for (uint32_t i = 0; i < state->count; i++)
      close_over_ways(&closure, dfa, dfa->lists[state->first + i]);
  }
  search->units += state->count + closure.turns * 4;
  return closure.list;
}

// true: one of the ways matches before the character.
static bool step_forward(Closure *closure, const RegexpDfa *dfa,
                         const RegexpList *from, uint32_t class) {
  const RegexpProgram *program = closure->program;
  for (uint32_t i = 0; i < from->count; i++) {
    const RegexpInst *inst = &program->insts[from->at[i]];
    if (inst->op == REGEXP_MATCH) return true;
    if (inst->op == REGEXP_CHAR && regexp_has(program, inst, class))
      close_over_ways(closure, dfa, (uint32_t)inst->out);
  }
  return false;
}

// true: a match may begin before (after) the character.
static bool step_back(Closure *closure, const RegexpDfa *dfa,
                      const RegexpList *from, uint32_t class) {
  const RegexpProgram *program = closure->program;
  bool begins = false;
  for (uint32_t i = 0; i < from->count; i++) {
    uint32_t at = from->at[i];
    begins |= at == 0;
    for (uint32_t n = program->befores[at]; n < program->befores[at + 1]; n++) {
      const RegexpInst *inst = &program->insts[program->before[n]];
      if (inst->op == REGEXP_CHAR && regexp_has(program, inst, class))
        close_over_ways(closure, dfa, program->before[n]);
    }
    closure->turns += program->befores[at + 1] - program->befores[at];
  }
  return begins;
}

static void find_skip(RegexpSearch *search, RegexpDfa *dfa) {
  if (dfa->back || search->program->prefix_len == 0) return;
  Closure closure = closure_of(search, dfa, 0, 0);
  close_over_ways(&closure, dfa, 0);
  uint32_t kind = settle(search, dfa, &closure, KNOWN_SEEK);
  dfa->skip = find_state(search, dfa, closure.list, kind) * dfa->stride;
}

// The state is added to empty tables. false: the search gives up.
static bool begin_anew(RegexpSearch *search, RegexpDfa *dfa) {
  size_t read = search->at > dfa->emptied ? search->at - dfa->emptied
                                          : dfa->emptied - search->at;
  if (read < dfa->made * DFA_WORTH) return false;
  dfa->made = 0;
  dfa->emptied = search->at;
  empty_dfa(dfa);
  find_skip(search, dfa);
  return true;
}

// The row of a closure that is complete. 0: the search gives up.
static uint32_t row_of(RegexpSearch *search, RegexpDfa *dfa,
                       const Closure *closure, uint32_t known, uint32_t *from) {
  uint32_t kind = settle(search, dfa, closure, known);
  uint32_t number = find_state(search, dfa, closure->list, kind);
  if (number == 0) {
    if (!begin_anew(search, dfa)) return 0;
    *from = 0;  // its row is gone
    number = find_state(search, dfa, closure->list, kind);
  }
  return number * dfa->stride;
}

uint32_t dfa_step(RegexpSearch *search, RegexpDfa *dfa, uint32_t row,
                  uint32_t class) {
  uint32_t kind = search->program->kinds[class];
  const RegexpState *state = &dfa->states[row / dfa->stride];
  uint32_t known = known_after(dfa, kind), seek = state->kind & KNOWN_SEEK;
  RegexpList *from = full_list(search, dfa, state, kind);
  Closure closure =
      closure_of(search, dfa, 1, known & (LOOK_BEGINS | LOOK_ENDS));
  bool match = dfa->back ? step_back(&closure, dfa, from, class)
                         : step_forward(&closure, dfa, from, class);
  if (match && !dfa->back) seek = 0;
  if (seek) close_over_ways(&closure, dfa, 0);
  uint32_t mark = match ? STATE_MATCH : 0, to = mark | STATE_DEAD;
  if (!(kind & KIND_END) && (closure.list->count > 0 || closure.need || seek)) {
    uint32_t next = row_of(search, dfa, &closure, known | seek, &row);
    if (next == 0) return 0;
    to = mark | next;
    if (next == dfa->skip) to |= STATE_SKIP;
  }
  dfa->next[row + class] = to;
  return to;
}

// --- The beginning ----------------------------------------------------------
// What is known of the place before the first character is read.
static uint32_t known_at(const RegexpSearch *search, const RegexpDfa *dfa,
                         size_t at) {
  if (search->program->looks == 0) return 0;
  uint32_t looks = regexp_looks_at(search->text, at);
  uint32_t known = looks & (dfa->back ? LOOK_ENDS : LOOK_BEGINS);
  Str text = search->text;
  bool none = dfa->back ? at == text.len : at == 0;
  if (!none && regexp_is_word((uint8_t)text.data[dfa->back ? at : at - 1]))
    known |= KNOWN_WORD;
  return known & (search->program->looks | KNOWN_WORD);
}

uint32_t dfa_begin(RegexpSearch *search, RegexpDfa *dfa, size_t at) {
  const RegexpProgram *program = search->program;
  uint32_t known = known_at(search, dfa, at), row = 0;
  uint32_t seek = dfa->back || program->anchored ? 0 : KNOWN_SEEK;
  uint32_t *begin = &dfa->begins[(known & (LOOK_BEGINS | LOOK_ENDS)) |
                                 (known & KNOWN_WORD) / 4];
  dfa->made = 0;
  dfa->emptied = search->at;
  if (*begin != 0) return *begin;
  if (dfa->skip == 0) find_skip(search, dfa);
  Closure closure =
      closure_of(search, dfa, 1, known & (LOOK_BEGINS | LOOK_ENDS));
  close_over_ways(&closure, dfa, dfa->back ? program->count - 1 : 0);
  row = row_of(search, dfa, &closure, known | seek, &row);
  return *begin = row;
}
