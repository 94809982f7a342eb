// SPDX-License-Identifier: MIT
// libFuzzer target: any pattern is refused with a place in it, or compiled.
// Then all engines find the same in any text: the automaton, with room or with
// so little that it is emptied or gives up, and the list. So do a find, a
// replacement and a split by a script. The first byte says how much room there
// is, the first line is the pattern, and the rest is the text.
// `tests/fuzz/run SECONDS` builds and runs it.
#include "tests/unit/regexp_listed.h"

#include "tests/fuzz/checker.h"

enum { WORK_MOST = 200000 };

static const char script[] =
    "import \"regexp\"\n"
    "func check(data) {\n"
    "  pattern, text, _ := data[1:].to_string().cut(\"\\n\")\n"
    "  re, err := regexp.compile(pattern)\n"
    "  if err != nil { return }\n"
    "  found := re.find_all(text)\n"
    "  assert(re.match(text) == (len(found) > 0))\n"
    "  out, at := \"\", 0\n"
    "  for m in found {\n"
    "    assert(m.text == text[m.start:m.end] && m.start >= at)\n"
    "    out += text[at:m.start] + \"<\" + m.text + \">\"\n"
    "    at = m.end\n"
    "  }\n"
    "  out += text[at:]\n"
    "  assert(re.replace(text, \"<$0>\") == out)\n"
    "  assert(re.replace(text, func(m) => \"<\" + m.text + \">\") == out)\n"
    "  parts := re.split(text)\n"
    "  assert(len(parts) <= len(found) + 1)\n"
    "  escaped, _ := regexp.compile(regexp.escape(text))\n"
    "  assert(escaped == nil || escaped.find(text).end == len(text))\n"
    "}\n";

// --- The engines ------------------------------------------------------------
typedef struct Answer {
  RegexpFound found;
  size_t begin, end, slots[REGEXP_GROUPS_MOST * 2 + 2];
} Answer;

static void ask(RegexpSearch *search, size_t from, bool listed,
                Answer *answer) {
  memset(answer, 0, sizeof *answer);
  answer->found = REGEXP_MORE;
  regexp_search_from(search, from);
  while (answer->found == REGEXP_MORE)
    answer->found = listed ? regexp_search_listed(search)
                           : regexp_search_on(search->machine->call, search);
  if (answer->found != REGEXP_FOUND) return;
  answer->begin = search->begin;
  answer->end = search->end;
  memcpy(answer->slots, search->machine->slots,
         search->program->group_count * 2 * sizeof(size_t));
}

static void compare(CspCall *call, Regexp *regexp, Str text, uint8_t room) {
  static Answer listed, found;
  RegexpSearch search;
  size_t before = REGEXP_NO_PLACE;
  if (!regexp_search_begin(call, &search, regexp, text, WANT_GROUPS)) abort();
  for (int i = 0; i < 2; i++)
    if (room < 128) search.machine->dfas[i].most = (size_t)room * 64;
  while (search.from <= text.len) {
    size_t from = search.from;
    ask(&search, from, true, &listed);
    ask(&search, from, false, &found);
    if (memcmp(&listed, &found, sizeof found) != 0) abort();
    if (found.found != REGEXP_FOUND) break;
    regexp_search_next(&search, &before);
  }
  regexp_search_end(&search);
}

// Whether it is a pattern, and not too much work for all searches.
static bool open_regexp(CspCall *call, Regexp *regexp, Str pattern,
                        size_t text) {
  RegexpParse parse = {.call = call, .pattern = pattern};
  memset(regexp, 0, sizeof *regexp);
  regexp->csp = checker;
  if (regexp_parse(&parse)) regexp->program = regexp_program(&parse);
  if (parse.fail == REGEXP_WRONG &&
      (parse.wrong > pattern.len || parse.why[0] == '\0'))
    abort();
  regexp_parse_free(&parse);
  return regexp->program != NULL &&
         regexp->program->count * (text + 1) <= WORK_MOST;
}

static void close_regexp(Regexp *regexp) {
  regexp_free_idle(regexp);
  if (regexp->program != NULL) regexp_program_free(regexp->program);
}

static void run_script(CspCall *call, const uint8_t *data, size_t size) {
  bool read;
  checker_try(data, size, &read, NULL);
  // what the values of patterns had is not taken for a leak
  csp_collect(call);
  csp_collect(call);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (checker == NULL) checker_open(script, NULL);
  if (size == 0) return 0;
  CspCall *call = csp_host(checker);
  const char *from = (const char *)data + 1;
  const char *end = memchr(from, '\n', size - 1);
  size_t len = end != NULL ? (size_t)(end - from) : size - 1;
  Str pattern = {from, len};
  Str text = {from + len + (end != NULL), size - 1 - len - (end != NULL)};
  Regexp regexp;
  bool opened = open_regexp(call, &regexp, pattern, text.len);
  if (opened) compare(call, &regexp, text, data[0]);
  if (opened) run_script(call, data, size);
  close_regexp(&regexp);
  gate(size, opened);
  return 0;
}
