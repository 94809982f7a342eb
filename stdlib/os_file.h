// SPDX-License-Identifier: MIT
// Open files, as the parts see them that read, write and close them.
#ifndef CSP_STDLIB_OS_FILE_H
#define CSP_STDLIB_OS_FILE_H

#include <pthread.h>

#include "stdlib/os.h"

enum { FILE_BUFFER = 65536, FILE_PIECE = 1 << 20 };

typedef struct FileJob FileJob;
typedef struct File {
  Csp *csp;
  FileLink link;          // os_files.c
  Turn turn;              // to read
  CspWait wait;           // of the reader that has it
  pthread_mutex_t lock;   // guards the rest; zeroed it is ready for use
  const FileJob *busy;    // is between two of its pieces, or NULL
  const FileJob *writer;  // has written a part of what it has to, or NULL
  CspWait room;           // of the writer
  bool open;
  bool keep;  // standard input: never closed by us
  bool ends;  // closed when a wait in it is given up: of os.lines
  int fd;
  Input in;
  char *out;  // NULL until first needed
  size_t out_len;
  int64_t taken;  // bytes that writes have given, to `out` or to the system
  int failed;     // the first error in writing
  char *name;
} File;

// The call's argument keeps the file alive.
struct FileJob {
  Job job;
  File *file;
  int64_t want;        // bytes to read; -1 means a line, -2 everything
  bool queues;         // another reader has the turn
  bool left_open;      // closing: the descriptor, which others may look at
  const char *method;  // that reads, and is called again in its turn
  int whence;
};

// --- os_file.c --------------------------------------------------------------
// Argument 0 as a file. NULL: the call has panicked.
File *file_need(CspCall *call);
// The file's name is the job's path. NULL: the call has panicked.
FileJob *file_job(CspCall *call, File *file, const char *verb);
// For work. Takes the lock, whatever the result. It is false when the file is
// closed, or when another job is between two of its pieces.
bool file_enter(FileJob *work);
void file_leave(FileJob *work);
// The lock is held. Writes what is buffered, but for what would have to wait. 0
// or an error.
int file_flush(File *file);
// Likewise. Ends the job's turn. What it has read, and nobody has got, is for
// the next reader.
void file_give_back(FileJob *work);

// --- os_read.c --------------------------------------------------------------
CspStatus file_read(CspCall *call);
CspStatus file_read_bytes(CspCall *call);
CspStatus file_read_line(CspCall *call);
CspStatus file_read_some(CspCall *call);
CspStatus file_read_all(CspCall *call);
CspStatus file_lines(CspCall *call);
// A native that waits until nobody has the turn to read.
CspStatus file_turn(CspCall *call);
// The file is closed when a wait in it is given up: of os.lines.
CspStatus file_leave_with_reader(CspCall *call);

#endif
