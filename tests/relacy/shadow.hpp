// SPDX-License-Identifier: MIT
// Data races on plain memory. For each byte: when each thread has read and
// written it last, by its own clock, plainly and atomically. An access races
// with one of another thread that is not ordered before it: that is, whose
// time is past what this thread has acquired of the other's clock. Atomic
// accesses race with plain ones only.
//
// Clocks are relacy's (thread_info_base::acq_rel_order_).
#ifndef CSP_TESTS_RELACY_SHADOW_HPP
#define CSP_TESTS_RELACY_SHADOW_HPP

#include <stdint.h>

#include "relacy.h"

enum Access { PLAIN_LOAD, PLAIN_STORE, ATOMIC_LOAD, ATOMIC_STORE, ACCESSES };

static const char *const access_names[] = {"plain load", "plain store",
                                           "atomic load", "atomic store"};

struct Race {
  int thread;  // of the earlier access
  Access access;
  uintptr_t pc;
};

class Shadow {
 public:
  // All is forgotten.
  void begin() { epoch_++, used_ = 0; }

  // `clock` is that of `thread`, on which `access` happens. true: a race.
  template <class Clock>
  bool touch(uintptr_t address, unsigned size, Access access, int thread,
             const Clock *clock, uintptr_t pc, Race *race) {
    for (unsigned i = 0; i < size; i++) {
      Cell &cell = at(address + i);
      if (conflicts(cell, access, thread, clock, race)) return true;
      cell.last[access][thread] = {(uint32_t)clock[thread], (uint32_t)pc};
    }
    return false;
  }

 private:
  enum { ROOM = 1 << 14 };
  struct Time {
    uint32_t clock, pc;  // the program is not position independent
  };
  struct Cell {
    uintptr_t address;
    uint32_t epoch;
    Time last[ACCESSES][RELACY_THREADS];
  };

  Cell cells_[ROOM];
  uint32_t epoch_, used_;

  Cell &at(uintptr_t address) {
    size_t i = (address * 0x9E3779B97F4A7C15u) >> 50;
    for (;; i = (i + 1) % ROOM) {
      Cell &cell = cells_[i];
      if (cell.epoch == epoch_ && cell.address == address) return cell;
      if (cell.epoch == epoch_) continue;
      if (++used_ > ROOM / 2) relacy_fail("shadow memory is full");
      cell = Cell();
      cell.address = address;
      cell.epoch = epoch_;
      return cell;
    }
  }

  template <class Clock>
  static bool conflicts(const Cell &cell, Access access, int thread,
                        const Clock *clock, Race *race) {
    static const unsigned with[] = {
        1u << PLAIN_STORE | 1u << ATOMIC_STORE,
        (1u << ACCESSES) - 1,
        1u << PLAIN_STORE,
        1u << PLAIN_STORE | 1u << PLAIN_LOAD,
    };
    for (int other = 0; other < ACCESSES; other++) {
      if (!(with[access] >> other & 1)) continue;
      for (int i = 0; i < RELACY_THREADS; i++) {
        const Time &time = cell.last[other][i];
        if (i == thread || time.clock == 0 || clock[i] >= time.clock) continue;
        *race = {i, (Access)other, time.pc};
        return true;
      }
    }
    return false;
  }
};

#endif
