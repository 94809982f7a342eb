// SPDX-License-Identifier: MIT
// Regular expressions: what the files of the module regexp share.
//
// A pattern becomes a program of instructions (regexp_parse.c), which says what
// texts match. It reads characters, not bytes: a byte that is no UTF-8 is the
// character U+FFFD. Characters between which the pattern makes no difference
// are of one class, a small number (regexp_program.c).
//
// Three engines run a program, each in a time that is linear in the text. The
// automaton (regexp_dfa.c) tells where the first match ends, then where it
// begins. It makes its states when they are needed, and keeps them. The list
// (regexp_pike.c) follows all ways at once, with the groups of each. It can do
// all, slowly, so it is for what has too many states. The tries
// (regexp_tries.c) go one way after the other, never twice to one place, to
// find the groups of a short match.
//
// Owners:
//   RegexpProgram   the regexp's value. Nothing changes it after it was made,
//                   so any thread may read it as long as the value is there
//   RegexpMachine   what the engines change: states, lists. It belongs to one
//                   search at a time, from regexp_search_begin to _end, also
//                   between the search's pieces. In between it is in the
//                   regexp's pool (guarded by its lock), or freed where the
//                   pool is full. A machine never goes to another regexp.
//                   What it takes is weighed by the regexp's value before
//                   it is taken (csp_host_weight), with the program
//   RegexpSearch    one native call. Its regexp and its text are arguments of
//                   the call, or else kept by it.
#ifndef CSP_STDLIB_REGEXP_H
#define CSP_STDLIB_REGEXP_H

#include <pthread.h>

#include "stdlib/stdlib.h"

enum {
  REGEXP_PATTERN_MOST = 1 << 18,  // bytes; is read in one piece
  REGEXP_REPEAT_MOST = 1000,      // in {n,m}
  REGEXP_DEPTH_MOST = 1000,       // groups in one another
  REGEXP_GROUPS_MOST = 250,       // but for all of the match
  REGEXP_INSTS_MOST = 50000,      // instructions
  REGEXP_RANGES_MOST = 200000,    // of all sets
  REGEXP_BITS_MOST = 1 << 23,     // bytes, of all sets
  REGEXP_PREFIX_MOST = 64,        // bytes
  REGEXP_RUNE_END = 0x110000
};
#define REGEXP_NONE UINT32_MAX

typedef enum RegexpOp {
  REGEXP_CHAR,    // a character of set `arg`, then `out`
  REGEXP_SPLIT,   // `out`, or else `arg`
  REGEXP_JUMP,    // `out`
  REGEXP_SAVE,    // the place is saved in slot `arg`
  REGEXP_ASSERT,  // one of the RegexpLook `arg` holds here
  REGEXP_MATCH
} RegexpOp;

// What holds between two characters.
typedef enum RegexpLook {
  LOOK_TEXT_BEGIN = 1,
  LOOK_TEXT_END = 2,
  LOOK_LINE_BEGIN = 4,
  LOOK_LINE_END = 8,
  LOOK_WORD = 16,     // a word begins or ends
  LOOK_NO_WORD = 32,  // none does
} RegexpLook;
enum {
  LOOK_BEGINS = LOOK_TEXT_BEGIN | LOOK_LINE_BEGIN,
  LOOK_ENDS = LOOK_TEXT_END | LOOK_LINE_END,
  LOOK_ANY_WORD = LOOK_WORD | LOOK_NO_WORD
};

// `out` and the `arg` of a split are places: in a program from its beginning,
// in one that is being made from the instruction itself.
typedef struct RegexpInst {
  uint32_t op;
  int32_t out, arg;
} RegexpInst;

typedef struct RegexpRange {
  uint32_t low, high;
} RegexpRange;

// Characters: ranges in order that do not touch.
typedef struct RegexpRanges {
  RegexpRange *at;
  size_t count, cap;
} RegexpRanges;

// Of a pattern that is being read.
typedef struct RegexpSet {
  uint32_t first, count;  // of the parse's ranges
  uint32_t hash;
} RegexpSet;

typedef enum RegexpFail {
  REGEXP_FINE,
  REGEXP_WRONG,     // the pattern is: `wrong` and `why`
  REGEXP_NO_MEMORY  // or given up
} RegexpFail;

typedef struct RegexpName {
  char *name;  // or NULL
} RegexpName;

// One group that is open. Places are instructions.
typedef struct RegexpFrame {
  uint32_t begin;   // of the group
  uint32_t branch;  // of the alternative that is being read
  uint32_t atom;    // of what an operator would repeat, or REGEXP_NONE
  uint32_t jumps;   // the last jump of an alternative to the end, or NONE
  bool atom_empty, branch_empty, any_empty;  // may match no character
  bool repeated;                             // the atom was repeated
  uint32_t flags;                            // of what is around it
  int32_t group;                             // its number, or 0
  size_t at;                                 // its place in the pattern
} RegexpFrame;

typedef struct RegexpParse {
  CspCall *call;
  Str pattern;
  size_t at;
  uint32_t flags;
  RegexpFail fail;
  size_t wrong;
  char why[240];
  RegexpInst *insts;
  size_t inst_count, inst_cap;
  RegexpRange *ranges;
  size_t range_count, range_cap;
  RegexpSet *sets;
  size_t set_count, set_cap;
  uint32_t *index;  // sets by their hash
  size_t index_cap;
  RegexpFrame *frames;
  size_t frame_count, frame_cap;
  RegexpName *names;  // of the groups, the first is all of the match
  size_t name_count, name_cap;
  RegexpRanges set;  // the one that is being read
  RegexpRanges spare;
  uint32_t looks;  // all that its assertions look for
} RegexpParse;

// A set of classes: one, or those whose bits are set.
typedef struct RegexpClasses {
  uint32_t only;  // or REGEXP_NONE
  const uint64_t *bits;
} RegexpClasses;

typedef struct RegexpProgram {
  RegexpInst *insts;
  uint32_t count;
  RegexpClasses *sets;
  uint64_t *bits;
  // The classes of characters from 0 on. The one of the end is class_count.
  uint32_t class_count;
  uint16_t ascii[128];
  uint32_t *starts;         // of the segments, the first is 0
  uint16_t *segment_class;  // of each
  uint16_t *pages;          // the segment that a page of 256 begins in
  uint32_t segment_count;
  uint16_t wide;      // the class of all that is not ASCII, or REGEXP_NO_CLASS
  uint8_t *kinds;     // of each class, of the end, too: KIND_*
  uint32_t looks;     // that its assertions look for
  bool anchored;      // it matches at the text's beginning alone
  bool is_prefix;     // and nothing else
  uint32_t *before;   // the instructions that lead to each: those from
  uint32_t *befores;  //   befores[i] to befores[i + 1]
  size_t prefix_len;
  char prefix[REGEXP_PREFIX_MOST];  // that each match begins with
  RegexpName *names;
  uint32_t group_count;  // all of the match is one
  size_t bytes;          // of all its blocks
  bool named;            // some group has a name
} RegexpProgram;

enum { KIND_WORD = 1, KIND_NEWLINE = 2, KIND_END = 4 };
#define REGEXP_NO_CLASS UINT16_MAX

static inline bool regexp_has(const RegexpProgram *program,
                              const RegexpInst *inst, uint32_t class) {
  const RegexpClasses *set = &program->sets[inst->arg];
  if (set->bits == NULL) return set->only == class;
  return set->bits[class / 64] >> class % 64 & 1;
}

// --- regexp_program.c: classes of characters --------------------------------
uint32_t regexp_wide_class(const RegexpProgram *program, uint32_t rune);
// The class of the character at data[at], and its width.
static inline uint32_t regexp_class_at(const RegexpProgram *program, Str text,
                                       size_t at, size_t *width) {
  uint8_t byte = (uint8_t)text.data[at];
  *width = 1;
  if (byte < 0x80) return program->ascii[byte];
  uint32_t rune = utf8_wide(text.data, text.len, at, width);
  return regexp_wide_class(program, rune);
}

// --- regexp_search.c: places ------------------------------------------------
static inline bool regexp_is_word(uint8_t byte) {
  return (uint8_t)((byte | 32) - 'a') < 26 || (uint8_t)(byte - '0') < 10 ||
         byte == '_';
}
// All that holds before the character at `at`.
uint32_t regexp_looks_at(Str text, size_t at);

// --- regexp_ranges.c: sets of characters ------------------------------------
// false: no memory.
bool ranges_add(CspCall *call, RegexpRanges *ranges, uint32_t low,
                uint32_t high);
bool ranges_add_all(CspCall *call, RegexpRanges *to, const RegexpRanges *from);
// Adds what differs in case alone.
bool ranges_fold(CspCall *call, RegexpRanges *ranges);
// In order, joined.
bool ranges_tidy(CspCall *call, RegexpRanges *ranges);
// All others. The ranges are tidy.
bool ranges_negate(CspCall *call, RegexpRanges *ranges);
// The characters of a category or script. *known: whether there is one.
bool ranges_add_unicode(CspCall *call, RegexpRanges *ranges, Str name,
                        bool *known);
void ranges_free(RegexpRanges *ranges);
// A block of `count` or more, NULL without memory.
void *regexp_grown(CspCall *call, void *block, size_t *cap, size_t count,
                   size_t size);

// --- regexp_class.c: [...], \d, \pL -----------------------------------------
// All of these read at parse->at, and leave the characters in parse->set.
bool regexp_read_set(RegexpParse *parse);
// \d, \pL and the like after a backslash. *is: it was one.
bool regexp_read_class(RegexpParse *parse, bool *is);
// The character that an escape stands for, after its backslash.
bool regexp_read_escape(RegexpParse *parse, uint32_t *rune);
bool regexp_read_rune(RegexpParse *parse, uint32_t *rune);

// --- regexp_parse.c ---------------------------------------------------------
enum {
  FLAG_FOLD = 1,   // i
  FLAG_LINES = 2,  // m
  FLAG_DOT = 4,    // s
  FLAG_LAZY = 8    // U
};
// false, and parse->fail tells why. Afterwards the parse has to be freed.
bool regexp_parse(RegexpParse *parse);
void regexp_parse_free(RegexpParse *parse);
// The pattern is wrong there. Gives false.
__attribute__((format(printf, 3, 4), cold)) bool regexp_wrong(
    RegexpParse *parse, size_t at, const char *format, ...);
bool regexp_no_memory(RegexpParse *parse);

// --- regexp_program.c -------------------------------------------------------
// The program of a parse that went well. NULL: parse->fail.
RegexpProgram *regexp_program(RegexpParse *parse);
void regexp_program_free(RegexpProgram *program);

// --- regexp_dfa.c: the automaton --------------------------------------------
// A state is a set of instructions. Where a state leads to on a class is found
// out when a search gets there.
//
// `next` has a row for each state, with an entry for each class and for the
// end: 0 if it is not known yet, else the place of the next state's row, and
// marks. Row 0 is no state's. Whether a match ends (begins) at a place depends
// on the character after (before) it, so that is found out one character
// follow_later: STATE_MATCH says that there was one before the character just
// read.
#define STATE_MATCH (1u << 31)
#define STATE_SKIP (1u << 30)  // nothing has begun, so a search may skip
#define STATE_DEAD (1u << 29)  // there is no next state
#define STATE_ROW (STATE_DEAD - 1)

typedef struct RegexpState {
  uint32_t first, count;  // in lists
  uint32_t kind;          // what is known before its place: KNOWN_*
  uint32_t hash;
} RegexpState;

typedef struct RegexpDfa {
  bool back;  // it reads from the end on
  uint32_t *next;
  RegexpState *states;
  uint32_t count, cap;  // states
  uint32_t stride;
  uint32_t *lists;
  size_t used, lists_cap;
  size_t most;          // bytes of `next`, and of lists
  uint32_t *index;      // states by their hash; a power of two, twice the cap
  uint32_t begins[32];  // rows that searches began with, by what was known
  uint32_t skip;        // the row in which nothing has begun, or 0
  size_t made;          // states since it was emptied
  size_t emptied;       // the place of the search then
} RegexpDfa;

// Instructions in the order in which they are tried.
typedef struct RegexpList {
  uint32_t *at;
  uint32_t count;
  uint32_t *marks;  // of those that were seen: `mark`
  uint32_t mark;
} RegexpList;

// A way to go, or with a slot what it is to be again.
typedef struct RegexpWay {
  uint32_t inst, slot;
  size_t at;
} RegexpWay;

typedef struct RegexpMachine {
  struct RegexpMachine *next;  // in the pool
  CspCall *call;               // that searches now, whose argument 0 is the
                               // regexp
  struct Regexp *regexp;
  size_t bytes;  // that it has, of the regexp's
  const RegexpProgram *program;
  RegexpList lists[2];
  uint32_t *roots;
  RegexpWay *ways;
  size_t way_count, way_cap;
  RegexpDfa dfas[2];  // forwards, backwards
  size_t *slots;      // of the match that was found
  size_t *scratch;    // of the way that is gone
  size_t *rows[2];    // of the lists' ways
  size_t row_caps[2];
  uint64_t *seen;  // of the tries, REGEXP_TRIES bits
} RegexpMachine;

enum { REGEXP_TRIES = 1 << 15 };

typedef enum RegexpFound {
  REGEXP_FOUND,
  REGEXP_NOWHERE,
  REGEXP_MORE,     // the piece is spent
  REGEXP_GIVE_UP,  // of an automaton: it has too many states
  REGEXP_PANICKED  // no memory
} RegexpFound;

typedef enum RegexpWant {
  WANT_MATCH,   // whether there is one
  WANT_PLACE,   // where the first is
  WANT_GROUPS,  // and its groups
} RegexpWant;

typedef struct Regexp Regexp;
typedef struct RegexpSearch RegexpSearch;
struct RegexpSearch {
  Regexp *regexp;
  const RegexpProgram *program;
  RegexpMachine *machine;
  Str text;
  RegexpWant want;
  size_t from;        // where a match may begin
  size_t begin, end;  // of the match. end: SIZE_MAX if none is known
  size_t at;          // of the engine
  uint32_t row;       // of the automaton
  uint64_t units;     // that were not charged yet
  size_t room;        // bytes that a block may take
  RegexpFound (*step)(RegexpSearch *search);  // what is to be done next
};

enum {
  REGEXP_PIECE = 1 << 15,  // units
  REGEXP_CHUNK = 1 << 14   // bytes
};
#define REGEXP_NO_PLACE SIZE_MAX

// The row that a search begins with at `at`. 0: no memory.
uint32_t dfa_begin(RegexpSearch *search, RegexpDfa *dfa, size_t at);
// Where a row leads on a class, which the place `at` of the text has. 0: it
// has too many states, or no memory.
uint32_t dfa_step(RegexpSearch *search, RegexpDfa *dfa, uint32_t row,
                  uint32_t class);
bool dfa_make(RegexpMachine *machine, RegexpDfa *dfa, bool back);
void dfa_free(RegexpDfa *dfa);

// --- regexp_pike.c: all ways at once ----------------------------------------
// From search->at on, the first match. The slots are the machine's.
RegexpFound pike_begin(RegexpSearch *search);

// --- regexp_tries.c: one way after the other --------------------------------
static inline bool tries_fit(const RegexpProgram *program, size_t len) {
  return len < REGEXP_TRIES && program->count * (len + 1) <= REGEXP_TRIES;
}
// The groups of the match from search->begin to search->end.
RegexpFound tries_groups(RegexpSearch *search);

// --- regexp_search.c --------------------------------------------------------
struct Regexp {
  Csp *csp;
  bool is_value;  // a script's, which weighs its bytes
  RegexpProgram *program;
  char *pattern;
  size_t pattern_len;
  pthread_mutex_t lock;  // zeroed: ready for use
  RegexpMachine *idle;   // guarded by lock
  int idle_count;        // guarded by lock
  size_t bytes;          // guarded by lock: of the program and all machines.
  size_t weight;         // guarded by lock: what the value weighs. It is more
                         // than `bytes` only until the next search
};

// csp_alloc of a machine's block, which had `old` bytes.
void *machine_alloc(RegexpMachine *machine, void *block, size_t old,
                    size_t size);
// A search takes a machine, and has to end. false: no memory.
bool regexp_search_begin(CspCall *call, RegexpSearch *search, Regexp *regexp,
                         Str text, RegexpWant want);
void regexp_search_end(RegexpSearch *search);
// The next search begins there.
void regexp_search_from(RegexpSearch *search, size_t from);
// After a match: the next one is looked for after it. As in Go an empty match
// does not count where the match before it ended (*before, at first
// REGEXP_NO_PLACE). Then it gives false. search->begin and end stay what they
// are. It is over where search->from is after the text's end.
bool regexp_search_next(RegexpSearch *search, size_t *before);
// Goes on for a piece. REGEXP_FOUND: begin and end (not of WANT_MATCH), and the
// machine's slots (of WANT_GROUPS). After it search->units is to be charged.
RegexpFound regexp_search_on(CspCall *call, RegexpSearch *search);
// Empties the pool.
void regexp_free_idle(Regexp *regexp);

// --- regexp.c, regexp_replace.c: natives ------------------------------------
extern const CspClass regexp_class;
// The receiver and the text of the call. false: panicked.
bool regexp_and_text(CspCall *call, Regexp **regexp, Str *text);
// What the module's part in the language gives to natives.
typedef enum RegexpPart {
  REGEXP_STRUCT_MATCH,  // the struct Match
  REGEXP_REPLACED,      // what replaces by a function
  REGEXP_EACH,          // what goes from match to match
  REGEXP_PARTS
} RegexpPart;
CspValue regexp_library_value(CspCall *call, RegexpPart part);
CspStatus regexp_replace(CspCall *call);

#endif
