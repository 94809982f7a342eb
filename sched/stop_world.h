// SPDX-License-Identifier: MIT
// Stops of the world, and work meanwhile: see stop_world.c.
#ifndef CSP_SCHED_STOP_WORLD_H
#define CSP_SCHED_STOP_WORLD_H

#include "sched/internal.h"

// Work for Ms while the world is stopped (sched_run_stopped).
struct WorldJob {
  void (*fn)(void *arg, int worker, int workers);
  void *arg;
  int workers;
  uint32_t pending;  // atomic: helpers not yet through
  M *boss;
};

bool stop_world_begin(P *p, bool resizing);  // owner P; false if not now
void stop_world_end(Sched *sched);           // by the M that stopped it
// sched.lock held. stop.wait counts the Ps that are still to come: in a stop
// those that are not stopped, in a handshake those that are asked, and more.
bool stop_world_is_valid(const Sched *sched);

// m with its P stops for a stop of the world and runs a handshake. When procs
// is about to change a G that is still on the P must leave first: then nothing
// is done and false returned. Without a G m->p may be NULL afterwards.
bool stop_world_attend(M *m);
// p stops being run. sched.lock held.
void stop_world_p_left(Sched *sched, P *p);
// p is RUNNING, without an M, and nobody else's.
void stop_world_give_m(Sched *sched, P *p);
// The same where no thread is to be had: p goes idle, its Gs are for any M that
// has a P, or comes to the pool.
void stop_world_leave_work(Sched *sched, P *p);

void stop_world_run_job(M *m);

#endif
