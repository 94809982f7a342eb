// SPDX-License-Identifier: MIT
// Reads of a connection, for those that have a form of their own.
#ifndef CSP_STDLIB_NET_READ_H
#define CSP_STDLIB_NET_READ_H

#include "stdlib/net.h"

typedef struct NetRead NetRead;

typedef struct NetFound {
  bool all;     // the read has what it wants
  size_t give;  // bytes that it gives, or as far as is known will give at least
  size_t use;   // bytes that are used: with the end
} NetFound;

// What a read wants. `give` and the functions after it make the results. All
// but `give` are called when the read has left its turn.
typedef struct NetForm {
  // Looks at what was received and not used. It moves read->scanned on, so that
  // it is linear.
  NetFound (*find)(CspCall *call, Str left, NetRead *read);
  // What it has found. Nothing is used up if this panics.
  CspStatus (*give)(CspCall *call, NetRead *read, Str found);
  // The other side has ended. clean: nothing is left over.
  CspStatus (*at_end)(CspCall *call, NetRead *read, bool clean);
  // It would give more than read->want. NULL: it never does.
  CspStatus (*too_long)(CspCall *call, NetRead *read);
  CspStatus (*fail)(CspCall *call, NetRead *read, int error);
} NetForm;

struct NetRead {
  NetTurn turn;
  Connection *connection;
  const NetForm *form;
  bool as_bytes;   // the form's own, as mark is
  size_t want;     // bytes at most, or exactly
  size_t scanned;  // of what is left: no end begins before that
  size_t mark;     // the form's own
  // Bytes that the form has copied for itself where it has not all. They are
  // used up, so that a long read fills no buffer of the connection's.
  size_t taken;
  int64_t stall;
  bool is_head;   // of a message, before which the connection is idle. Not its
                  // stall holds, but:
  int64_t until;  // when the read ends with NET_LATE, or 0
  int64_t whole;  // ns: `until` begins anew when something has come, or 0
  bool is_watch;  // it has no limit of time
};

// --- net_read.c -------------------------------------------------------------
// Of the connection that is argument 0.
CspStatus net_begin_read(CspCall *call, NetRead read);
// So many bytes of its buffer are used. For a call with the turn to read.
void net_use(CspCall *call, NetInput *in, size_t count);

#endif
