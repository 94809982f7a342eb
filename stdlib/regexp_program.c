// SPDX-License-Identifier: MIT
// The program of a pattern that was read: the classes of characters, places
// that count from the beginning, and what searches want to know beforehand.
//
// The ranges of all sets cut the characters into segments. At first all
// segments are of one class. Each set divides the classes of which it has some
// but not all. So two segments that no set tells apart are of one class, and
// most patterns have few.
//
// A program is made by one native call, and never changed afterwards.
#include "stdlib/regexp.h"

typedef struct Making {
  RegexpParse *parse;
  CspCall *call;
  RegexpProgram *program;
  uint32_t *sizes, *touched, *moved;  // of classes: segments, in this set, to
  uint32_t *list;                     // of classes that were touched
} Making;

// --- Segments ---------------------------------------------------------------
static const RegexpRange word_ranges[] = {
    {'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
static const RegexpRange newline_range = {'\n', '\n'};

static bool too_many_classes(Making *making) {
  return regexp_wrong(making->parse, 0,
                      "the pattern is too large; it tells too many kinds of "
                      "characters apart");
}

// Twice the character, so that tidying joins none but equal ones.
static bool add_edges(Making *making, RegexpRanges *edges,
                      const RegexpRange *ranges, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t low = ranges[i].low * 2, end = (ranges[i].high + 1) * 2;
    if (!ranges_add(making->call, edges, low, low) ||
        !ranges_add(making->call, edges, end, end))
      return regexp_no_memory(making->parse);
  }
  return csp_work(making->call, count * 4) || regexp_no_memory(making->parse);
}

static void *program_block(Making *making, size_t count, size_t size) {
  void *block = room_alloc(making->call, count, size);
  if (block == NULL) regexp_no_memory(making->parse);
  making->program->bytes += count * size;
  return block;
}

static bool make_segments(Making *making, RegexpRanges *edges) {
  RegexpProgram *program = making->program;
  const RegexpParse *parse = making->parse;
  bool fine =
      ranges_add(making->call, edges, 0, 0) || regexp_no_memory(making->parse);
  fine = fine && add_edges(making, edges, parse->ranges, parse->range_count);
  if (parse->looks & LOOK_ANY_WORD)
    fine = fine && add_edges(making, edges, word_ranges, 4);
  if (parse->looks & (LOOK_LINE_BEGIN | LOOK_LINE_END))
    fine = fine && add_edges(making, edges, &newline_range, 1);
  if (!fine) return false;
  if (!ranges_tidy(making->call, edges)) return regexp_no_memory(making->parse);
  size_t count = edges->count;
  if (edges->at[count - 1].low == REGEXP_RUNE_END * 2) count--;
  if (count >= REGEXP_NO_CLASS) return too_many_classes(making);
  program->starts = program_block(making, count, sizeof(uint32_t));
  program->segment_class = program_block(making, count, sizeof(uint16_t));
  if (program->starts == NULL || program->segment_class == NULL) return false;
  for (size_t i = 0; i < count; i++) {
    program->starts[i] = edges->at[i].low / 2;
    program->segment_class[i] = 0;
  }
  program->segment_count = (uint32_t)count;
  return true;
}

// The segment that a character is in.
static uint32_t find_segment(const RegexpProgram *program, uint32_t rune,
                             uint32_t low, uint32_t high) {
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (program->starts[middle] <= rune)
      low = middle;
    else
      high = middle;
  }
  return low;
}

uint32_t regexp_wide_class(const RegexpProgram *program, uint32_t rune) {
  if (program->wide != REGEXP_NO_CLASS) return program->wide;
  uint32_t page = rune >> 8;
  uint32_t segment = find_segment(program, rune, program->pages[page],
                                  program->pages[page + 1] + 1u);
  return program->segment_class[segment];
}

static bool make_pages(Making *making) {
  enum { PAGES = REGEXP_RUNE_END >> 8 };
  RegexpProgram *program = making->program;
  uint32_t last = program->segment_count - 1;
  program->wide = program->segment_class[last];
  for (uint32_t i = last; i > 0 && program->starts[i] > 0x80; i--)
    if (program->segment_class[i - 1] != program->wide)
      program->wide = REGEXP_NO_CLASS;
  for (uint32_t rune = 0; rune < 0x80; rune++)
    program->ascii[rune] = program->segment_class[find_segment(
        program, rune, 0, program->segment_count)];
  if (program->wide != REGEXP_NO_CLASS) return true;
  program->pages = program_block(making, PAGES + 1, sizeof(uint16_t));
  if (program->pages == NULL) return false;
  for (uint32_t page = 0; page < PAGES; page++)
    program->pages[page] =
        (uint16_t)find_segment(program, page << 8, 0, program->segment_count);
  program->pages[PAGES] = (uint16_t)last;
  return csp_work(making->call, PAGES * 8) || regexp_no_memory(making->parse);
}

// --- Classes ----------------------------------------------------------------
// Goes through the segments of some ranges, or through all others.
typedef struct SegmentWalk {
  const RegexpProgram *program;
  const RegexpRange *ranges;
  size_t count, next;
  uint32_t at, end;  // segments
} SegmentWalk;

static SegmentWalk segments_of(const RegexpProgram *program,
                               const RegexpRange *ranges, size_t count) {
  return (SegmentWalk){.program = program, .ranges = ranges, .count = count};
}

// The next segments are those from at to end. false: there are none.
static bool next_segments(SegmentWalk *walk) {
  if (walk->next == walk->count) return false;
  const RegexpProgram *program = walk->program;
  RegexpRange range = walk->ranges[walk->next++];
  uint32_t count = program->segment_count;
  walk->at = find_segment(program, range.low, walk->end, count);
  walk->end = find_segment(program, range.high, walk->at, count) + 1;
  return true;
}

// Counts the segments of each class that the ranges have.
static size_t touch_classes(Making *making, SegmentWalk walk,
                            uint32_t *listed) {
  const RegexpProgram *program = making->program;
  size_t count = 0;
  *listed = 0;
  while (next_segments(&walk)) {
    for (; walk.at < walk.end; walk.at++, count++) {
      uint32_t class = program->segment_class[walk.at];
      if (making->touched[class]++ == 0) making->list[(*listed)++] = class;
    }
  }
  return count;
}

// Divides the classes of which the ranges have a part.
static bool divide_classes(Making *making, const RegexpRange *ranges,
                           size_t count) {
  RegexpProgram *program = making->program;
  SegmentWalk walk = segments_of(program, ranges, count);
  uint32_t listed;
  size_t units = touch_classes(making, walk, &listed);
  bool divided = false;
  for (uint32_t i = 0; i < listed; i++) {
    uint32_t class = making->list[i], size = making->touched[class];
    making->moved[class] = class;
    making->touched[class] = 0;
    if (size == making->sizes[class]) continue;
    divided = true;
    uint32_t made = program->class_count++;
    making->moved[class] = made;
    making->sizes[made] = size;
    making->sizes[class] -= size;
    making->touched[made] = 0;
  }
  while (divided && next_segments(&walk))
    for (; walk.at < walk.end; walk.at++)
      program->segment_class[walk.at] =
          (uint16_t)making->moved[program->segment_class[walk.at]];
  return csp_work(making->call, 8 + units * 4 + count * 8) ||
         regexp_no_memory(making->parse);
}

static bool divide_all(Making *making) {
  const RegexpParse *parse = making->parse;
  RegexpProgram *program = making->program;
  program->class_count = 1;
  making->sizes[0] = program->segment_count;
  memset(making->touched, 0, program->segment_count * sizeof(uint32_t));
  for (size_t i = 0; i < parse->set_count; i++) {
    const RegexpSet *set = &parse->sets[i];
    if (!divide_classes(making, parse->ranges + set->first, set->count))
      return false;
  }
  if (parse->looks & LOOK_ANY_WORD && !divide_classes(making, word_ranges, 4))
    return false;
  return !(parse->looks & (LOOK_LINE_BEGIN | LOOK_LINE_END)) ||
         divide_classes(making, &newline_range, 1);
}

static bool make_classes(Making *making) {
  size_t count = making->program->segment_count;
  making->sizes = program_block(making, count * 4, sizeof(uint32_t));
  if (making->sizes == NULL) return false;
  making->touched = making->sizes + count;
  making->moved = making->touched + count;
  making->list = making->moved + count;
  bool fine = divide_all(making);
  csp_alloc_free(making->sizes);
  return fine;
}

static bool make_kinds(Making *making) {
  RegexpProgram *program = making->program;
  program->kinds = program_block(making, program->class_count + 1, 1);
  if (program->kinds == NULL) return false;
  memset(program->kinds, 0, program->class_count);
  if (program->looks & LOOK_ANY_WORD)
    for (int byte = 0; byte < 0x80; byte++)
      if (regexp_is_word((uint8_t)byte))
        program->kinds[program->ascii[byte]] |= KIND_WORD;
  if (program->looks & (LOOK_LINE_BEGIN | LOOK_LINE_END))
    program->kinds[program->ascii['\n']] |= KIND_NEWLINE;
  program->kinds[program->class_count] = KIND_END;
  return true;
}

// --- Sets -------------------------------------------------------------------
// The set's only class, or NONE. An empty set has one that nothing is of.
static uint32_t only_class(Making *making, const RegexpSet *set) {
  const RegexpProgram *program = making->program;
  SegmentWalk walk =
      segments_of(program, making->parse->ranges + set->first, set->count);
  uint32_t nothing = program->class_count + 1, only = nothing;
  while (next_segments(&walk)) {
    for (; walk.at < walk.end; walk.at++) {
      uint32_t class = program->segment_class[walk.at];
      if (only != nothing && only != class) return REGEXP_NONE;
      only = class;
    }
  }
  return only;
}

static bool fill_bits(Making *making, const RegexpSet *set, uint64_t *bits) {
  const RegexpProgram *program = making->program;
  SegmentWalk walk =
      segments_of(program, making->parse->ranges + set->first, set->count);
  size_t units = 0;
  while (next_segments(&walk)) {
    units += walk.end - walk.at;
    for (; walk.at < walk.end; walk.at++) {
      uint32_t class = program->segment_class[walk.at];
      bits[class / 64] |= (uint64_t)1 << class % 64;
    }
  }
  return csp_work(making->call, units * 2) || regexp_no_memory(making->parse);
}

static bool make_bits(Making *making, size_t many) {
  RegexpProgram *program = making->program;
  size_t words = program->class_count / 64 + 1;
  if (many * words * 8 > REGEXP_BITS_MOST) return too_many_classes(making);
  uint64_t *bits = program_block(making, many * words, sizeof *bits);
  if (bits == NULL) return false;
  memset(bits, 0, many * words * sizeof *bits);
  program->bits = bits;
  for (size_t i = 0; i < making->parse->set_count; i++) {
    if (program->sets[i].only != REGEXP_NONE) continue;
    program->sets[i].bits = bits;
    if (!fill_bits(making, &making->parse->sets[i], bits)) return false;
    bits += words;
  }
  return true;
}

static bool make_sets(Making *making) {
  RegexpProgram *program = making->program;
  size_t count = making->parse->set_count, many = 0;
  program->sets = program_block(making, count, sizeof *program->sets);
  if (program->sets == NULL) return false;
  for (size_t i = 0; i < count; i++) {
    uint32_t only = only_class(making, &making->parse->sets[i]);
    program->sets[i] = (RegexpClasses){only, NULL};
    many += only == REGEXP_NONE;
    if (!csp_work(making->call, 8)) return regexp_no_memory(making->parse);
  }
  return many == 0 || make_bits(making, many);
}

// --- Instructions -----------------------------------------------------------
// Where a way leads on, past jumps.
static int32_t past_jumps(const RegexpProgram *program, int32_t at) {
  enum { FAR = 8 };
  for (int i = 0; i < FAR && program->insts[at].op == REGEXP_JUMP; i++)
    at = program->insts[at].out;
  return at;
}

static bool make_insts(Making *making) {
  RegexpProgram *program = making->program;
  size_t count = making->parse->inst_count;
  program->insts = program_block(making, count, sizeof *program->insts);
  if (program->insts == NULL) return false;
  memcpy(program->insts, making->parse->insts, count * sizeof *program->insts);
  program->count = (uint32_t)count;
  for (size_t i = 0; i < count; i++) {
    RegexpInst *inst = &program->insts[i];
    if (inst->op != REGEXP_MATCH) inst->out += (int32_t)i;
    if (inst->op == REGEXP_SPLIT) inst->arg += (int32_t)i;
  }
  for (size_t i = 0; i < count; i++) {
    RegexpInst *inst = &program->insts[i];
    if (inst->op != REGEXP_MATCH) inst->out = past_jumps(program, inst->out);
    if (inst->op == REGEXP_SPLIT) inst->arg = past_jumps(program, inst->arg);
  }
  return csp_work(making->call, count * 4) || regexp_no_memory(making->parse);
}

// How many ways lead on from an instruction, and where.
static int ways_of(const RegexpInst *inst, uint32_t ways[2]) {
  if (inst->op == REGEXP_MATCH) return 0;
  ways[0] = (uint32_t)inst->out;
  ways[1] = (uint32_t)inst->arg;
  return inst->op == REGEXP_SPLIT ? 2 : 1;
}

static bool make_before(Making *making) {
  RegexpProgram *program = making->program;
  uint32_t count = program->count, ways[2], sum = 0;
  uint32_t *befores = program_block(making, count + 1, sizeof *befores);
  program->befores = befores;
  program->before = program_block(making, (size_t)count * 2, sizeof *befores);
  if (befores == NULL || program->before == NULL) return false;
  memset(befores, 0, (count + 1) * sizeof *befores);
  for (uint32_t i = 0; i < count; i++)
    for (int n = ways_of(&program->insts[i], ways); n > 0; n--)
      befores[ways[n - 1]]++;
  for (uint32_t i = 0; i <= count; i++) {
    sum += befores[i];
    befores[i] = sum;
  }
  // From its end on each list is filled to its beginning.
  for (uint32_t i = count; i > 0; i--)
    for (int n = ways_of(&program->insts[i - 1], ways); n > 0; n--)
      program->before[--befores[ways[n - 1]]] = i - 1;
  return csp_work(making->call, count * 8) || regexp_no_memory(making->parse);
}

// --- What each match begins with --------------------------------------------
// The only character of a set, or NONE. One that is no UTF-8 is U+FFFD, too.
static uint32_t only_rune(const RegexpParse *parse, const RegexpInst *inst) {
  const RegexpSet *set = &parse->sets[inst->arg];
  RegexpRange range = {0, 1};
  if (set->count == 1) range = parse->ranges[set->first];
  return range.low == range.high && range.low != RUNE_BAD ? range.low
                                                          : REGEXP_NONE;
}

static void find_prefix(Making *making) {
  RegexpProgram *program = making->program;
  const RegexpInst *inst = program->insts;
  char bytes[4];
  for (;; inst = &program->insts[inst->out]) {
    if (inst->op == REGEXP_SAVE || inst->op == REGEXP_JUMP) continue;
    if (inst->op == REGEXP_ASSERT && inst->arg == LOOK_TEXT_BEGIN)
      program->anchored |= program->prefix_len == 0;
    if (inst->op != REGEXP_CHAR) break;
    uint32_t rune = only_rune(making->parse, inst);
    if (rune == REGEXP_NONE) break;
    size_t width = (size_t)utf8_encode(rune, bytes);
    if (program->prefix_len + width > REGEXP_PREFIX_MOST || width == 0) return;
    memcpy(program->prefix + program->prefix_len, bytes, width);
    program->prefix_len += width;
  }
  program->is_prefix = inst->op == REGEXP_MATCH && program->prefix_len > 0;
}

// --- All of it --------------------------------------------------------------
static bool make_all(Making *making) {
  RegexpRanges edges = {0};
  RegexpProgram *program = making->program;
  RegexpParse *parse = making->parse;
  program->looks = parse->looks;
  bool fine = make_segments(making, &edges);
  ranges_free(&edges);
  fine = fine && make_classes(making) && make_pages(making) &&
         make_kinds(making) && make_sets(making) && make_insts(making) &&
         make_before(making);
  if (!fine) return false;
  find_prefix(making);
  program->names = parse->names;
  program->group_count = (uint32_t)parse->name_count;
  for (size_t i = 0; i < parse->name_count; i++)
    program->named |= parse->names[i].name != NULL;
  parse->names = NULL;
  parse->name_count = 0;
  return true;
}

RegexpProgram *regexp_program(RegexpParse *parse) {
  RegexpProgram *program = alloc_zeroed(csp_of(parse->call), sizeof *program);
  if (program == NULL) {
    regexp_no_memory(parse);
    return NULL;
  }
  program->bytes = sizeof *program;
  Making making = {.parse = parse, .call = parse->call, .program = program};
  if (make_all(&making)) return program;
  regexp_program_free(program);
  return NULL;
}

void regexp_program_free(RegexpProgram *program) {
  for (size_t i = 0; i < program->group_count; i++)
    csp_alloc_free(program->names[i].name);
  csp_alloc_free(program->names);
  csp_alloc_free(program->insts);
  csp_alloc_free(program->sets);
  csp_alloc_free(program->bits);
  csp_alloc_free(program->starts);
  csp_alloc_free(program->segment_class);
  csp_alloc_free(program->pages);
  csp_alloc_free(program->kinds);
  csp_alloc_free(program->before);
  csp_alloc_free(program->befores);
  csp_alloc_free(program);
}
