// SPDX-License-Identifier: MIT
// The trees of tasks.c (../) as tasks of OpenMP. It has no channels, so the
// ring and ping-pong are not here. OMP_NUM_THREADS sets the workers.
//   openmp WORKLOAD WORKERS SIZE
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long fib(long n) {
  if (n < 2) return n;
  long a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static long skynet(long number, long size) {
  if (size == 1) return number;
  long sums[10];
  for (long i = 0; i < 10; i++) {
#pragma omp task shared(sums)
    sums[i] = skynet(number + i * (size / 10), size / 10);
  }
#pragma omp taskwait
  long sum = 0;
  for (int i = 0; i < 10; i++) sum += sums[i];
  return sum;
}

static long fib_of(long n) {
  long a = 0, b = 1;
  for (; n > 0; n--) {
    long next = a + b;
    a = b, b = next;
  }
  return a;
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  bool is_fib = strcmp(argv[1], "fib") == 0;
  if (!is_fib && strcmp(argv[1], "skynet") != 0) return 2;
  int workers = atoi(argv[2]);
  long size = atol(argv[3]);
  if (omp_get_max_threads() != workers) return 2;
  long expected = is_fib ? fib_of(size) : size * (size - 1) / 2;
  long tasks = is_fib ? 2 * fib_of(size + 1) - 1 : size + (size - 1) / 9;
  double seconds = 0;
  for (int run = 0; run < 2; run++) {
    long sum = 0;
#pragma omp parallel
#pragma omp single
    {
      double began = omp_get_wtime();
      sum = is_fib ? fib(size) : skynet(0, size);
      seconds = omp_get_wtime() - began;
    }
    if (sum != expected) {
      fprintf(stderr, "openmp: %s gave %ld, not %ld\n", argv[1], sum, expected);
      return 1;
    }
  }
  printf("value %s.%d %.2f\n", argv[1], workers, seconds * 1e9 / (double)tasks);
  return 0;
}
