// SPDX-License-Identifier: MIT
// A host's type with all operations, which do at times what they should not:
// they fail, and say that there is no order.
#ifndef CSP_FUZZ_API_CLASS_H
#define CSP_FUZZ_API_CLASS_H

#include <stdlib.h>
#include <string.h>

#include "vm/csp.h"

typedef struct Vec {
  int64_t n;
  char *text;  // malloced, to be finalized
} Vec;

static void vec_finalize(void *data) { free(((Vec *)data)->text); }

static char *vec_string(const void *data, size_t *len) {
  const Vec *vec = data;
  *len = vec->n % 5 == 0 ? 0 : 3;
  return vec->n % 7 == 6 ? NULL : strdup("vec");
}

static bool vec_equal(const void *a, const void *b) {
  return ((const Vec *)a)->n == ((const Vec *)b)->n;
}

static uint64_t vec_hash(const void *data) {
  return (uint64_t)((const Vec *)data)->n & 3;
}

static int vec_compare(const void *a, const void *b) {
  int64_t x = ((const Vec *)a)->n, y = ((const Vec *)b)->n;
  if (x % 5 == 4 || y % 5 == 4) return x == y ? 0 : 2;
  return x < y ? -7 : x > y;
}

static int64_t vec_len(const void *data) { return ((const Vec *)data)->n & 7; }

static CspValue vec_new(CspCall *call, int64_t n);

static const CspClass vec_class;

static bool vec_add(CspCall *call, CspValue a, CspValue b, CspValue *sum) {
  const Vec *x = csp_host_data(a, &vec_class);
  const Vec *y = csp_host_data(b, &vec_class);
  if (x == NULL || y == NULL) return false;
  if (x->n == 13) csp_panic(call, "13 and %d", (int)y->n);
  *sum = vec_new(call, (int64_t)((uint64_t)x->n + (uint64_t)y->n));
  return x->n != 13;
}

static bool vec_get(CspCall *call, CspValue v, CspValue index, CspValue *out) {
  const Vec *vec = csp_host_data(v, &vec_class);
  *out = csp_type(index) == CSP_INT ? csp_int(call, vec->n) : index;
  return csp_type(index) != CSP_STRING;
}

static bool vec_set(CspCall *call, CspValue v, CspValue index, CspValue to) {
  Vec *vec = csp_host_data(v, &vec_class);
  if (csp_type(to) == CSP_INT) vec->n = csp_to_int(to);
  return !csp_equal(index, to) && csp_work(call, 1000);
}

static bool vec_next(CspCall *call, CspValue of, CspValue with, int64_t *at,
                     CspValue *element) {
  const Vec *vec = csp_host_data(of, &vec_class);
  (void)with;
  if (*at >= (vec->n & 7)) return false;
  *element = vec_new(call, ++*at);
  return true;
}

static const CspOperations vec_operations = {
    .string = vec_string,
    .equal = vec_equal,
    .hash = vec_hash,
    .compare = vec_compare,
    .len = vec_len,
    .add = vec_add,
    .get = vec_get,
    .set = vec_set,
    .iterate = vec_next,
};
static const CspClass vec_class = {"vec", vec_finalize, sizeof(Vec),
                                   &vec_operations};

static CspValue vec_new(CspCall *call, int64_t n) {
  void *data;
  CspValue v = csp_host_new(call, &vec_class, &data);
  if (csp_is_undef(v)) return v;
  *(Vec *)data = (Vec){n, malloc(1)};
  csp_host_weight(call, v, (size_t)n & 0xffff);
  return v;
}

static CspStatus vec_size(CspCall *call) {
  const Vec *vec = csp_host_data(csp_arg(call, 0), &vec_class);
  return vec != NULL ? csp_ok_int(call, vec->n) : csp_bad_arg(call, 0, "vec");
}

static const CspFunction vec_methods[] = {{"size", "v", vec_size},
                                          {NULL, NULL, NULL}};
#endif
