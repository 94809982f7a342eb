// SPDX-License-Identifier: MIT
// The walks and statistics of "Concurrency in Go", chapter 6: fib(4) under task
// stealing (parent first) and continuation stealing (child first), here by the
// queues of sched/ in lockstep (tests/unit/fib_walk.h), on 1, 2 and 4 threads.
// Then come the statistics for larger n. No times: the output is always the
// same.
//   fib_table [N]      walks fib(N) instead of fib(4); 1 to 6
#include <stdio.h>
#include <string.h>

#include "tests/unit/fib_walk.h"

enum { ROWS = 100, CELL = 96, COLUMNS = 2 * FIB_THREADS };

typedef struct Table {
  int rows;
  int actor[ROWS];
  char cells[ROWS][COLUMNS][CELL];
} Table;

// What the book has for fib(4): rows, longest deque, stalled joins, stack.
typedef struct Book {
  int threads;
  bool child_first;
  const char *rows, *longest, *stalls, *stack;
} Book;
static const Book book[] = {
    {2, false, "15", "2", "3 (0)", "3"},
    {2, true, "14", "2", "2 (2)", "2"},
    {1, true, "12", "3", "0 (0)", "1"},
};
enum { BOOK = sizeof book / sizeof book[0] };

// --- Rows -------------------------------------------------------------------
static void add(char *cell, const char *text) {
  size_t used = strlen(cell);
  snprintf(cell + used, CELL - used, "%s%s", used == 0 ? "" : " ", text);
}

static void add_name(char *cell, const Fib *fib, const char *form) {
  char name[24], text[CELL];
  snprintf(name, sizeof name, fib->n == 0 ? "main" : "fib(%d)", fib->n);
  snprintf(text, sizeof text, form, name);
  add(cell, text);
}

static void add_stalled(char *cell, const Fib *f) {  // the oldest first
  if (f == NULL) return;
  add_stalled(cell, f->below);
  add_name(cell, f, "%s*");
}

static void show_stack(char *cell, const FibThread *thread) {
  add_stalled(cell, thread->stalled);
  if (thread->now != NULL) add_name(cell, thread->now, "%s");
  const Fib *fib = thread->returned;
  if (fib == NULL) return;
  char text[CELL];
  snprintf(text, sizeof text, fib->n == 0 ? "main (prints %d)" : "(returns %d)",
           (int)fib->sum);
  add(cell, text);
}

static void show_queued(char *cell, G *g, bool next) {
  const Fib *fib = (const Fib *)(void *)g;
  const char *form = fib->ran ? "cont. of %s" : "%s";
  if (next) form = fib->ran ? "[cont. of %s]" : "[%s]";
  add_name(cell, fib, form);
}

static void show_queue(char *cell, P *p) {
  for (uint32_t i = p->head; i != p->tail; i++) {
    show_queued(cell, p->ring[i % RUNQ_SIZE], false);
  }
  if (p->runnext != NULL) show_queued(cell, p->runnext, true);
}

static void note_row(FibWalk *walk, int thread) {
  Table *table = walk->row_arg;
  if (table->rows == ROWS) return;
  int row = table->rows++;
  table->actor[row] = thread;
  for (int i = 0; i < walk->threads; i++) {
    show_stack(table->cells[row][(size_t)i * 2], &walk->thread[i]);
    show_queue(table->cells[row][(size_t)i * 2 + 1], walk->thread[i].p);
  }
}

// --- Output -----------------------------------------------------------------
static void heads(char head[COLUMNS][CELL], size_t width[COLUMNS],
                  const Table *table, int threads) {
  for (int c = 0; c < 2 * threads; c++) {
    snprintf(head[c], CELL, "T%d %s", c / 2 + 1, c % 2 ? "queue" : "stack");
    width[c] = strlen(head[c]);
    for (int row = 0; row < table->rows; row++) {
      size_t length = strlen(table->cells[row][c]);
      if (length > width[c]) width[c] = length;
    }
  }
}

static void print_line(const char *first, const char (*cells)[CELL],
                       const size_t *width, int columns) {
  printf("%s", first);
  for (int c = 0; c < columns; c++) {
    bool last = c == columns - 1;
    printf(" | %-*s", last ? 0 : (int)width[c], cells[c]);
  }
  printf("\n");
}

static const char *policy(bool child_first) {
  return child_first ? "continuation stealing (child first)"
                     : "task stealing (parent first)";
}

static void print_walk(const Table *table, int n, int threads,
                       bool child_first) {
  char head[COLUMNS][CELL] = {{0}}, first[32];
  size_t width[COLUMNS];
  heads(head, width, table, threads);
  printf("fib(%d), %d thread%s, %s\n\n", n, threads, threads == 1 ? "" : "s",
         policy(child_first));
  print_line("      ", (const char(*)[CELL])head, width, 2 * threads);
  for (int row = 0; row < table->rows; row++) {
    snprintf(first, sizeof first, "%3d T%d", row + 1, table->actor[row] + 1);
    print_line(first, table->cells[row], width, 2 * threads);
  }
  printf("\n");
}

static const Book *of_book(int n, int threads, bool child_first) {
  for (int i = 0; n == 4 && i < BOOK; i++) {
    if (book[i].threads == threads && book[i].child_first == child_first) {
      return &book[i];
    }
  }
  return NULL;
}

static void cell_of(const char *ours, const char *theirs) {
  char text[CELL];
  snprintf(text, sizeof text, theirs == NULL ? "%s" : "%s / %s", ours, theirs);
  printf(" %15s", text);
}

static void number_of(int ours, const char *theirs) {
  char text[24];
  snprintf(text, sizeof text, "%d", ours);
  cell_of(text, theirs);
}

static void print_stats(int n, int threads, bool child_first) {
  FibStats s = fib_walk(n, threads, child_first, NULL, NULL);
  const Book *found = of_book(n, threads, child_first);
  char stalls[32];
  snprintf(stalls, sizeof stalls, "%d (%d)", s.stalls, s.idle_stalls);
  printf("fib(%d)%s %d %-7s", n, n < 10 ? " " : "", threads,
         child_first ? "child" : "parent");
  number_of(s.rows, found != NULL ? found->rows : NULL);
  number_of(s.longest, found != NULL ? found->longest : NULL);
  cell_of(stalls, found != NULL ? found->stalls : NULL);
  number_of(s.stack, found != NULL ? found->stack : NULL);
  number_of(s.alive, NULL);
  number_of(s.steals, NULL);
  number_of(s.rounds, NULL);
  printf("\n");
}

static const char notes[] =
    "A stack: *: waits at an unrealized join point; the last one runs. The\n"
    "goroutines that wait are no thread's here: they stand where they parked.\n"
    "A queue: its head, where thieves take, comes first; [ ]: runnext.\n\n";

static const char reasons[] =
    "\nOurs / the book's. Stalled joins: in parentheses those of a thread "
    "whose\n"
    "own queue was empty. Queue: ring and runnext of a thread. No goroutine "
    "goes\n"
    "to the global queue here.\n\n"
    "Task stealing is the book's, number for number. Continuation stealing on\n"
    "two threads differs in three:\n"
    "- queue 1, not 2: the book's own walk has no deque longer than 1; only "
    "both\n"
    "  together are 2.\n"
    "- stack 3, not 2: fib(3) forks fib(1) and leaves its continuation in "
    "T1's\n"
    "  queue, where T2, whose fib(4) waits, steals it (row 11); the book lets "
    "T2\n"
    "  idle, and T1 keeps the blocked call on its stack.\n"
    "- 15 rows, not 14: so T1's fib(1) returns in a row of its own, which the\n"
    "  book leaves out, as T1 goes on with fib(3) itself.\n"
    "Child first a queue is as long as the forks are deep. (After a slice of\n"
    "10 ms the owner takes the oldest once, which begins a further branch; no\n"
    "slice ends here.)\n";

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 4;
  if (n < 1 || n > 6) return 2;
  printf("%s", notes);
  for (int threads = 1; threads <= FIB_THREADS; threads *= 2) {
    for (int child = 0; child < 2; child++) {
      Table *table = calloc(1, sizeof *table);
      if (table == NULL) return 1;
      fib_walk(n, threads, child == 1, note_row, table);
      print_walk(table, n, threads, child == 1);
      free(table);
    }
  }
  printf("%-16s %15s %15s %15s %15s %15s %15s %15s\n", "n threads first",
         "rows", "longest queue", "stalled joins", "stack", "alive at once",
         "steals", "rounds");
  const int sizes[] = {n, 10, 15};
  for (int i = 0; i < 3; i++) {
    for (int threads = 1; threads <= FIB_THREADS; threads *= 2) {
      for (int child = 0; child < 2; child++) {
        print_stats(sizes[i], threads, child == 1);
      }
    }
  }
  printf("%s", reasons);
  return 0;
}
