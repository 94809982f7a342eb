// SPDX-License-Identifier: MIT
// What the programs of this folder share.
#ifndef CSP_BENCH_EMBED_H
#define CSP_BENCH_EMBED_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 9 };
static const int64_t CALLS = 200000;

static inline void die(const char *message) {
  fprintf(stderr, "%s\n", message != NULL ? message : "failed");
  exit(1);
}

static inline int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static inline int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// work(arg, CALLS) does so many calls; one round for warmth.
static inline void print_median(const char *name,
                                void (*work)(void *arg, int64_t n), void *arg) {
  double ns[ROUNDS];
  work(arg, CALLS);
  for (int i = 0; i < ROUNDS; i++) {
    int64_t begun = now();
    work(arg, CALLS);
    ns[i] = (double)(now() - begun) / (double)CALLS;
  }
  qsort(ns, ROUNDS, sizeof *ns, by_size);
  printf("%s: %.1f\n", name, ns[ROUNDS / 2]);
}

#endif
