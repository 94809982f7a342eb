// SPDX-License-Identifier: MIT
// Reading a pattern: the syntax of RE2, into instructions.
//
// A pattern is read once from left to right, without recursion. What was read
// of a group is a run of instructions that begins with the first and ends by
// going on after the last one. Their places count from themselves, so a run can
// be moved, and copied for {n,m}. An operator after an atom, or a `|`, puts a
// split before the run that it is about.
//
//   x*     split(x, end) x jump(split)        x?   split(x, end) x
//   x+     x split(x, end)                    x|y  split(x, y) x jump(end) y
//
// x* is (x+)? if x can match nothing: then the turn that matches nothing is the
// last one, and not lost.
//
// The parse belongs to one native call. All that it took is freed at its end.
#include <stdarg.h>
#include <stdio.h>

#include "stdlib/regexp.h"

// --- What is wrong ----------------------------------------------------------
bool regexp_wrong(RegexpParse *parse, size_t at, const char *format, ...) {
  va_list args;
  if (parse->fail != REGEXP_FINE) return false;
  parse->fail = REGEXP_WRONG;
  parse->wrong = at;
  va_start(args, format);
  vsnprintf(parse->why, sizeof parse->why, format, args);
  va_end(args);
  return false;
}

bool regexp_no_memory(RegexpParse *parse) {
  if (parse->fail == REGEXP_FINE) parse->fail = REGEXP_NO_MEMORY;
  return false;
}

static bool too_large(RegexpParse *parse, size_t at) {
  return regexp_wrong(parse, at,
                      "the pattern is too large; up to here it has more than "
                      "%d instructions, and repetitions count as often as "
                      "they repeat",
                      REGEXP_INSTS_MOST);
}

static bool peek_at(const RegexpParse *parse, size_t ahead, char c) {
  size_t at = parse->at + ahead;
  return at < parse->pattern.len && parse->pattern.data[at] == c;
}

static RegexpFrame *top_frame(const RegexpParse *parse) {
  return &parse->frames[parse->frame_count - 1];
}

// --- Instructions -----------------------------------------------------------
static bool reserve_insts(RegexpParse *parse, size_t more) {
  size_t count = parse->inst_count + more;
  if (count > REGEXP_INSTS_MOST) return too_large(parse, parse->at);
  RegexpInst *insts = regexp_grown(parse->call, parse->insts, &parse->inst_cap,
                                   count, sizeof *insts);
  if (insts == NULL) return regexp_no_memory(parse);
  parse->insts = insts;
  return true;
}

static bool emit_inst(RegexpParse *parse, RegexpOp op, int32_t out,
                      int32_t arg) {
  if (!reserve_insts(parse, 1)) return false;
  parse->insts[parse->inst_count++] = (RegexpInst){op, out, arg};
  return true;
}

static RegexpInst make_split(int32_t first, int32_t second, bool lazy) {
  if (lazy) return (RegexpInst){REGEXP_SPLIT, second, first};
  return (RegexpInst){REGEXP_SPLIT, first, second};
}

// Puts the split before the instruction at `at`.
static bool insert_split(RegexpParse *parse, size_t at, RegexpInst split) {
  if (!reserve_insts(parse, 1)) return false;
  size_t count = parse->inst_count - at;
  RegexpInst *to = parse->insts + at;
  memmove(to + 1, to, count * sizeof *to);
  *to = split;
  parse->inst_count++;
  return csp_work(parse->call, count) || regexp_no_memory(parse);
}

// --- Sets -------------------------------------------------------------------
static uint32_t hash_ranges(const RegexpRanges *ranges) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < ranges->count; i++) {
    hash = (hash ^ ranges->at[i].low) * 16777619u;
    hash = (hash ^ ranges->at[i].high) * 16777619u;
  }
  return hash ^ hash >> 15;
}

static void index_set(RegexpParse *parse, uint32_t number) {
  size_t at = parse->sets[number].hash & (parse->index_cap - 1);
  while (parse->index[at] != REGEXP_NONE)
    at = (at + 1) & (parse->index_cap - 1);
  parse->index[at] = number;
}

static bool grow_index(RegexpParse *parse) {
  if (parse->set_count * 2 < parse->index_cap) return true;
  size_t cap = parse->index_cap == 0 ? 16 : parse->index_cap * 2;
  uint32_t *index = csp_alloc(csp_of(parse->call), NULL, cap * sizeof *index);
  if (index == NULL) return regexp_no_memory(parse);
  memset(index, 0xff, cap * sizeof *index);
  csp_alloc_free(parse->index);
  parse->index = index;
  parse->index_cap = cap;
  for (size_t i = 0; i < parse->set_count; i++) index_set(parse, (uint32_t)i);
  return csp_work(parse->call, cap * 2) || regexp_no_memory(parse);
}

static bool add_set(RegexpParse *parse, uint32_t hash) {
  CspCall *call = parse->call;
  const RegexpRanges *set = &parse->set;
  size_t count = parse->range_count + set->count;
  if (count > REGEXP_RANGES_MOST)
    return regexp_wrong(parse, parse->at,
                        "the pattern is too large; up to here its classes "
                        "have more than %d ranges of characters",
                        REGEXP_RANGES_MOST);
  RegexpRange *ranges = regexp_grown(call, parse->ranges, &parse->range_cap,
                                     count + 1, sizeof *ranges);
  if (ranges == NULL) return regexp_no_memory(parse);
  parse->ranges = ranges;
  RegexpSet *sets = regexp_grown(call, parse->sets, &parse->set_cap,
                                 parse->set_count + 1, sizeof *sets);
  if (sets == NULL) return regexp_no_memory(parse);
  parse->sets = sets;
  if (set->count > 0)
    memcpy(ranges + parse->range_count, set->at, set->count * sizeof *ranges);
  sets[parse->set_count] =
      (RegexpSet){(uint32_t)parse->range_count, (uint32_t)set->count, hash};
  parse->range_count = count;
  index_set(parse, (uint32_t)parse->set_count++);
  return true;
}

static bool same_set(const RegexpParse *parse, uint32_t number, uint32_t hash) {
  const RegexpSet *set = &parse->sets[number];
  return set->hash == hash && set->count == parse->set.count &&
         (set->count == 0 || memcmp(parse->ranges + set->first, parse->set.at,
                                    set->count * sizeof(RegexpRange)) == 0);
}

// The number of parse->set, which is tidy.
static bool find_set(RegexpParse *parse, uint32_t *number) {
  uint32_t hash = hash_ranges(&parse->set);
  if (!csp_work(parse->call, 8 + parse->set.count * 4))
    return regexp_no_memory(parse);
  if (!grow_index(parse)) return false;
  size_t mask = parse->index_cap - 1, at = hash & mask;
  for (; (*number = parse->index[at]) != REGEXP_NONE; at = (at + 1) & mask)
    if (same_set(parse, *number, hash)) return true;
  *number = (uint32_t)parse->set_count;
  return add_set(parse, hash);
}

// --- Atoms ------------------------------------------------------------------
static void begin_atom(RegexpParse *parse, size_t at) {
  RegexpFrame *frame = top_frame(parse);
  if (frame->atom != REGEXP_NONE) frame->branch_empty &= frame->atom_empty;
  frame->atom = (uint32_t)at;
  frame->repeated = false;
}

static bool add_char_set(RegexpParse *parse) {
  uint32_t set;
  begin_atom(parse, parse->inst_count);
  top_frame(parse)->atom_empty = false;
  return find_set(parse, &set) &&
         emit_inst(parse, REGEXP_CHAR, 1, (int32_t)set);
}

static bool add_literal(RegexpParse *parse, uint32_t rune) {
  parse->set.count = 0;
  bool fine =
      ranges_add(parse->call, &parse->set, rune, rune) &&
      (!(parse->flags & FLAG_FOLD) || ranges_fold(parse->call, &parse->set));
  return fine ? add_char_set(parse) : regexp_no_memory(parse);
}

static bool add_dot(RegexpParse *parse) {
  bool all = parse->flags & FLAG_DOT;
  parse->at++;
  parse->set.count = 0;
  bool fine = ranges_add(parse->call, &parse->set, '\n', '\n') &&
              ranges_negate(parse->call, &parse->set);
  if (all) {
    parse->set.count = 0;
    fine = ranges_add(parse->call, &parse->set, 0, REGEXP_RUNE_END - 1);
  }
  return fine ? add_char_set(parse) : regexp_no_memory(parse);
}

static bool add_assert(RegexpParse *parse, RegexpLook look) {
  begin_atom(parse, parse->inst_count);
  top_frame(parse)->atom_empty = true;
  parse->looks |= look;
  return emit_inst(parse, REGEXP_ASSERT, 1, (int32_t)look);
}

// \Q...\E: `at` is after the Q.
static bool parse_quoted(RegexpParse *parse) {
  uint32_t rune;
  while (parse->at < parse->pattern.len) {
    if (peek_at(parse, 0, '\\') && peek_at(parse, 1, 'E')) {
      parse->at += 2;
      return true;
    }
    if (!regexp_read_rune(parse, &rune) || !add_literal(parse, rune))
      return false;
  }
  return true;
}

static bool add_escape(RegexpParse *parse) {
  static const char marks[] = "AzbBQ";
  parse->at++;
  size_t at = parse->at;
  const char *mark = NULL;
  if (at < parse->pattern.len && parse->pattern.data[at] != '\0')
    mark = strchr(marks, parse->pattern.data[at]);
  if (mark != NULL) {
    static const RegexpLook looks[] = {LOOK_TEXT_BEGIN, LOOK_TEXT_END,
                                       LOOK_WORD, LOOK_NO_WORD};
    parse->at++;
    if (*mark == 'Q') return parse_quoted(parse);
    return add_assert(parse, looks[mark - marks]);
  }
  bool is = false;
  uint32_t rune;
  parse->set.count = 0;
  if (at < parse->pattern.len && !regexp_read_class(parse, &is)) return false;
  if (is) return add_char_set(parse);
  return regexp_read_escape(parse, &rune) && add_literal(parse, rune);
}

// --- Repetitions ------------------------------------------------------------
typedef struct RegexpRepeat {
  size_t from;  // the atom's instructions, and how many
  size_t len;
  int least, most;  // most < 0: any number
  bool lazy, empty;
} RegexpRepeat;

// Another copy of the atom, which is `by` after its place.
static bool copy_atom(RegexpParse *parse, const RegexpRepeat *repeat,
                      size_t by) {
  if (!reserve_insts(parse, repeat->len)) return false;
  memcpy(parse->insts + parse->inst_count, parse->insts + repeat->from + by,
         repeat->len * sizeof *parse->insts);
  parse->inst_count += repeat->len;
  return csp_work(parse->call, repeat->len) || regexp_no_memory(parse);
}

static bool repeat_star(RegexpParse *parse, const RegexpRepeat *repeat) {
  int32_t len = (int32_t)repeat->len;
  if (!insert_split(parse, repeat->from, make_split(1, len + 2, repeat->lazy)))
    return false;
  if (!repeat->empty) return emit_inst(parse, REGEXP_JUMP, -len - 1, 0);
  RegexpInst split = make_split(-len, 1, repeat->lazy);
  return emit_inst(parse, REGEXP_SPLIT, split.out, split.arg);
}

// x{0,2} is (x(x)?)?: `count` of them, of which the first may be there.
static bool repeat_some(RegexpParse *parse, const RegexpRepeat *repeat,
                        int count, bool first) {
  int32_t step = (int32_t)repeat->len + 1;
  for (int i = 0; i < count; i++) {
    RegexpInst split = make_split(1, step * (count - i), repeat->lazy);
    if (i == 0 && first) {
      if (!insert_split(parse, repeat->from, split)) return false;
    } else if (!emit_inst(parse, REGEXP_SPLIT, split.out, split.arg) ||
               !copy_atom(parse, repeat, first)) {
      return false;
    }
  }
  return true;
}

static bool repeat_atom(RegexpParse *parse, const RegexpRepeat *repeat) {
  if (repeat->len == 0) return true;
  if (repeat->most == 0) {
    parse->inst_count = repeat->from;
    return true;
  }
  if (repeat->least == 0)
    return repeat->most < 0 ? repeat_star(parse, repeat)
                            : repeat_some(parse, repeat, repeat->most, true);
  for (int i = 1; i < repeat->least; i++)
    if (!copy_atom(parse, repeat, 0)) return false;
  if (repeat->most >= 0)
    return repeat_some(parse, repeat, repeat->most - repeat->least, false);
  RegexpInst split = make_split(-(int32_t)repeat->len, 1, repeat->lazy);
  return emit_inst(parse, REGEXP_SPLIT, split.out, split.arg);
}

// A number after `{` or `,`. -1: there is none. More than may be is one more.
static int read_repeat_count(RegexpParse *parse) {
  int count = -1;
  while (parse->at < parse->pattern.len &&
         parse->pattern.data[parse->at] >= '0' &&
         parse->pattern.data[parse->at] <= '9') {
    count = (count < 0 ? 0 : count * 10) + parse->pattern.data[parse->at] - '0';
    if (count > REGEXP_REPEAT_MOST) count = REGEXP_REPEAT_MOST + 1;
    parse->at++;
  }
  return count;
}

// {n}, {n,} or {n,m}. false: it is none, and `at` stays.
static bool read_braces(RegexpParse *parse, int *least, int *most) {
  size_t from = parse->at++;
  *least = *most = read_repeat_count(parse);
  if (*least >= 0 && peek_at(parse, 0, ',')) {
    parse->at++;
    *most = read_repeat_count(parse);
  }
  if (*least >= 0 && peek_at(parse, 0, '}')) {
    parse->at++;
    return true;
  }
  parse->at = from;
  return false;
}

static bool check_repeat(RegexpParse *parse, size_t from,
                         const RegexpFrame *frame, const RegexpRepeat *repeat) {
  if (frame->atom == REGEXP_NONE)
    return regexp_wrong(parse, from,
                        "there is nothing to repeat before this; write a "
                        "backslash before it for the character");
  if (frame->repeated)
    return regexp_wrong(parse, from,
                        "a repetition follows a repetition; put the first one "
                        "in a group (?:...)");
  if (repeat->least > REGEXP_REPEAT_MOST || repeat->most > REGEXP_REPEAT_MOST)
    return regexp_wrong(parse, from, "a number in braces is at most %d",
                        REGEXP_REPEAT_MOST);
  if (repeat->most >= 0 && repeat->most < repeat->least)
    return regexp_wrong(parse, from,
                        "the second number in braces is less than the first");
  return true;
}

// `at` is after the operator, which begins at `from`.
static bool add_repeat(RegexpParse *parse, size_t from, int least, int most) {
  RegexpFrame *frame = top_frame(parse);
  RegexpRepeat repeat = {.least = least, .most = most};
  if (!check_repeat(parse, from, frame, &repeat)) return false;
  repeat.lazy = (parse->flags & FLAG_LAZY) != 0;
  if (peek_at(parse, 0, '?')) {
    repeat.lazy = !repeat.lazy;
    parse->at++;
  }
  repeat.from = frame->atom;
  repeat.len = parse->inst_count - repeat.from;
  repeat.empty = frame->atom_empty;
  uint64_t copies = (uint64_t)(most < 0 ? least + 1 : most);
  if ((repeat.len + 1) * copies > REGEXP_INSTS_MOST)
    return too_large(parse, from);
  frame->atom_empty |= least == 0;
  frame->repeated = true;
  return repeat_atom(parse, &repeat);
}

static bool add_braces(RegexpParse *parse) {
  size_t from = parse->at;
  int least, most;
  if (read_braces(parse, &least, &most))
    return add_repeat(parse, from, least, most);
  parse->at++;
  return add_literal(parse, '{');
}

// --- Groups -----------------------------------------------------------------
static bool push_frame(RegexpParse *parse, size_t at, int32_t group) {
  if (parse->frame_count > REGEXP_DEPTH_MOST)
    return regexp_wrong(parse, at, "groups are at most %d deep in one another",
                        REGEXP_DEPTH_MOST);
  RegexpFrame *frames =
      regexp_grown(parse->call, parse->frames, &parse->frame_cap,
                   parse->frame_count + 1, sizeof *frames);
  if (frames == NULL) return regexp_no_memory(parse);
  parse->frames = frames;
  frames[parse->frame_count++] =
      (RegexpFrame){.begin = (uint32_t)parse->inst_count,
                    .branch = (uint32_t)parse->inst_count,
                    .atom = REGEXP_NONE,
                    .jumps = REGEXP_NONE,
                    .branch_empty = true,
                    .flags = parse->flags,
                    .group = group,
                    .at = at};
  return true;
}

// The alternative's end.
static void end_branch(RegexpFrame *frame) {
  if (frame->atom != REGEXP_NONE) frame->branch_empty &= frame->atom_empty;
  frame->any_empty |= frame->branch_empty;
  frame->branch_empty = true;
  frame->atom = REGEXP_NONE;
}

static bool add_branch(RegexpParse *parse) {
  RegexpFrame *frame = top_frame(parse);
  parse->at++;
  end_branch(frame);
  int32_t len = (int32_t)(parse->inst_count - frame->branch);
  if (!insert_split(parse, frame->branch, make_split(1, len + 2, false)))
    return false;
  uint32_t jump = (uint32_t)parse->inst_count;
  if (!emit_inst(parse, REGEXP_JUMP, 0, (int32_t)frame->jumps)) return false;
  frame->jumps = jump;
  frame->branch = (uint32_t)parse->inst_count;
  return true;
}

// All alternatives go on after the last one.
static void end_branches(RegexpParse *parse, RegexpFrame *frame) {
  end_branch(frame);
  for (uint32_t at = frame->jumps; at != REGEXP_NONE;) {
    RegexpInst *jump = &parse->insts[at];
    uint32_t before = (uint32_t)jump->arg;
    *jump = (RegexpInst){REGEXP_JUMP, (int32_t)(parse->inst_count - at), 0};
    at = before;
  }
}

static bool close_group(RegexpParse *parse) {
  if (parse->frame_count == 1)
    return regexp_wrong(parse, parse->at,
                        "the `)` has no `(` before it; write \\) for the "
                        "character");
  RegexpFrame *frame = top_frame(parse);
  end_branches(parse, frame);
  if (frame->group > 0 &&
      !emit_inst(parse, REGEXP_SAVE, 1, frame->group * 2 + 1))
    return false;
  parse->at++;
  parse->flags = frame->flags;
  parse->frame_count--;
  RegexpFrame *around = top_frame(parse);
  size_t begin = frame->begin - (frame->group > 0);
  begin_atom(parse, begin);
  around->atom_empty = frame->any_empty;
  return true;
}

static bool add_group_name(RegexpParse *parse, char *name) {
  RegexpName *names = regexp_grown(parse->call, parse->names, &parse->name_cap,
                                   parse->name_count + 1, sizeof *names);
  if (names == NULL) {
    csp_alloc_free(name);
    return regexp_no_memory(parse);
  }
  parse->names = names;
  names[parse->name_count++] = (RegexpName){name};
  return true;
}

static bool open_capture(RegexpParse *parse, size_t from, char *name) {
  size_t group = parse->name_count;
  if (!add_group_name(parse, name)) return false;
  if (group > REGEXP_GROUPS_MOST)
    return regexp_wrong(parse, from,
                        "a pattern has at most %d groups; groups that are not "
                        "read are written (?:...)",
                        REGEXP_GROUPS_MOST);
  return emit_inst(parse, REGEXP_SAVE, 1, (int32_t)group * 2) &&
         push_frame(parse, from, (int32_t)group);
}

static bool is_name_char(char c) { return regexp_is_word((uint8_t)c); }

static bool known_name(const RegexpParse *parse, Str name) {
  for (size_t i = 0; i < parse->name_count; i++) {
    const char *known = parse->names[i].name;
    if (known != NULL && strlen(known) == name.len &&
        memcmp(known, name.data, name.len) == 0)
      return true;
  }
  return false;
}

// `at` is after the `<`.
static bool open_named(RegexpParse *parse, size_t from) {
  Str pattern = parse->pattern;
  Str name = {pattern.data + parse->at, 0};
  while (parse->at + name.len < pattern.len &&
         is_name_char(name.data[name.len]))
    name.len++;
  parse->at += name.len;
  if (name.len == 0 || !peek_at(parse, 0, '>'))
    return regexp_wrong(parse, from,
                        "a group's name has letters of ASCII, digits and _, "
                        "and ends with `>`");
  if (*name.data >= '0' && *name.data <= '9')
    return regexp_wrong(parse, from, "a group's name begins with a letter");
  parse->at++;
  if (known_name(parse, name))
    return regexp_wrong(parse, from,
                        "another group has this name; names differ");
  char *copy = alloc_str(csp_of(parse->call), name);
  return copy != NULL ? open_capture(parse, from, copy)
                      : regexp_no_memory(parse);
}

// Flags, alone or of a group. `at` is after the question mark.
static bool read_group_flags(RegexpParse *parse, size_t from) {
  uint32_t flags = parse->flags, bit;
  bool off = false, any = false;
  for (;; parse->at++) {
    static const char names[] = "imsU";
    char c =
        parse->at < parse->pattern.len ? parse->pattern.data[parse->at] : 0;
    const char *name = c != '\0' ? strchr(names, c) : NULL;
    if (name != NULL) {
      bit = 1u << (name - names);
      flags = off ? flags & ~bit : flags | bit;
      any = true;
    } else if (c == '-' && !off) {
      off = true;
      any = false;
    } else if ((c == ':' || c == ')') && (any || !off)) {
      break;
    } else {
      return regexp_wrong(parse, from,
                          "this is no group; (?:...), (?P<name>...), "
                          "(?<name>...), and the flags in (?imsU-imsU) and "
                          "(?imsU-imsU:...) are known");
    }
  }
  bool group = parse->pattern.data[parse->at++] == ':';
  if (group && !push_frame(parse, from, 0)) return false;
  if (!group) begin_atom(parse, REGEXP_NONE);
  parse->flags = flags;
  return true;
}

static bool starts(const RegexpParse *parse, const char *with) {
  size_t len = strlen(with);
  return parse->pattern.len - parse->at >= len &&
         memcmp(parse->pattern.data + parse->at, with, len) == 0;
}

static bool parse_group(RegexpParse *parse) {
  static const char *const looks[] = {"(?=", "(?!", "(?<=", "(?<!"};
  size_t from = parse->at;
  for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
    if (starts(parse, looks[i]))
      return regexp_wrong(parse, from,
                          "look-around is not supported, as no search would "
                          "be linear with it; match what is around, and read "
                          "a group");
  if (starts(parse, "(?P=") || starts(parse, "(?P>"))
    return regexp_wrong(parse, from,
                        "back references are not supported, as no search "
                        "would be linear with them");
  bool named = starts(parse, "(?P<"), short_named = starts(parse, "(?<");
  if (named || short_named) {
    parse->at += named ? 4 : 3;
    return open_named(parse, from);
  }
  if (starts(parse, "(?")) {
    parse->at += 2;
    return read_group_flags(parse, from);
  }
  parse->at++;
  return open_capture(parse, from, NULL);
}

// --- All of it --------------------------------------------------------------
static bool parse_one(RegexpParse *parse) {
  bool lines = parse->flags & FLAG_LINES;
  size_t from = parse->at;
  uint32_t rune;
  switch (parse->pattern.data[from]) {
    case '(':
      return parse_group(parse);
    case ')':
      return close_group(parse);
    case '|':
      return add_branch(parse);
    case '[':
      return regexp_read_set(parse) && add_char_set(parse);
    case '.':
      return add_dot(parse);
    case '^':
      parse->at++;
      return add_assert(parse, lines ? LOOK_LINE_BEGIN : LOOK_TEXT_BEGIN);
    case '$':
      parse->at++;
      return add_assert(parse, lines ? LOOK_LINE_END : LOOK_TEXT_END);
    case '*':
    case '+':
    case '?':
      parse->at++;
      return add_repeat(parse, from, parse->pattern.data[from] == '+',
                        parse->pattern.data[from] == '?' ? 1 : -1);
    case '{':
      return add_braces(parse);
    case '\\':
      return add_escape(parse);
    default:
      return regexp_read_rune(parse, &rune) && add_literal(parse, rune);
  }
}

bool regexp_parse(RegexpParse *parse) {
  if (parse->pattern.len > REGEXP_PATTERN_MOST)
    return regexp_wrong(parse, REGEXP_PATTERN_MOST,
                        "a pattern has at most %d bytes", REGEXP_PATTERN_MOST);
  if (!add_group_name(parse, NULL) || !push_frame(parse, 0, 0)) return false;
  while (parse->at < parse->pattern.len) {
    if (!parse_one(parse)) return false;
    if (!csp_work(parse->call, 16)) return regexp_no_memory(parse);
  }
  RegexpFrame *frame = top_frame(parse);
  if (parse->frame_count > 1)
    return regexp_wrong(parse, frame->at,
                        "the `(` has no `)`; write \\( for the character");
  end_branches(parse, frame);
  return emit_inst(parse, REGEXP_MATCH, 0, 0);
}

void regexp_parse_free(RegexpParse *parse) {
  for (size_t i = 0; i < parse->name_count; i++)
    csp_alloc_free(parse->names[i].name);
  csp_alloc_free(parse->names);
  csp_alloc_free(parse->insts);
  csp_alloc_free(parse->ranges);
  csp_alloc_free(parse->sets);
  csp_alloc_free(parse->index);
  csp_alloc_free(parse->frames);
  ranges_free(&parse->set);
  ranges_free(&parse->spare);
}
