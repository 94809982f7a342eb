// SPDX-License-Identifier: MIT
// The module rand: the runtime's own generator (seeded by --seed or by the
// system), and generators of one's own with the same methods. Not for secrets.
//
// A generator of one's own is a value that several goroutines may use at once:
// its state is advanced under a lock (xoshiro256**, seeded by splitmix64).
#include <pthread.h>

#include "stdlib/stdlib.h"

typedef struct Generator {
  pthread_mutex_t lock;  // zeroed: ready for use
  uint64_t state[4];     // guarded by lock
} Generator;

static const CspClass generator_class = {"generator", NULL, sizeof(Generator)};

// Where a function's random bits come from, and where its own arguments begin:
// a method's first argument is its generator.
typedef struct Source {
  CspCall *call;
  Generator *generator;  // NULL: the runtime's
  int first;
} Source;

static Source source_of(CspCall *call) {
  Generator *generator = csp_host_data(csp_arg(call, 0), &generator_class);
  return (Source){call, generator, generator ? 1 : 0};
}

static uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }

static uint64_t generator_next(Generator *generator) {
  pthread_mutex_lock(&generator->lock);
  uint64_t *s = generator->state;
  uint64_t result = rotate(s[1] * 5, 7) * 9, shifted = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = rotate(s[3], 45);
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

static uint64_t next_bits(Source *source) {
  return source->generator ? generator_next(source->generator)
                           : csp_random(source->call);
}

// Uniform in [0, n), n > 0: draws again in the part that would favour some.
static uint64_t next_below(Source *source, uint64_t n) {
  uint64_t rejected = -n % n;
  uint64_t bits;
  do {
    bits = next_bits(source);
  } while (bits < rejected);
  return bits % n;
}

static double next_float(Source *source) {
  return (double)(next_bits(source) >> 11) * 0x1p-53;
}

// --- Numbers ----------------------------------------------------------------
// int(n): from 0 to n - 1.
static CspStatus rand_int(CspCall *call) {
  Source source = source_of(call);
  int64_t n;
  if (!need_int_in(call, source.first, 1, INT64_MAX, &n)) return CSP_PANIC;
  return csp_ok_int(call, (int64_t)next_below(&source, (uint64_t)n));
}

// int_range(a, b): from a to b - 1.
static CspStatus rand_int_range(CspCall *call) {
  Source source = source_of(call);
  int64_t from, to;
  if (!csp_need_int(call, source.first, &from) ||
      !csp_need_int(call, source.first + 1, &to)) {
    return CSP_PANIC;
  }
  if (from >= to) {
    return csp_panic(call, "int_range: there is no int from %lld up to %lld",
                     (long long)from, (long long)to - 1);
  }
  uint64_t offset = next_below(&source, (uint64_t)to - (uint64_t)from);
  return csp_ok_int(call, (int64_t)((uint64_t)from + offset));
}

// float(): from 0.0 up to, not including, 1.0.
static CspStatus rand_float(CspCall *call) {
  Source source = source_of(call);
  return csp_ok_float(call, next_float(&source));
}

static CspStatus rand_bool(CspCall *call) {
  Source source = source_of(call);
  return csp_ok_bool(call, next_bits(&source) >> 63);
}

// bytes(n)
static CspStatus rand_bytes(CspCall *call) {
  Source source = source_of(call);
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
  }
  csp_charge(call, (uint64_t)n / 16);
  return csp_ok(call, bytes);
}

// --- Lists ------------------------------------------------------------------
// In place, from the back: each of the first `count` places gets one of those
// that are left.
static void shuffle(Source *source, CspValue list, size_t count) {
  CspCall *call = source->call;
  size_t len = csp_list_len(list);
  for (size_t i = 0; i < count && i + 1 < len; i++) {
    size_t j = i + (size_t)next_below(source, len - i);
    CspValue v = csp_list_get(list, i);
    csp_list_set(call, list, i, csp_list_get(list, j));
    csp_list_set(call, list, j, v);
  }
  csp_charge(call, count);
}

static CspStatus rand_shuffle(CspCall *call) {
  Source source = source_of(call);
  CspValue list;
  if (!csp_need_type(call, source.first, CSP_LIST, &list)) return CSP_PANIC;
  shuffle(&source, list, csp_list_len(list));
  return csp_ok(call, list);
}

static CspStatus rand_choice(CspCall *call) {
  Source source = source_of(call);
  CspValue list;
  if (!csp_need_type(call, source.first, CSP_LIST, &list)) return CSP_PANIC;
  size_t len = csp_list_len(list);
  if (len == 0) return csp_panic(call, "choice: the list is empty");
  return csp_ok(call, csp_list_get(list, (size_t)next_below(&source, len)));
}

// n different elements (places) of the list, in random order, as a new list.
static CspStatus rand_sample(CspCall *call) {
  Source source = source_of(call);
  CspValue list;
  int64_t n;
  if (!csp_need_type(call, source.first, CSP_LIST, &list) ||
      !need_int_in(call, source.first + 1, 0, (int64_t)csp_list_len(list),
                   &n)) {
    return CSP_PANIC;
  }
  size_t len = csp_list_len(list);
  CspValue all = csp_list(call, len);
  if (csp_is_undef(all)) return csp_panic_memory(call);
  for (size_t i = 0; i < len; i++) {
    if (!csp_list_push(call, all, csp_list_get(list, i))) return CSP_PANIC;
  }
  shuffle(&source, all, (size_t)n);
  csp_list_remove(call, all, (size_t)n, len - (size_t)n);
  return csp_ok(call, all);
}

// --- Generators -------------------------------------------------------------
// new(seed): the same seed gives the same numbers; nil: a random one.
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
  if (!generator) return csp_bad_arg(call, 0, "a generator");
  if (!csp_need_int(call, 1, &seed)) return CSP_PANIC;
  generator_seed(generator, (uint64_t)seed);
  return csp_ok_nothing(call);
}

// --- Tables -----------------------------------------------------------------
static const CspFunction functions[] = {
    CSP_REPEATABLE,
    {"int", "n", rand_int},
    {"int_range", "from, to", rand_int_range},
    {"float", "", rand_float},
    {"bool", "", rand_bool},
    {"bytes", "n", rand_bytes},
    {"shuffle", "list", rand_shuffle},
    {"choice", "list", rand_choice},
    {"sample", "list, n", rand_sample},
    {"new", "seed = nil", rand_new},
    {NULL, NULL, NULL},
};

static const CspFunction methods[] = {
    CSP_REPEATABLE,
    {"int", "generator, n", rand_int},
    {"int_range", "generator, from, to", rand_int_range},
    {"float", "generator", rand_float},
    {"bool", "generator", rand_bool},
    {"bytes", "generator, n", rand_bytes},
    {"shuffle", "generator, list", rand_shuffle},
    {"choice", "generator, list", rand_choice},
    {"sample", "generator, list, n", rand_sample},
    {"seed", "generator, seed", generator_seed_again},
    {NULL, NULL, NULL},
};

const CspModule rand_module = {"rand", functions, NULL, NULL, 0};

bool rand_install(Csp *csp) {
  return csp_register_class(csp, &generator_class, methods);
}
