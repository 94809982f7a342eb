// SPDX-License-Identifier: MIT
// Replacing matches by a text with groups in it, or by what a function gives.
//
// The text is taken apart once: in each part some text goes before a group. A
// Replacement is the state between two pieces. It holds the search's machine.
#include "stdlib/regexp.h"

#include "stdlib/text_job.h"

typedef struct ReplacePart {
  Str text;        // of the argument, which is kept
  uint32_t group;  // or REGEXP_NONE
} ReplacePart;

typedef struct Replacement {
  RegexpSearch search;
  size_t copied;  // bytes of the text that are in the result, or replaced
  size_t before;  // where the last match ended
  int64_t left;   // matches to replace. Negative means all
  bool over;
  size_t next, count;  // parts: of this match, to be added
  ReplacePart parts[];
} Replacement;

// --- The text with groups ---------------------------------------------------
typedef struct Template {
  CspCall *call;
  const RegexpProgram *program;
  Str text;
  size_t at;
  ReplacePart *parts;  // NULL: they are only counted
  size_t count;
  bool groups;  // more than all of the match is wanted
} Template;

static size_t group_name_length(Str text, size_t at) {
  size_t len = 0;
  bool digits = at < text.len && (uint8_t)(text.data[at] - '0') < 10;
  for (; at + len < text.len; len++) {
    char c = text.data[at + len];
    if (digits ? (uint8_t)(c - '0') >= 10 : !regexp_is_word((uint8_t)c)) break;
  }
  return len;
}

static uint32_t group_by_number(const RegexpProgram *program, Str name) {
  uint32_t number = 0;
  for (size_t i = 0; i < name.len; i++) {
    number = number * 10 + (uint32_t)(name.data[i] - '0');
    if (number >= program->group_count) return REGEXP_NONE;
  }
  return number;
}

static uint32_t group_of_name(const RegexpProgram *program, Str name) {
  if ((uint8_t)(*name.data - '0') < 10) return group_by_number(program, name);
  for (uint32_t i = 1; i < program->group_count; i++) {
    const char *known = program->names[i].name;
    if (known != NULL && strlen(known) == name.len &&
        memcmp(known, name.data, name.len) == 0)
      return i;
  }
  return REGEXP_NONE;
}

static bool bad_dollar(Template *template) {
  csp_panic(template->call,
            "%s: after $ in `with` a group's number or name should stand, as "
            "in $1, ${1} or ${name}; write $$ for the character",
            csp_name(template->call));
  return false;
}

static bool no_group(Template *template, Str name) {
  enum { SHOWN = 60 };
  char shown[UTF8_SHOWN(SHOWN)];
  utf8_show(name.data, name.len, SHOWN, shown);
  csp_panic(template->call, "%s: the pattern has no group `%s`",
            csp_name(template->call), shown);
  return false;
}

// `at` is after the dollar. Finds the group, or NONE for a dollar itself.
static bool read_dollar(Template *template, uint32_t *group) {
  Str text = template->text;
  bool braces = template->at < text.len && text.data[template->at] == '{';
  *group = REGEXP_NONE;
  if (template->at < text.len && text.data[template->at] == '$') return true;
  size_t from = template->at + braces, len = group_name_length(text, from);
  bool closed =
      !braces || (from + len < text.len && text.data[from + len] == '}');
  if (len == 0 || !closed) return bad_dollar(template);
  Str name = {text.data + from, len};
  *group = group_of_name(template->program, name);
  template->at = from + len + braces;
  return *group != REGEXP_NONE || no_group(template, name);
}

static void add_template_part(Template *template, size_t from, size_t to,
                              uint32_t group) {
  ReplacePart part = {{template->text.data + from, to - from}, group};
  if (template->parts != NULL) template->parts[template->count] = part;
  template->count++;
  template->groups |= group != REGEXP_NONE &&group > 0;
}

// Moves `at` to the next dollar, or to the text's end. false: panicked.
static bool next_dollar(Template *template) {
  enum { PIECE = 1 << 16 };
  Str text = template->text;
  while (template->at < text.len) {
    const char *from = text.data + template->at;
    size_t left = text.len - template->at, piece = left < PIECE ? left : PIECE;
    const char *dollar = memchr(from, '$', piece);
    size_t passed = dollar != NULL ? (size_t)(dollar - from) : piece;
    template->at += passed;
    if (!csp_work(template->call, 10 + passed / 16)) return false;
    if (dollar != NULL) break;
  }
  return true;
}

// false: panicked.
static bool read_template(Template *template) {
  Str text = template->text;
  size_t from = 0;
  template->at = template->count = 0;
  while (next_dollar(template) && template->at < text.len) {
    size_t to = template->at++;
    uint32_t group;
    if (!read_dollar(template, &group)) return false;
    bool plain = group == REGEXP_NONE;
    add_template_part(template, from, to + plain, group);
    template->at += plain;
    from = template->at;
    if (!csp_work(template->call, 30)) return false;
  }
  add_template_part(template, from, text.len, REGEXP_NONE);
  return csp_work(template->call, 1);  // false after a panic
}

// --- Pieces -----------------------------------------------------------------
static void add_group_text(TextJob *job, Replacement *own, uint32_t group) {
  const size_t *slots = own->search.machine->slots + (size_t)group * 2;
  size_t ends[2] = {own->search.begin, own->search.end};
  if (group > 0) memcpy(ends, slots, sizeof ends);
  if (ends[1] == REGEXP_NO_PLACE) return;
  text_job_add(job, (Str){own->search.text.data + ends[0], ends[1] - ends[0]});
}

static void add_part_text(TextJob *job, Replacement *own) {
  ReplacePart part = own->parts[own->next++];
  text_job_add(job, part.text);
  if (part.group != REGEXP_NONE) add_group_text(job, own, part.group);
}

static void replace_match(TextJob *job, Replacement *own) {
  RegexpSearch *search = &own->search;
  if (regexp_search_next(search, &own->before)) {
    text_job_add(job, (Str){search->text.data + own->copied,
                            search->begin - own->copied});
    own->copied = search->end;
    own->next = 0;
    if (own->left > 0) own->over = --own->left == 0;
  }
  if (search->from > search->text.len) own->over = true;
}

static void replace_search(TextJob *job, Replacement *own) {
  RegexpFound found = regexp_search_on(job->call, &own->search);
  job->took += own->search.units;
  own->search.units = 0;
  if (found == REGEXP_FOUND) replace_match(job, own);
  if (found == REGEXP_NOWHERE) own->over = true;
  if (found == REGEXP_PANICKED) job->text.failed = true;
}

static bool replace_parts(TextJob *job) {
  Replacement *own = job->own;
  while (!text_job_full(job)) {
    if (own->next < own->count) {
      add_part_text(job, own);
    } else if (!own->over) {
      replace_search(job, own);
    } else {
      Str text = own->search.text;
      text_job_add(job, (Str){text.data + own->copied, text.len - own->copied});
      return false;
    }
  }
  return true;
}

static void replace_drop(void *data) {
  Replacement *own = data;
  regexp_search_end(&own->search);
}

// --- replace ----------------------------------------------------------------
static CspStatus replace_by_text(CspCall *call, Regexp *regexp, int64_t n) {
  Str text;
  Template template = {.call = call, .program = regexp->program};
  if (!need_str(call, 1, &text) || !need_str(call, 2, &template.text) ||
      !read_template(&template))
    return CSP_PANIC;
  if (template.count > csp_room(call) / sizeof(ReplacePart))
    return csp_panic_memory(call);
  TextJob job = text_job_of(call, replace_parts);
  Replacement *own = csp_alloc(
      csp_of(call), NULL, sizeof *own + template.count * sizeof *own->parts);
  if (own == NULL) return csp_panic_memory(call);
  RegexpWant want = template.groups ? WANT_GROUPS : WANT_PLACE;
  RegexpSearch search;
  if (!regexp_search_begin(call, &search, regexp, text, want)) {
    csp_alloc_free(own);
    return csp_panic_memory(call);
  }
  *own = (Replacement){.search = search,
                       .before = REGEXP_NO_PLACE,
                       .left = n,
                       .over = n == 0,
                       .next = template.count,
                       .count = template.count};
  template.parts = own->parts;
  job.own = own;
  job.drop = replace_drop;
  if (read_template(&template)) return text_job_run(&job);
  regexp_search_end(&own->search);
  csp_alloc_free(own);
  return CSP_PANIC;
}

// replace(text, with, n): `with` is a text, or a function of a match.
CspStatus regexp_replace(CspCall *call) {
  Regexp *regexp;
  Str text;
  int64_t n;
  if (!regexp_and_text(call, &regexp, &text) || !opt_int(call, 3, -1, &n))
    return CSP_PANIC;
  CspType with = csp_type(csp_arg(call, 2));
  if (with == CSP_STRING) return replace_by_text(call, regexp, n);
  if (with != CSP_FUNC) return csp_bad_arg(call, 2, "a string or a function");
  CspValue args[4] = {csp_arg(call, 0), csp_arg(call, 1), csp_arg(call, 2),
                      csp_arg(call, 3)};
  return csp_tail(call, regexp_library_value(call, REGEXP_REPLACED), 4, args);
}
