// SPDX-License-Identifier: MIT
// One search: which engine does what, in pieces.
//
//   literal    a pattern without choice is looked for as text
//   forwards   where the first match ends, by the automaton
//   backwards  where it begins, by the automaton, from that end on
//   groups     by the tries if the match is short, else by the list
//   list       all of that, where an automaton has given up
//
// Forwards and backwards each read a character once. The list and the tries
// read those of the match. So a search is linear in the text it reads.
#include "stdlib/regexp.h"

#include "vm/object/search.h"

uint32_t regexp_looks_at(Str text, size_t at) {
  bool first = at == 0, last = at == text.len;
  uint8_t before = first ? 0 : (uint8_t)text.data[at - 1];
  uint8_t after = last ? 0 : (uint8_t)text.data[at];
  uint32_t looks = (first ? LOOK_TEXT_BEGIN : 0) | (last ? LOOK_TEXT_END : 0);
  if (first || before == '\n') looks |= LOOK_LINE_BEGIN;
  if (last || after == '\n') looks |= LOOK_LINE_END;
  bool word = regexp_is_word(before) != regexp_is_word(after);
  return looks | (word ? LOOK_WORD : LOOK_NO_WORD);
}

// --- Machines ---------------------------------------------------------------
// lock held. false: there is no room.
static bool weigh_regexp(CspCall *call, Regexp *regexp, size_t bytes) {
  if (!regexp->is_value || regexp->weight == bytes) return true;
  if (!csp_host_weight(call, csp_arg(call, 0), bytes)) return false;
  regexp->weight = bytes;
  return true;
}

// The machine is to have so many bytes more. false: there is no room.
static bool weigh_more(RegexpMachine *machine, size_t more) {
  Regexp *regexp = machine->regexp;
  pthread_mutex_lock(&regexp->lock);
  bool fits = weigh_regexp(machine->call, regexp, regexp->bytes + more);
  if (fits) regexp->bytes += more;
  pthread_mutex_unlock(&regexp->lock);
  if (fits) machine->bytes += more;
  return fits;
}

// There may be no call any more, so the next search tells.
static void weigh_less(RegexpMachine *machine, size_t less) {
  Regexp *regexp = machine->regexp;
  pthread_mutex_lock(&regexp->lock);
  regexp->bytes -= less;
  pthread_mutex_unlock(&regexp->lock);
  machine->bytes -= less;
}

void *machine_alloc(RegexpMachine *machine, void *block, size_t old,
                    size_t size) {
  size_t more = size - old;
  if (!weigh_more(machine, more)) return NULL;
  void *grown = csp_alloc(machine->regexp->csp, block, size);
  if (grown == NULL) weigh_less(machine, more);
  return grown;
}

static void regexp_machine_free(RegexpMachine *machine) {
  for (int i = 0; i < 2; i++) {
    csp_alloc_free(machine->lists[i].at);
    csp_alloc_free(machine->rows[i]);
    dfa_free(&machine->dfas[i]);
  }
  csp_alloc_free(machine->roots);
  csp_alloc_free(machine->ways);
  csp_alloc_free(machine->slots);
  csp_alloc_free(machine->seen);
  weigh_less(machine, machine->bytes);
  csp_alloc_free(machine);
}

static bool make_list(RegexpMachine *machine, RegexpList *list) {
  size_t count = machine->program->count + 1;
  size_t bytes = count * 2 * sizeof *list->at;
  list->at = machine_alloc(machine, NULL, 0, bytes);
  if (list->at == NULL) return false;
  memset(list->at, 0, bytes);
  list->marks = list->at + count;
  return true;
}

// An automaton that has no room is not used.
static void make_automata(RegexpMachine *machine) {
  for (int i = 0; i < 2; i++) {
    if (dfa_make(machine, &machine->dfas[i], i == 1)) continue;
    dfa_free(&machine->dfas[i]);
    machine->dfas[i] = (RegexpDfa){0};
  }
}

static bool make_parts(RegexpMachine *machine) {
  const RegexpProgram *program = machine->program;
  size_t slots = program->group_count * 2, count = program->count;
  machine->way_cap = count * 3 + 2;
  machine->ways =
      machine_alloc(machine, NULL, 0, machine->way_cap * sizeof *machine->ways);
  machine->roots =
      machine_alloc(machine, NULL, 0, (count + 1) * sizeof *machine->roots);
  machine->slots =
      machine_alloc(machine, NULL, 0, slots * 2 * sizeof *machine->slots);
  if (machine->ways == NULL || machine->roots == NULL || machine->slots == NULL)
    return false;
  machine->scratch = machine->slots + slots;
  if (!make_list(machine, &machine->lists[0]) ||
      !make_list(machine, &machine->lists[1]))
    return false;
  make_automata(machine);
  return true;
}

static RegexpMachine *regexp_machine(CspCall *call, Regexp *regexp) {
  RegexpMachine *machine = alloc_zeroed(regexp->csp, sizeof *machine);
  if (machine == NULL) return NULL;
  machine->call = call;
  machine->regexp = regexp;
  machine->program = regexp->program;
  if (weigh_more(machine, sizeof *machine) && make_parts(machine))
    return machine;
  regexp_machine_free(machine);
  return NULL;
}

// --- The pool ---------------------------------------------------------------
// call: NULL at the value's end.
static RegexpMachine *take_machine(CspCall *call, Regexp *regexp) {
  pthread_mutex_lock(&regexp->lock);
  if (call != NULL) weigh_regexp(call, regexp, regexp->bytes);
  RegexpMachine *machine = regexp->idle;
  if (machine != NULL) {
    regexp->idle = machine->next;
    regexp->idle_count--;
  }
  pthread_mutex_unlock(&regexp->lock);
  return machine;
}

static void give_machine(Regexp *regexp, RegexpMachine *machine) {
  enum { IDLE_MOST = 4 };
  pthread_mutex_lock(&regexp->lock);
  bool full = regexp->idle_count >= IDLE_MOST;
  if (!full) {
    machine->next = regexp->idle;
    regexp->idle = machine;
    regexp->idle_count++;
  }
  pthread_mutex_unlock(&regexp->lock);
  if (full) regexp_machine_free(machine);
}

void regexp_free_idle(Regexp *regexp) {
  for (RegexpMachine *machine = take_machine(NULL, regexp); machine != NULL;
       machine = take_machine(NULL, regexp))
    regexp_machine_free(machine);
}

bool regexp_search_begin(CspCall *call, RegexpSearch *search, Regexp *regexp,
                         Str text, RegexpWant want) {
  size_t room = csp_room(call);
  RegexpMachine *machine = take_machine(call, regexp);
  if (machine == NULL) machine = regexp_machine(call, regexp);
  if (machine == NULL) return false;
  machine->call = call;
  *search = (RegexpSearch){.regexp = regexp,
                           .program = regexp->program,
                           .machine = machine,
                           .text = text,
                           .want = want,
                           .room = room};
  regexp_search_from(search, 0);
  return true;
}

void regexp_search_end(RegexpSearch *search) {
  if (search->machine != NULL) give_machine(search->regexp, search->machine);
  search->machine = NULL;
}

// --- Literals ---------------------------------------------------------------
// Where the prefix is next, from `at` on, in some KB of text. *more: it is not
// there, and the search goes on from that place.
static size_t find_prefix_from(RegexpSearch *search, size_t at, bool *more) {
  enum { WINDOW = 1 << 16 };
  const RegexpProgram *program = search->program;
  size_t left = search->text.len - at, len = left < WINDOW ? left : WINDOW;
  SearchWork none = {NULL, NULL};
  const char *from = search->text.data + at;
  int64_t found = SEARCH_NONE;
  *more = false;
  if (len >= program->prefix_len)
    found = search_first(from, len, program->prefix, program->prefix_len, none);
  search->units += 4 + (found < 0 ? len : (size_t)found) / 8;
  if (found >= 0) return at + (size_t)found;
  *more = len < left;
  return *more ? at + len - program->prefix_len + 1 : search->text.len;
}

static RegexpFound literal_on(RegexpSearch *search) {
  bool more;
  size_t at = find_prefix_from(search, search->at, &more);
  search->at = at;
  if (more) return REGEXP_MORE;
  if (at == search->text.len) return REGEXP_NOWHERE;
  search->begin = at;
  search->end = at + search->program->prefix_len;
  return REGEXP_FOUND;
}

// --- Groups -----------------------------------------------------------------
static RegexpFound begin_list(RegexpSearch *search) {
  search->at = search->from;
  return pike_begin(search);
}

// The match is known but for its groups.
static RegexpFound groups_on(RegexpSearch *search) {
  const RegexpProgram *program = search->program;
  RegexpMachine *machine = search->machine;
  if (program->group_count == 1) {
    machine->slots[0] = search->begin;
    machine->slots[1] = search->end;
    return REGEXP_FOUND;
  }
  if (machine->seen == NULL)
    machine->seen = machine_alloc(machine, NULL, 0, REGEXP_TRIES / 8);
  if (machine->seen != NULL && tries_fit(program, search->end - search->begin))
    return tries_groups(search);
  search->at = search->begin;
  return pike_begin(search);
}

static RegexpFound found_place(RegexpSearch *search) {
  if (search->want != WANT_GROUPS) return REGEXP_FOUND;
  search->step = groups_on;
  return REGEXP_MORE;
}

// --- Backwards --------------------------------------------------------------
static RegexpFound give_up_automaton(RegexpSearch *search) {
  search->step = begin_list;
  return REGEXP_MORE;
}

// The class of the character before `at`, and where that begins.
static uint32_t class_before(const RegexpSearch *search, size_t *at) {
  size_t width;
  if (*at == 0) return search->program->class_count;
  *at = utf8_before(search->text.data, *at);
  return regexp_class_at(search->program, search->text, *at, &width);
}

// Where a row leads. 0: the automaton gives up.
static inline uint32_t row_on(RegexpSearch *search, RegexpDfa *dfa, size_t at,
                              uint32_t class) {
  uint32_t to = dfa->next[search->row + class];
  if (to != 0) return to;
  search->at = at;
  return dfa_step(search, dfa, search->row, class);
}

static RegexpFound back_on(RegexpSearch *search) {
  RegexpDfa *dfa = &search->machine->dfas[1];
  size_t at = search->at, stop = search->from;
  if (at - stop > REGEXP_CHUNK) stop = at - REGEXP_CHUNK;
  uint64_t most = search->units + REGEXP_PIECE;
  size_t begun = at;
  for (bool last = false; !last && search->units < most;) {
    size_t before = at;
    uint32_t class = class_before(search, &before);
    last = at <= search->from;
    uint32_t to = row_on(search, dfa, at, class);
    if (to == 0) return give_up_automaton(search);
    if (to & STATE_MATCH) search->begin = at;
    search->row = to & STATE_ROW;
    if (to & STATE_DEAD || last) return found_place(search);
    at = before;
    if (at <= stop && at > search->from) break;
  }
  search->at = at;
  search->units += begun - at;
  return REGEXP_MORE;
}

static RegexpFound back_begin(RegexpSearch *search) {
  if (search->program->anchored) {
    search->begin = 0;
    return found_place(search);
  }
  RegexpDfa *dfa = &search->machine->dfas[1];
  search->at = search->end;
  search->begin = search->end;
  search->row = dfa->cap > 0 ? dfa_begin(search, dfa, search->end) : 0;
  if (search->row == 0) return give_up_automaton(search);
  search->step = back_on;
  return REGEXP_MORE;
}

// --- Forwards ---------------------------------------------------------------
static RegexpFound forward_over(RegexpSearch *search) {
  if (search->end == REGEXP_NO_PLACE) return REGEXP_NOWHERE;
  if (search->want == WANT_MATCH) return REGEXP_FOUND;
  search->step = back_begin;
  return REGEXP_MORE;
}

// The end was reached.
static RegexpFound forward_last(RegexpSearch *search, RegexpDfa *dfa) {
  size_t at = search->text.len;
  uint32_t to = row_on(search, dfa, at, search->program->class_count);
  if (to == 0) return give_up_automaton(search);
  if (to & STATE_MATCH) search->end = at;
  return forward_over(search);
}

// Reads on where the row is the automaton's usual. It ends at a row that is
// marked, or that is not known.
static size_t run_forward(RegexpSearch *search, const RegexpDfa *dfa, size_t at,
                          size_t stop) {
  const RegexpProgram *program = search->program;
  const char *data = search->text.data;
  const uint32_t *next = dfa->next;
  uint32_t row = search->row;
  while (at < stop) {
    size_t width = 1;
    uint8_t byte = (uint8_t)data[at];
    uint32_t class = byte < 0x80
                         ? program->ascii[byte]
                         : regexp_class_at(program, search->text, at, &width);
    uint32_t to = next[row + class];
    if (to - 1 >= STATE_DEAD - 1) break;
    row = to;
    at += width;
  }
  search->row = row;
  return at;
}

// On to the next place where a match may begin. false: the piece ends there.
static bool skip_on(RegexpSearch *search, size_t *at) {
  bool more;
  *at = find_prefix_from(search, *at, &more);
  return !more;
}

static RegexpFound forward_on(RegexpSearch *search) {
  RegexpDfa *dfa = &search->machine->dfas[0];
  size_t at = search->at, len = search->text.len, width, from = at;
  size_t stop = len - at > REGEXP_CHUNK ? at + REGEXP_CHUNK : len;
  uint64_t most = search->units + REGEXP_PIECE;
  bool on = search->row != dfa->skip || skip_on(search, &at);
  while (on && search->units < most) {
    from = at;
    at = run_forward(search, dfa, at, stop);
    search->units += at - from;
    if (at >= stop) break;
    uint32_t class = regexp_class_at(search->program, search->text, at, &width);
    uint32_t to = row_on(search, dfa, at, class);
    if (to == 0) return give_up_automaton(search);
    if (to & STATE_MATCH) search->end = at;
    if (to & STATE_DEAD || (to & STATE_MATCH && search->want == WANT_MATCH))
      return forward_over(search);
    search->row = to & STATE_ROW;
    at += width;
    search->units += 1;
    if (to & STATE_SKIP) on = skip_on(search, &at);
  }
  search->at = at;
  return at < len ? REGEXP_MORE : forward_last(search, dfa);
}

static RegexpFound search_begin_on(RegexpSearch *search) {
  const RegexpProgram *program = search->program;
  RegexpDfa *dfa = &search->machine->dfas[0];
  search->at = search->from;
  search->end = REGEXP_NO_PLACE;
  if (program->anchored && search->from > 0) return REGEXP_NOWHERE;
  if (program->is_prefix && program->group_count == 1) {
    search->step = literal_on;
    return REGEXP_MORE;
  }
  search->row = dfa->cap > 0 ? dfa_begin(search, dfa, search->from) : 0;
  search->step = search->row != 0 ? forward_on : begin_list;
  return REGEXP_MORE;
}

// --- All of it --------------------------------------------------------------
void regexp_search_from(RegexpSearch *search, size_t from) {
  search->from = from;
  search->step = search_begin_on;
}

bool regexp_search_next(RegexpSearch *search, size_t *before) {
  size_t end = search->end, from = search->from, width = 1;
  if (search->want == WANT_MATCH) return true;
  bool counts = end != from || search->begin != *before;
  *before = end;
  if (end == from && end < search->text.len)
    utf8_at(search->text.data, search->text.len, end, &width);
  search->from = end == from ? end + width : end;
  search->step = search_begin_on;
  return counts;
}

static RegexpFound run_steps(RegexpSearch *search) {
  uint64_t most = search->units + REGEXP_PIECE;
  RegexpFound found = REGEXP_MORE;
  while (found == REGEXP_MORE && search->units < most)
    found = search->step(search);
  if (found == REGEXP_FOUND && search->want == WANT_GROUPS &&
      search->program->group_count == 1) {
    search->machine->slots[0] = search->begin;
    search->machine->slots[1] = search->end;
  }
  return found;
}

RegexpFound regexp_search_on(CspCall *call, RegexpSearch *search) {
  search->machine->call = call;
  return run_steps(search);
}
