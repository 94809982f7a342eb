// SPDX-License-Identifier: MIT
// The module regexp: compiled patterns as values, and their methods.
//
// A method that goes through a text has a RegexpJob, its state between two
// pieces. The job holds a search, and the search a machine, until it is over or
// given up. The struct of a match, and the function that replaces by a
// function, are in the module's part in the language. That part gives them to
// the first pattern that is compiled.
#include "stdlib/regexp.h"

#include "stdlib/text_job.h"

// --- What the runtime has once ----------------------------------------------
typedef struct RegexpLibrary {
  pthread_mutex_t lock;           // zeroed: ready for use
  CspHandle parts[REGEXP_PARTS];  // guarded by lock until it is set, once
} RegexpLibrary;

static const CspClass regexp_library_class = {"regexp.library", NULL,
                                              sizeof(RegexpLibrary), NULL};

// The arguments after the pattern are the parts. false: no memory.
static bool set_library(CspCall *call) {
  RegexpLibrary *library = csp_state(csp_of(call), &regexp_library_class);
  if (library == NULL) return false;
  pthread_mutex_lock(&library->lock);
  bool set = true;
  for (int i = 0; i < REGEXP_PARTS; i++) {
    CspHandle *part = &library->parts[i];
    if (*part == 0) *part = csp_hold(call, csp_arg(call, i + 1));
    set = set && *part != 0;
  }
  pthread_mutex_unlock(&library->lock);
  return set;
}

CspValue regexp_library_value(CspCall *call, RegexpPart part) {
  RegexpLibrary *library = csp_state(csp_of(call), &regexp_library_class);
  pthread_mutex_lock(&library->lock);
  CspHandle handle = library->parts[part];
  pthread_mutex_unlock(&library->lock);
  return csp_held(call, handle);
}

// --- Patterns ---------------------------------------------------------------
static void regexp_finalize(void *data) {
  Regexp *regexp = data;
  if (regexp->program == NULL) return;
  regexp_free_idle(regexp);
  regexp_program_free(regexp->program);
  csp_alloc_free(regexp->pattern);
}

const CspClass regexp_class = {"regexp", regexp_finalize, sizeof(Regexp), NULL};

static CspStatus regexp_refused(CspCall *call, RegexpParse *parse) {
  CspStatus status = CSP_PANIC;
  if (parse->fail == REGEXP_WRONG)
    status = csp_ok_coded(call, "syntax", "regexp: position %zu: %s",
                          parse->wrong, parse->why);
  else
    csp_panic_memory(call);
  regexp_parse_free(parse);
  return status;
}

// Takes the program.
static CspStatus regexp_made(CspCall *call, RegexpProgram *program,
                             Str pattern) {
  Regexp *regexp;
  size_t bytes = program->bytes + pattern.len;
  char *copy = alloc_str(csp_of(call), pattern);
  CspValue value = copy != NULL
                       ? csp_host_new(call, &regexp_class, (void **)&regexp)
                       : csp_nil();
  if (copy == NULL || csp_is_undef(value) ||
      !csp_host_weight(call, value, bytes)) {
    csp_alloc_free(copy);
    regexp_program_free(program);
    return csp_panic_memory(call);
  }
  *regexp = (Regexp){.csp = csp_of(call),
                     .is_value = true,
                     .program = program,
                     .pattern = copy,
                     .pattern_len = pattern.len,
                     .bytes = bytes,
                     .weight = bytes};
  return csp_ok_value(call, value);
}

// _compile(pattern, Match, replaced, each)
static CspStatus regexp_compile(CspCall *call) {
  RegexpParse parse = {.call = call};
  if (!need_str(call, 0, &parse.pattern)) return CSP_PANIC;
  if (!set_library(call)) return csp_panic_memory(call);
  RegexpProgram *program = regexp_parse(&parse) ? regexp_program(&parse) : NULL;
  if (program == NULL) return regexp_refused(call, &parse);
  regexp_parse_free(&parse);
  return regexp_made(call, program, parse.pattern);
}

// --- Matches ----------------------------------------------------------------
// nil: the group took no part.
static CspValue group_text(CspCall *call, Str text, const size_t *slots) {
  if (slots[1] == REGEXP_NO_PLACE) return csp_nil();
  return csp_string(call, text.data + slots[0], slots[1] - slots[0]);
}

static CspValue group_span(CspCall *call, const size_t *slots) {
  if (slots[1] == REGEXP_NO_PLACE) return csp_nil();
  CspValue ends[2] = {csp_int(call, (int64_t)slots[0]),
                      csp_int(call, (int64_t)slots[1])};
  return csp_tuple(call, ends, 2);
}

static bool add_names(CspCall *call, const RegexpProgram *program,
                      const CspValue *groups, CspValue named) {
  for (uint32_t i = 1; i < program->group_count; i++) {
    const char *name = program->names[i].name;
    if (name != NULL && !csp_map_set_name(call, named, name, groups[i]))
      return false;
  }
  return true;
}

// The groups' texts and places. false: no memory.
static bool make_groups(CspCall *call, const RegexpSearch *search,
                        CspValue *groups, CspValue *spans) {
  const size_t *slots = search->machine->slots;
  for (uint32_t i = 0; i < search->program->group_count; i++, slots += 2) {
    groups[i] = group_text(call, search->text, slots);
    spans[i] = group_span(call, slots);
    if (csp_is_undef(groups[i]) || csp_is_undef(spans[i])) return false;
  }
  return true;
}

enum { MATCH_FIELDS = 6 };

// The fields of a Match. false: no memory.
static bool make_fields(CspCall *call, const RegexpSearch *search,
                        CspValue fields[MATCH_FIELDS]) {
  CspValue groups[REGEXP_GROUPS_MOST + 1], spans[REGEXP_GROUPS_MOST + 1];
  const RegexpProgram *program = search->program;
  const size_t *slots = search->machine->slots;
  if (!make_groups(call, search, groups, spans)) return false;
  fields[0] = groups[0];
  fields[1] = csp_int(call, (int64_t)slots[0]);
  fields[2] = csp_int(call, (int64_t)slots[1]);
  fields[3] = csp_tuple(call, groups, program->group_count);
  fields[4] = csp_map(call, 0);
  fields[5] = csp_tuple(call, spans, program->group_count);
  for (int i = 0; i < MATCH_FIELDS; i++)
    if (csp_is_undef(fields[i])) return false;
  return add_names(call, program, groups, fields[4]);
}

// What the search has found. false: panicked.
static bool make_match(CspCall *call, const RegexpSearch *search,
                       CspValue *match) {
  CspValue fields[MATCH_FIELDS];
  CspResult result;
  if (!make_fields(call, search, fields)) {
    csp_panic_memory(call);
    return false;
  }
  CspValue type = regexp_library_value(call, REGEXP_STRUCT_MATCH);
  if (csp_new_struct(call, type, MATCH_FIELDS, fields, NULL, &result) !=
      CSP_DONE) {
    csp_result_free(&result);  // all fields are given: there was no memory
    csp_panic_memory(call);
    return false;
  }
  *match = result.values[0];
  csp_spent(call, 200 + search->program->group_count * 60 +
                      (search->end - search->begin) / 8);
  return true;
}

// --- Jobs -------------------------------------------------------------------
typedef struct RegexpJob RegexpJob;
struct RegexpJob {
  CspValue out;  // kept
  RegexpSearch search;
  int64_t left;   // matches that are wanted still. Negative means all
  int64_t most;   // parts that are wanted. Negative means all
  size_t part;    // where the part begins that is between two matches
  size_t last;    // where the last match began
  size_t before;  // where the last match ended
  // Something was found. false: that was the last, or it has panicked.
  bool (*found)(CspCall *call, RegexpJob *job);
  // After the last.
  CspStatus (*done)(CspCall *call, RegexpJob *job);
  bool panicked;
};

static CspStatus regexp_job_end(CspCall *call, RegexpJob *job) {
  regexp_search_end(&job->search);
  return job->panicked ? CSP_PANIC : job->done(call, job);
}

// A match was found. false: that was the last.
static bool take_match(CspCall *call, RegexpJob *job) {
  bool counts = regexp_search_next(&job->search, &job->before);
  if (counts && !job->found(call, job)) return false;
  if (counts && job->left > 0 && --job->left == 0) return false;
  return job->search.from <= job->search.text.len;
}

static CspStatus regexp_job_on(CspCall *call, void *data, bool on) {
  RegexpJob *job = data;
  RegexpSearch *search = &job->search;
  if (!on) {
    regexp_search_end(search);
    return CSP_PANIC;
  }
  // The bytes may have moved since the last piece.
  search->text = view_of(csp_arg(call, 1));
  for (;;) {
    RegexpFound found = regexp_search_on(call, search);
    bool spent = csp_spent(call, search->units);
    search->units = 0;
    if (found == REGEXP_PANICKED) {
      csp_panic_memory(call);
      job->panicked = true;
    }
    if (found == REGEXP_PANICKED || found == REGEXP_NOWHERE ||
        (found == REGEXP_FOUND && !take_match(call, job)))
      return regexp_job_end(call, job);
    if (spent) return csp_again(call, regexp_job_on, job, sizeof *job, 1);
  }
}

bool regexp_and_text(CspCall *call, Regexp **regexp, Str *text) {
  *regexp = csp_host_data(csp_arg(call, 0), &regexp_class);
  if (*regexp != NULL) return need_view(call, 1, text);
  csp_bad_arg(call, 0, "a regexp");
  return false;
}

static CspStatus regexp_job_begin(CspCall *call, RegexpJob *job,
                                  RegexpWant want, size_t from) {
  Regexp *regexp;
  Str text;
  if (!regexp_and_text(call, &regexp, &text)) return CSP_PANIC;
  if (!regexp_search_begin(call, &job->search, regexp, text, want))
    return csp_panic_memory(call);
  job->before = REGEXP_NO_PLACE;
  regexp_search_from(&job->search, from);
  return regexp_job_on(call, job, true);
}

// --- match, find ------------------------------------------------------------
static bool found_any(CspCall *call, RegexpJob *job) {
  job->out = csp_bool(true);
  (void)call;
  return false;
}

static CspStatus regexp_job_out(CspCall *call, RegexpJob *job) {
  return csp_ok(call, job->out);
}

static CspStatus regexp_match(CspCall *call) {
  RegexpJob job = {
      .out = csp_bool(false), .found = found_any, .done = regexp_job_out};
  return regexp_job_begin(call, &job, WANT_MATCH, 0);
}

static bool found_one(CspCall *call, RegexpJob *job) {
  job->panicked = !make_match(call, &job->search, &job->out);
  return false;
}

// The place, or the end of the character that it is inside of.
static size_t character_end(Str text, size_t at) {
  for (size_t back = 1; back < 4 && back <= at && at < text.len; back++) {
    size_t width;
    utf8_at(text.data, text.len, at - back, &width);
    if (width > back) return at - back + width;
  }
  return at;
}

static CspStatus regexp_find(CspCall *call) {
  RegexpJob job = {
      .out = csp_nil(), .found = found_one, .done = regexp_job_out};
  Regexp *regexp;
  Str text;
  int64_t from = 0;
  if (!regexp_and_text(call, &regexp, &text) ||
      (!is_nil(call, 2) && !need_int_in(call, 2, 0, (int64_t)text.len, &from)))
    return CSP_PANIC;
  return regexp_job_begin(call, &job, WANT_GROUPS,
                          character_end(text, (size_t)from));
}

// --- find_each, find_all, split ---------------------------------------------
// The list, and how many of it are wanted. false: panicked.
static bool regexp_list_job(CspCall *call, RegexpJob *job) {
  if (!opt_int(call, 2, -1, &job->left)) return false;
  job->out = csp_list(call, 0);
  if (!csp_is_undef(job->out)) return true;
  csp_panic_memory(call);
  return false;
}

static bool push_match(CspCall *call, RegexpJob *job) {
  CspValue match;
  job->panicked = !make_match(call, &job->search, &match) ||
                  !csp_list_push(call, job->out, match);
  return !job->panicked;
}

static CspStatus regexp_find_each(CspCall *call) {
  Regexp *regexp;
  Str text;
  if (!regexp_and_text(call, &regexp, &text)) return CSP_PANIC;
  CspValue args[2] = {csp_arg(call, 0), csp_arg(call, 1)};
  return csp_tail(call, regexp_library_value(call, REGEXP_EACH), 2, args);
}

static CspStatus regexp_find_all(CspCall *call) {
  RegexpJob job = {.found = push_match, .done = regexp_job_out};
  Regexp *regexp;
  Str text;
  if (!regexp_and_text(call, &regexp, &text) || !regexp_list_job(call, &job))
    return CSP_PANIC;
  if (job.left == 0) return csp_ok(call, job.out);
  return regexp_job_begin(call, &job, WANT_GROUPS, 0);
}

static bool push_text(CspCall *call, RegexpJob *job, size_t end) {
  size_t len = end - job->part;
  CspValue part = csp_string(call, job->search.text.data + job->part, len);
  csp_spent(call, 32 + len / 4);
  job->panicked = !csp_list_push(call, job->out, part);
  return !job->panicked;
}

// As in Go an empty match at the beginning cuts nothing off.
static bool push_before(CspCall *call, RegexpJob *job) {
  if (job->most > 0 && csp_list_len(job->out) == (size_t)job->most - 1)
    return false;
  if (job->search.end > 0 && !push_text(call, job, job->search.begin))
    return false;
  job->part = job->search.end;
  job->last = job->search.begin;
  return true;
}

// Nor does one at the end. An empty text is one part. Only the pattern "",
// which splits into characters, has none there.
static CspStatus split_done(CspCall *call, RegexpJob *job) {
  size_t len = job->search.text.len;
  bool characters = job->search.regexp->pattern_len == 0;
  bool all = job->last == len && (len > 0 || characters);
  return all || push_text(call, job, len) ? csp_ok(call, job->out) : CSP_PANIC;
}

static CspStatus regexp_split(CspCall *call) {
  RegexpJob job = {.found = push_before, .done = split_done};
  Regexp *regexp;
  Str text;
  if (!regexp_and_text(call, &regexp, &text) || !regexp_list_job(call, &job))
    return CSP_PANIC;
  job.most = job.left;
  job.left = -1;
  if (job.most == 0) return csp_ok(call, job.out);
  return regexp_job_begin(call, &job, WANT_PLACE, 0);
}

// --- The module -------------------------------------------------------------
// escape(text): a pattern that matches the text and nothing else.
static bool escape_turns(TextJob *job) {
  Str piece;
  if (!text_job_take(job, &piece)) return false;
  for (size_t i = 0; i < piece.len; i++) {
    char c = piece.data[i];
    if (c != '\0' && strchr("\\.+*?()|[]{}^$", c) != NULL)
      buffer_add_char(&job->text, '\\');
    buffer_add_char(&job->text, c);
  }
  job->took += piece.len * 8;
  return true;
}

static CspStatus regexp_escape(CspCall *call) {
  TextJob job = text_job_of(call, escape_turns);
  if (!need_str(call, 0, &job.s)) return CSP_PANIC;
  return text_job_run(&job);
}

static const CspFunction regexp_functions[] = {
    CSP_REPEATABLE,
    {"escape", "text", regexp_escape},
    {"_compile", "pattern, match, replaced, each", regexp_compile},
    {NULL, NULL, NULL}};

static CspStatus regexp_pattern(CspCall *call) {
  Regexp *regexp = csp_host_data(csp_arg(call, 0), &regexp_class);
  if (regexp == NULL) return csp_bad_arg(call, 0, "a regexp");
  return csp_ok_string(call, regexp->pattern, regexp->pattern_len);
}

static const CspFunction regexp_methods[] = {
    CSP_REPEATABLE,
    {"pattern", "regexp", regexp_pattern},
    {"match", "regexp, text", regexp_match},
    {"find", "regexp, text, from = 0", regexp_find},
    {"find_all", "regexp, text, n = nil", regexp_find_all},
    {"find_each", "regexp, text", regexp_find_each},
    {"replace", "regexp, text, with, n = nil", regexp_replace},
    {"split", "regexp, text, n = nil", regexp_split},
    {NULL, NULL, NULL}};

static void add_regexp_classes(CspCall *call, CspValue module) {
  (void)module;
  Csp *csp = csp_of(call);
  if (!csp_register_class(csp, &regexp_class, regexp_methods) ||
      !csp_register_class(csp, &regexp_library_class, NULL))
    csp_panic_memory(call);
}

const CspModule regexp_module = {"regexp", regexp_functions, add_regexp_classes,
                                 NULL, 0};
