// SPDX-License-Identifier: MIT
// The module rand: random numbers. Its functions use the generator of the
// runtime, which --seed or the system seeds. A script can also make generators,
// which have the same functions as methods. None of them is for secrets.
//
// Several goroutines may use one generator at once, because a lock guards its
// state (xoshiro256**, seeded by splitmix64).
#include <pthread.h>

#include "stdlib/pieces_loop.h"

typedef struct Generator {
  pthread_mutex_t lock;  // zeroed: ready for use
  uint64_t state[4];     // guarded by lock
} Generator;

static const CspClass generator_class = {"generator", NULL, sizeof(Generator),
                                         NULL};

// Where a function's random bits come from, and where its own arguments begin:
// a method's first argument is its generator.
typedef struct BitSource {
  CspCall *call;
  Generator *generator;  // NULL: the runtime's
  int first;
} BitSource;

static BitSource source_of(CspCall *call) {
  Generator *generator = csp_host_data(csp_arg(call, 0), &generator_class);
  return (BitSource){call, generator, generator != NULL ? 1 : 0};
}

static uint64_t rotate_left(uint64_t x, int by) {
  return x << by | x >> (64 - by);
}

static uint64_t generator_next(Generator *generator) {
  pthread_mutex_lock(&generator->lock);
  uint64_t *state = generator->state;
  uint64_t result = rotate_left(state[1] * 5, 7) * 9, shifted = state[1] << 17;
  state[2] ^= state[0];
  state[3] ^= state[1];
  state[1] ^= state[2];
  state[0] ^= state[3];
  state[2] ^= shifted;
  state[3] = rotate_left(state[3], 45);
  pthread_mutex_unlock(&generator->lock);
  return result;
}

static void generator_seed(Generator *generator, uint64_t seed) {
  pthread_mutex_lock(&generator->lock);
  for (int i = 0; i < 4; i++) {
    seed += 0x9e3779b97f4a7c15u;
    uint64_t z = seed;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    generator->state[i] = z ^ z >> 31;
  }
  pthread_mutex_unlock(&generator->lock);
}

static uint64_t next_bits(BitSource *source) {
  return source->generator != NULL ? generator_next(source->generator)
                                   : csp_random(source->call);
}

// Uniform in [0, n), n > 0: draws again in the part that would favour some.
static uint64_t next_below(BitSource *source, uint64_t n) {
  uint64_t rejected = -n % n;
  uint64_t bits;
  do {
    bits = next_bits(source);
  } while (bits < rejected);
  return bits % n;
}

static double next_float(BitSource *source) {
  return (double)(next_bits(source) >> 11) * 0x1p-53;
}

// --- Numbers ----------------------------------------------------------------
// int(n): from 0 to n - 1.
static CspStatus rand_int(CspCall *call) {
  BitSource source = source_of(call);
  int64_t n;
  if (!need_int_in(call, source.first, 1, INT64_MAX, &n)) return CSP_PANIC;
  return csp_ok_int(call, (int64_t)next_below(&source, (uint64_t)n));
}

// int_range(a, b): from a to b - 1.
static CspStatus rand_int_range(CspCall *call) {
  BitSource source = source_of(call);
  int64_t from, to;
  if (!csp_need_int(call, source.first, &from) ||
      !csp_need_int(call, source.first + 1, &to)) {
    return CSP_PANIC;
  }
  if (from >= to) {
    return csp_panic(call, "int_range: there is no int from %lld below %lld",
                     (long long)from, (long long)to);
  }
  uint64_t offset = next_below(&source, (uint64_t)to - (uint64_t)from);
  return csp_ok_int(call, (int64_t)((uint64_t)from + offset));
}

// float(): from 0.0 up to, not including, 1.0.
static CspStatus rand_float(CspCall *call) {
  BitSource source = source_of(call);
  return csp_ok_float(call, next_float(&source));
}

static CspStatus rand_bool(CspCall *call) {
  BitSource source = source_of(call);
  return csp_ok_bool(call, next_bits(&source) >> 63);
}

// bytes(n)
static CspStatus rand_bytes(CspCall *call) {
  BitSource source = source_of(call);
  int64_t n;
  if (!need_int_in(call, source.first, 0, (int64_t)1 << 31, &n)) {
    return CSP_PANIC;
  }
  CspValue bytes = csp_bytes(call, NULL, (size_t)n);
  if (csp_is_undef(bytes)) return csp_panic_memory(call);
  for (int64_t at = 0; at < n; at += 8) {
    uint64_t bits = next_bits(&source);
    csp_bytes_write(bytes, (size_t)at, &bits,
                    n - at < 8 ? (size_t)(n - at) : 8);
    if (at % 4096 == 4088 && !csp_work(call, 4096)) return CSP_PANIC;
  }
  return csp_ok(call, bytes);
}

// --- Lists ------------------------------------------------------------------
// In place: each of the first places gets one of those that are left. n: the
// list's length.
static bool shuffle_turns(CspCall *call, Loop *loop, size_t stop) {
  BitSource source = source_of(call);
  for (; loop->at < stop; loop->at++) {
    size_t left = (size_t)loop->n - loop->at;
    size_t other = loop->at + (size_t)next_below(&source, left);
    CspValue v = csp_list_get(loop->list, loop->at);
    csp_list_set(call, loop->list, loop->at, csp_list_get(loop->list, other));
    csp_list_set(call, loop->list, other, v);
  }
  return true;
}

// What is swapped lies anywhere: in a long list each is a miss of the caches.
static uint64_t shuffle_units(size_t len) {
  enum { CACHED = 1 << 15 };
  return len <= CACHED ? 24 : 160;
}

static CspStatus rand_shuffle(CspCall *call) {
  BitSource source = source_of(call);
  CspValue list;
  if (!csp_need_type(call, source.first, CSP_LIST, &list)) return CSP_PANIC;
  size_t len = csp_list_len(list);
  return loop_run(call, &(Loop){.list = list,
                                .end = len > 0 ? len - 1 : 0,
                                .n = (int64_t)len,
                                .turns = shuffle_turns,
                                .done = loop_list,
                                .units = shuffle_units(len)});
}

static CspStatus rand_choice(CspCall *call) {
  BitSource source = source_of(call);
  CspValue list;
  if (!csp_need_type(call, source.first, CSP_LIST, &list)) return CSP_PANIC;
  size_t len = csp_list_len(list);
  if (len == 0) return csp_panic(call, "choice: the list is empty");
  return csp_ok(call, csp_list_get(list, (size_t)next_below(&source, len)));
}

static CspStatus sample_done(CspCall *call, Loop *loop) {
  size_t len = csp_list_len(loop->list);
  csp_list_remove(call, loop->list, loop->end, len - loop->end);
  return csp_ok(call, loop->list);
}

static CspStatus sample_chosen(CspCall *call, Loop *loop) {
  size_t len = csp_list_len(loop->list), n = (size_t)loop->n;
  Loop choose = {.list = loop->list,
                 .end = n < len ? n : len,
                 .n = (int64_t)len,
                 .turns = shuffle_turns,
                 .done = sample_done,
                 .units = shuffle_units(len)};
  return loop_run(call, &choose);
}

static bool copy_turns(CspCall *call, Loop *loop, size_t stop) {
  for (; loop->at < stop; loop->at++) {
    if (!csp_list_push(call, loop->list, csp_list_get(loop->out, loop->at)))
      return false;
  }
  return true;
}

// n different elements (places) of the list, in random order, as a new list.
static CspStatus rand_sample(CspCall *call) {
  BitSource source = source_of(call);
  CspValue list;
  int64_t n;
  if (!csp_need_type(call, source.first, CSP_LIST, &list) ||
      !need_int_in(call, source.first + 1, 0, (int64_t)csp_list_len(list),
                   &n)) {
    return CSP_PANIC;
  }
  // Its first n are chosen, then the others go.
  Loop copy = {.out = list,
               .list = csp_list(call, csp_list_len(list)),
               .end = csp_list_len(list),
               .n = n,
               .turns = copy_turns,
               .done = sample_chosen,
               .units = 4};
  if (csp_is_undef(copy.list)) return csp_panic_memory(call);
  return loop_run(call, &copy);
}

// --- Generators -------------------------------------------------------------
// new(seed): the same seed gives the same numbers. nil: a random one.
static CspStatus rand_new(CspCall *call) {
  int64_t seed;
  void *data;
  if (!opt_int(call, 0, 0, &seed)) return CSP_PANIC;
  if (is_nil(call, 0)) seed = (int64_t)csp_random(call);
  CspValue v = csp_host_new(call, &generator_class, &data);
  if (csp_is_undef(v)) return csp_panic_memory(call);
  generator_seed(data, (uint64_t)seed);
  return csp_ok(call, v);
}

// g.seed(n): starts again.
static CspStatus generator_seed_again(CspCall *call) {
  Generator *generator = csp_host_data(csp_arg(call, 0), &generator_class);
  int64_t seed;
  if (generator == NULL) return csp_bad_arg(call, 0, "a generator");
  if (!csp_need_int(call, 1, &seed)) return CSP_PANIC;
  generator_seed(generator, (uint64_t)seed);
  return csp_ok_nothing(call);
}

// --- Tables -----------------------------------------------------------------
static const CspFunction rand_functions[] = {
    CSP_REPEATABLE,
    {"int", "n", rand_int},
    {"int_range", "from, to", rand_int_range},
    {"float", "", rand_float},
    {"bool", "", rand_bool},
    {"bytes", "n", rand_bytes},
    {"shuffle", "list", rand_shuffle},
    CSP_STORED("choice", "list", rand_choice),
    {"sample", "list, n", rand_sample},
    {"new", "seed = nil", rand_new},
    {NULL, NULL, NULL},
};

static const CspFunction rand_methods[] = {
    CSP_REPEATABLE,
    {"int", "generator, n", rand_int},
    {"int_range", "generator, from, to", rand_int_range},
    {"float", "generator", rand_float},
    {"bool", "generator", rand_bool},
    {"bytes", "generator, n", rand_bytes},
    {"shuffle", "generator, list", rand_shuffle},
    CSP_STORED("choice", "generator, list", rand_choice),
    {"sample", "generator, list, n", rand_sample},
    {"seed", "generator, seed", generator_seed_again},
    {NULL, NULL, NULL},
};

static void add_generator(CspCall *call, CspValue module) {
  (void)module;
  Csp *csp = csp_of(call);
  if (!csp_register_class(csp, &generator_class, rand_methods))
    csp_panic_memory(call);
}

const CspModule rand_module = {"rand", rand_functions, add_generator, NULL, 0};
