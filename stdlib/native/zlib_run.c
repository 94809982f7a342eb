// SPDX-License-Identifier: MIT
// The inflaters and deflaters of the native module zlib, which go on from call
// to call.
//
// A ZipRun first copies the piece that it is given after what it has kept of
// those before. Then it feeds that to the library, and adds what comes out to
// the call's result. What always holds:
//   - It stays where it is, as the library's state points to it.
//   - One goroutine at a time is in it (`busy`). Others that come panic.
//   - A call that was given up has lost what it had made. So the run is `torn`,
//     and later calls panic, until it is reset.
//   - What it holds besides its value is the value's weight (csp_host_weight).
//     That is told before the memory is taken, and after it is given back.
#include "stdlib/native/zlib_parts.h"

#include <stdio.h>
#include <string.h>

enum {
  RUN_COPY = 1 << 16,
  RUN_OUT = 1 << 13,
  RUN_KEEPS = 1 << 10,  // bytes of room that a run keeps between two calls
  RUN_STATE = 10 << 10  // bytes of the library's state beside its tables
};

typedef struct ZipRun {
  z_stream stream;
  Csp *csp;                 // NULL: the state is not made yet, or freed
  size_t state;             // bytes of the library's state, while that is there
  int form, level, memory;  // what the state is made with
  bool busy;                // atomic: a call is in it
  bool inflates;
  bool is_done;  // the end of what was compressed was reached, or written
  bool between;  // the last byte that was read ended a block
  bool torn;
  bool is_bad;   // stream.msg tells why
  bool members;  // of a gzip file, one after the other
  bool follows;  // is_bad: something else comes after them
  unsigned feed, cost;
  uint64_t fed;  // bytes that the library took
  // Of what was pushed, the bytes from kept_at to kept_len wait. They and
  // kept_cap are of `kept`.
  unsigned char *kept;
  size_t kept_at, kept_len, kept_cap;
} ZipRun;

// What is kept between two pieces.
typedef struct RunJob {
  CspValue self, data, out;
  ZipRun *run;
  GivenData from;  // what is copied, up to from.at
  uint64_t made, most;
  int flush;  // the library's
} RunJob;

// --- Runs -------------------------------------------------------------------
static void run_drop_kept(ZipRun *run) {
  csp_alloc_free(run->kept);
  run->kept = NULL;
  run->kept_at = run->kept_len = run->kept_cap = 0;
}

static void run_drop_state(ZipRun *run) {
  if (run->state == 0) return;
  if (run->inflates)
    inflateEnd(&run->stream);
  else
    deflateEnd(&run->stream);
  run->state = 0;
}

static void run_free(ZipRun *run) {
  if (run->csp == NULL) return;
  run_drop_state(run);
  run_drop_kept(run);
  run->csp = NULL;
}

static void run_finalize(void *data) { run_free(data); }

// Argument 0 holds so many bytes. false: there is no room for more.
static bool run_weigh(CspCall *call, size_t bytes) {
  return csp_host_weight(call, csp_arg(call, 0), bytes);
}

// It may hold less than before.
static void run_weigh_less(CspCall *call, const ZipRun *run) {
  run_weigh(call, run->state + run->kept_cap);
}

static const CspClass inflater_class = {"inflater", run_finalize,
                                        sizeof(ZipRun), NULL};
static const CspClass deflater_class = {"deflater", run_finalize,
                                        sizeof(ZipRun), NULL};

// Argument 0, which no other call is in until run_leave. NULL: panicked.
static ZipRun *run_enter(CspCall *call, const CspClass *klass) {
  ZipRun *run = csp_host_data(csp_arg(call, 0), klass);
  if (run == NULL) {
    csp_bad_arg(call, 0,
                klass == &inflater_class ? "an inflater" : "a deflater");
    return NULL;
  }
  // acquire: what the call before has left. Pairs with run_leave
  if (!__atomic_exchange_n(&run->busy, true, __ATOMIC_ACQUIRE)) return run;
  csp_panic(call, "%s: another goroutine uses it at the same time",
            csp_name(call));
  return NULL;
}

static void run_leave(ZipRun *run) {
  // release: what the call has left. Pairs with run_enter
  __atomic_store_n(&run->busy, false, __ATOMIC_RELEASE);
}

static size_t run_left(const ZipRun *run) {
  return run->kept_len - run->kept_at;
}

// What is left. The library takes no NULL.
static const unsigned char *run_rest(const ZipRun *run) {
  static const unsigned char none[1];
  return run->kept == NULL ? none : run->kept + run->kept_at;
}

// Room for more after what is kept, which moves to the front.
static bool run_reserve(CspCall *call, ZipRun *run, size_t more) {
  size_t left = run_left(run);
  if (run->kept_cap - run->kept_len >= more) return true;
  if (left > 0 && run->kept_at >= left) {
    memcpy(run->kept, run->kept + run->kept_at, left);
    run->kept_len = left;
    run->kept_at = 0;
  }
  if (run->kept_cap - run->kept_len >= more) return true;
  size_t cap = run->kept_cap * 2;
  if (cap < run->kept_len + more) cap = run->kept_len + more;
  if (!run_weigh(call, run->state + cap)) return false;
  unsigned char *grown = csp_alloc(run->csp, run->kept, cap);
  if (grown == NULL) {
    run_weigh_less(call, run);
    return false;
  }
  run->kept = grown;
  run->kept_cap = cap;
  return true;
}

// Copies some of the piece. Returns what it cost, or 0 without memory.
static uint64_t run_copy(CspCall *call, ZipRun *run, GivenData *from) {
  const unsigned char *piece;
  if (run_left(run) == 0) run->kept_at = run->kept_len = 0;
  size_t count = from->len - from->at;
  if (!run_reserve(call, run, count < RUN_COPY ? count : RUN_COPY)) return 0;
  unsigned char *to = run->kept + run->kept_len;
  count = data_next(from, RUN_COPY, to, &piece);
  if (piece != to) memcpy(to, piece, count);
  run->kept_len += count;
  return 16 + count / 4;
}

// After a member of a gzip file, and zero bytes that may follow it. false:
// nothing more is there yet, or no further member.
static bool run_next_member(ZipRun *run) {
  size_t end = run->kept_at + ZIP_IN;
  if (end > run->kept_len) end = run->kept_len;
  while (run->kept_at < end && run->kept[run->kept_at] == 0) {
    run->kept_at++;
    run->fed++;
  }
  if (run->kept_at == end) return run->kept_at < run->kept_len;
  run->is_bad = run->follows = run->kept[run->kept_at] != 0x1f;
  if (run->is_bad) return false;
  inflateReset(&run->stream);
  run->is_done = false;
  return true;
}

// One call of the library. false: nothing moves any more.
static bool run_step(CspCall *call, RunJob *job) {
  enum { AFTER_BLOCK = 128 };  // as inflate() says in data_type
  ZipRun *run = job->run;
  z_stream *stream = &run->stream;
  unsigned char made[RUN_OUT];
  size_t left = run_left(run);
  if (run->is_done) return run_next_member(run);
  unsigned in = left < run->feed ? (unsigned)left : run->feed;
  uint64_t fits = job->most - job->made;
  unsigned out = fits < RUN_OUT ? (unsigned)fits : RUN_OUT;
  int flush = in == left ? job->flush : Z_NO_FLUSH;
  stream->next_in = run_rest(run);
  stream->avail_in = in;
  stream->next_out = made;
  stream->avail_out = out;
  int code =
      run->inflates ? inflate(stream, Z_NO_FLUSH) : deflate(stream, flush);
  in -= stream->avail_in;
  bool full = stream->avail_out == 0;
  out -= stream->avail_out;
  run->kept_at += in;
  run->fed += in;
  job->made += out;
  run->is_done = code == Z_STREAM_END;
  if (code == Z_OK) run->between = (stream->data_type & AFTER_BLOCK) != 0;
  run->is_bad = code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR;
  if (code == Z_MEM_ERROR) csp_panic_memory(call);
  run->torn = code == Z_MEM_ERROR ||
              (out > 0 && !csp_bytes_append(call, job->out, made, out));
  if (run->torn) return false;
  if (run->is_bad || job->made == job->most) return false;
  if (run->is_done) return run->members;
  return full || run_left(run) > 0;
}

static CspStatus run_refused(CspCall *call, const ZipRun *run) {
  const char *why = run->stream.msg;
  if (run->follows) why = "what follows is no gzip data";
  return csp_ok_coded(call, "syntax",
                      "%s: the data is damaged at byte %llu: %s",
                      csp_name(call), (unsigned long long)run->fed,
                      why != NULL ? why : "it needs a preset dictionary");
}

// Connections that are idle may have a run each.
static void run_trim(ZipRun *run) {
  if (run_left(run) == 0 && run->kept_cap > RUN_KEEPS) run_drop_kept(run);
}

static CspStatus run_result(CspCall *call, RunJob *job) {
  ZipRun *run = job->run;
  CspStatus status = CSP_PANIC;
  run_trim(run);
  if (!run->inflates && run->is_done) run_drop_state(run);
  run_weigh_less(call, run);
  if (run->is_bad)
    status = run_refused(call, run);
  else if (!run->torn && run->inflates)
    status = csp_ok_value(call, job->out);
  else if (!run->torn)
    status = csp_ok(call, job->out);
  run_leave(run);
  return status;
}

static uint64_t run_cost(const ZipRun *run, uint64_t fed, uint64_t made) {
  return 64 + fed * (run->cost == 0 ? 4 : run->cost) + made * 4;
}

static CspStatus run_on(CspCall *call, void *data, bool on) {
  RunJob *job = data;
  ZipRun *run = job->run;
  if (!on) {
    run->torn = true;
    run_leave(run);
    return CSP_PANIC;
  }
  while (job->from.at < job->from.len) {
    uint64_t cost = run_copy(call, run, &job->from);
    if (cost == 0) {
      run->torn = true;
      run_leave(run);
      return csp_panic_memory(call);
    }
    if (csp_spent(call, cost))
      return csp_again(call, run_on, job, sizeof *job, 3);
  }
  bool moves = !run->is_bad && (!run->is_done || run->members);
  while (moves) {
    int64_t begin = csp_monotonic(call);
    uint64_t fed = run->fed, made = job->made;
    moves = run_step(call, job);
    uint64_t cost = run->cost == 0
                        ? 64 + (uint64_t)(csp_monotonic(call) - begin)
                        : run_cost(run, run->fed - fed, job->made - made);
    if (csp_spent(call, cost) && moves)
      return csp_again(call, run_on, job, sizeof *job, 3);
  }
  return run_result(call, job);
}

// What pushes to a run that is `torn`, or was ended.
static bool run_is_usable(CspCall *call, ZipRun *run) {
  const char *why = NULL;
  if (run->csp == NULL) why = "it was ended";
  if (run->torn) why = "a call before this one was given up in the middle";
  if (!run->inflates && run->is_done)
    why = "its data was ended; `reset` begins anew";
  if (why == NULL) return true;
  run_leave(run);
  csp_panic(call, "%s: %s", csp_name(call), why);
  return false;
}

static CspStatus run_begin(CspCall *call, ZipRun *run, const GivenData *from,
                           uint64_t most, int flush) {
  RunJob job = {csp_arg(call, 0),
                from->value,
                csp_bytes(call, "", 0),
                run,
                *from,
                0,
                most,
                flush};
  if (!run_is_usable(call, run)) return CSP_PANIC;
  if (!csp_is_undef(job.out)) return run_on(call, &job, true);
  run_leave(run);
  return csp_panic_memory(call);
}

// push(piece, most) of an inflater.
static CspStatus inflater_push(CspCall *call) {
  int64_t most = RUN_COPY;
  GivenData from;
  if (!data_need(call, 1, &from) ||
      !zip_number(call, 2, 1, INT64_MAX, "an int above 0", &most))
    return CSP_PANIC;
  ZipRun *run = run_enter(call, &inflater_class);
  if (run == NULL) return CSP_PANIC;
  return run_begin(call, run, &from, (uint64_t)most, Z_NO_FLUSH);
}

static CspStatus deflater_push(CspCall *call) {
  GivenData from;
  if (!data_need(call, 1, &from)) return CSP_PANIC;
  ZipRun *run = run_enter(call, &deflater_class);
  if (run == NULL) return CSP_PANIC;
  return run_begin(call, run, &from, UINT64_MAX, Z_NO_FLUSH);
}

static CspStatus deflater_finish(CspCall *call, int flush) {
  GivenData none = {csp_nil(), NULL, 0, 0};
  ZipRun *run = run_enter(call, &deflater_class);
  if (run == NULL) return CSP_PANIC;
  return run_begin(call, run, &none, UINT64_MAX, flush);
}

static CspStatus deflater_flush(CspCall *call) {
  return deflater_finish(call, Z_SYNC_FLUSH);
}
static CspStatus deflater_end(CspCall *call) {
  return deflater_finish(call, Z_FINISH);
}

// Frees its memory. An error if the data has not ended.
static CspStatus inflater_end(CspCall *call) {
  ZipRun *run = run_enter(call, &inflater_class);
  if (run == NULL) return CSP_PANIC;
  bool whole = run->is_done || run->csp == NULL;
  char text[80];
  int len =
      snprintf(text, sizeof text, "the data ends too early, after %llu bytes",
               (unsigned long long)run->fed);
  run_free(run);
  run_weigh_less(call, run);
  run_leave(run);
  if (whole) return csp_ok(call, csp_nil());
  CspValue message = csp_string(call, text, (size_t)len);
  return csp_ok(call, csp_error_coded(call, message, csp_nil(),
                                      csp_string(call, "syntax", 6)));
}

// What the library's state takes, at most.
static size_t state_bytes(const ZipRun *run) {
  int bits = run->form < 0 ? -run->form : run->form & 15;
  if (run->inflates) return RUN_STATE + ((size_t)1 << bits);
  return RUN_STATE + ((size_t)4 << bits) + ((size_t)1 << (run->memory + 9));
}

// Makes it, of bytes that were weighed. false: no memory.
static bool run_make_state(CspCall *call, ZipRun *run) {
  int code = run->inflates
                 ? inflateInit2(&run->stream, run->form)
                 : deflateInit2(&run->stream, run->level, Z_DEFLATED, run->form,
                                run->memory, Z_DEFAULT_STRATEGY);
  csp_charge(call, ZIP_NEW_NS / 32);
  if (code == Z_OK) run->state = state_bytes(run);
  return code == Z_OK;
}

// A deflater that was ended has no state any more.
static bool run_reset_state(CspCall *call, ZipRun *run) {
  size_t bytes = state_bytes(run) + run->kept_cap;
  if (run->state == 0) {
    bool fits = run_weigh(call, bytes) ||
                (csp_make_room(call) && run_weigh(call, bytes));
    if (fits && run_make_state(call, run)) return true;
    run_weigh_less(call, run);
    return false;
  }
  csp_charge(call, ZIP_NEW_NS / 32);
  if (run->inflates)
    inflateReset(&run->stream);
  else
    deflateReset(&run->stream);
  return true;
}

static CspStatus run_reset(CspCall *call, const CspClass *klass) {
  ZipRun *run = run_enter(call, klass);
  if (run == NULL) return CSP_PANIC;
  if (run->csp == NULL) {
    run_is_usable(call, run);
    return CSP_PANIC;
  }
  if (!run_reset_state(call, run)) {
    run_leave(run);
    return csp_panic_memory(call);
  }
  if (run->torn) run->kept_at = run->kept_len = 0;
  run->is_done = run->is_bad = run->follows = run->torn = false;
  run->between = false;
  run->fed = 0;
  run_leave(run);
  return csp_ok_nothing(call);
}

static CspStatus inflater_reset(CspCall *call) {
  return run_reset(call, &inflater_class);
}
static CspStatus deflater_reset(CspCall *call) {
  return run_reset(call, &deflater_class);
}

// How many bytes of what was pushed are not used yet.
static CspStatus inflater_left(CspCall *call) {
  ZipRun *run = run_enter(call, &inflater_class);
  if (run == NULL) return CSP_PANIC;
  size_t left = run_left(run);
  run_leave(run);
  return csp_ok_int(call, (int64_t)left);
}

static CspStatus inflater_is_done(CspCall *call) {
  ZipRun *run = run_enter(call, &inflater_class);
  if (run == NULL) return CSP_PANIC;
  bool is_done = run->is_done;
  run_leave(run);
  return csp_ok_bool(call, is_done);
}

// Whether all that was pushed is read, up to the end of a block.
static CspStatus inflater_ends_block(CspCall *call) {
  ZipRun *run = run_enter(call, &inflater_class);
  if (run == NULL) return CSP_PANIC;
  bool ends = run_left(run) == 0 && (run->is_done || run->between);
  run_leave(run);
  return csp_ok_bool(call, ends);
}

// Takes the bytes that follow the end.
static CspStatus inflater_rest(CspCall *call) {
  ZipRun *run = run_enter(call, &inflater_class);
  if (run == NULL) return CSP_PANIC;
  size_t left = run->is_done ? run_left(run) : 0;
  CspValue rest = csp_bytes(call, run_rest(run), left);
  if (!csp_is_undef(rest)) run->kept_at += left;
  run_leave(run);
  csp_charge(call, left / 256);
  return csp_ok(call, rest);
}

// Argument 0, the name of a form, with a window of so many bits.
static bool run_form(CspCall *call, int64_t bits, int *form) {
  static const char *const names[] = {"zlib", "gzip", "raw"};
  size_t len = 4;
  CspValue v = csp_arg(call, 0);
  const char *text =
      csp_type(v) == CSP_STRING ? csp_to_string(v, &len) : "zlib";
  const int forms[] = {(int)bits, (int)bits + 16, -(int)bits};
  for (int i = 0; i < 3 && text != NULL; i++) {
    if (len != strlen(names[i]) || memcmp(text, names[i], len) != 0) continue;
    *form = forms[i];
    if (csp_type(v) == CSP_STRING || csp_type(v) == CSP_NIL) return true;
  }
  csp_bad_arg(call, 0, "\"zlib\", \"gzip\" or \"raw\"");
  return false;
}

// A run with the settings of that one.
static CspStatus run_new(CspCall *call, const CspClass *klass,
                         const ZipRun *settings) {
  void *data = NULL;
  CspValue v = csp_host_new(call, klass, &data);
  if (csp_is_undef(v) || !csp_host_weight(call, v, state_bytes(settings)))
    return csp_panic_memory(call);
  ZipRun *run = data;
  *run = *settings;
  run->stream.zalloc = zip_alloc;
  run->stream.zfree = zip_release;
  run->stream.opaque = csp_of(call);
  if (!run_make_state(call, run)) return csp_panic_memory(call);
  run->csp = csp_of(call);
  return csp_ok(call, v);
}

CspStatus zlib_inflater(CspCall *call) {
  int64_t bits = 15;
  ZipRun run = {.inflates = true, .feed = ZIP_IN, .cost = 4};
  CspValue members = csp_arg(call, 2);
  CspType type = csp_type(members);
  if (type != CSP_NIL && type != CSP_BOOL)
    return csp_bad_arg(call, 2, "a bool");
  if (!zip_number(call, 1, 8, 15, "an int from 8 to 15", &bits) ||
      !run_form(call, bits, &run.form))
    return CSP_PANIC;
  run.members = run.form > 16 && csp_truthy(members);
  return run_new(call, &inflater_class, &run);
}

CspStatus zlib_deflater(CspCall *call) {
  int64_t level = 6, bits = 15, memory = ZIP_MEMORY_LEVEL;
  ZipRun run = {.inflates = false};
  if (!zip_number(call, 1, 0, 9, "an int from 0 to 9", &level) ||
      !zip_number(call, 2, 9, 15, "an int from 9 to 15", &bits) ||
      !zip_number(call, 3, 1, 9, "an int from 1 to 9", &memory) ||
      !run_form(call, bits, &run.form))
    return CSP_PANIC;
  run.level = (int)level;
  run.memory = (int)memory;
  run.feed = level_rules[level].feed;
  run.cost = level_rules[level].cost;
  return run_new(call, &deflater_class, &run);
}

static const CspFunction inflater_methods[] = {
    {"push", "inflater, piece, most = 65_536", inflater_push},
    {"is_done", "inflater", inflater_is_done},
    {"left", "inflater", inflater_left},
    {"_ends_block", "inflater", inflater_ends_block},
    {"rest", "inflater", inflater_rest},
    {"reset", "inflater", inflater_reset},
    {"end", "inflater", inflater_end},
    {NULL, NULL, NULL}};

static const CspFunction deflater_methods[] = {
    {"push", "deflater, piece", deflater_push},
    {"flush", "deflater", deflater_flush},
    {"end", "deflater", deflater_end},
    {"reset", "deflater", deflater_reset},
    {NULL, NULL, NULL}};

void zlib_add_classes(CspCall *call, CspValue module) {
  Csp *csp = csp_of(call);
  (void)module;
  if (!csp_register_class(csp, &inflater_class, inflater_methods) ||
      !csp_register_class(csp, &deflater_class, deflater_methods))
    csp_panic_memory(call);
}
