// SPDX-License-Identifier: MIT
// The trees of tasks.c (../) as tasks of oneTBB. It has no channels, so the
// ring and ping-pong are not here.
//   tbb WORKLOAD WORKERS SIZE      tbb version
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tbb/global_control.h>
#include <tbb/task_group.h>
#include <tbb/version.h>

static long fib(long n) {
  if (n < 2) return n;
  long a, b;
  tbb::task_group group;
  group.run([&] { a = fib(n - 1); });
  group.run([&] { b = fib(n - 2); });
  group.wait();
  return a + b;
}

static long skynet(long number, long size) {
  if (size == 1) return number;
  std::array<long, 10> sums;
  tbb::task_group group;
  for (long i = 0; i < 10; i++) {
    group.run([&sums, i, number, size] {
      sums[i] = skynet(number + i * (size / 10), size / 10);
    });
  }
  group.wait();
  long sum = 0;
  for (long part : sums) sum += part;
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
  if (argc == 2) {
    std::puts(TBB_VERSION_STRING);
    return 0;
  }
  if (argc < 4) return 2;
  bool is_fib = std::strcmp(argv[1], "fib") == 0;
  if (!is_fib && std::strcmp(argv[1], "skynet") != 0) return 2;
  size_t workers = std::strtoul(argv[2], nullptr, 10);
  long size = std::atol(argv[3]);
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                            workers);
  long expected = is_fib ? fib_of(size) : size * (size - 1) / 2;
  long tasks = is_fib ? 2 * fib_of(size + 1) - 1 : size + (size - 1) / 9;
  double ns = 0;
  for (int run = 0; run < 2; run++) {
    auto began = std::chrono::steady_clock::now();
    long sum = is_fib ? fib(size) : skynet(0, size);
    ns = std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now() - began)
             .count();
    if (sum != expected) {
      std::fprintf(stderr, "tbb: %s gave %ld, not %ld\n", argv[1], sum,
                   expected);
      return 1;
    }
  }
  std::printf("value %s.%zu %.2f\n", argv[1], workers, ns / tasks);
  return 0;
}
