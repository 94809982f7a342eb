// SPDX-License-Identifier: MIT
// Prints the seconds that a locked instruction takes, on a line that no other
// CPU wants: the median of many rounds.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 101, MANY = 20000 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(void) {
  static long word;
  double times[ROUNDS];
  for (int round = 0; round < ROUNDS; round++) {
    double start = now();
    for (int i = 0; i < MANY; i++)
      __atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
    times[round] = (now() - start) / (double)MANY;
  }
  qsort(times, ROUNDS, sizeof times[0], compare);
  printf("%.3e\n", times[ROUNDS / 2]);
  return 0;
}
