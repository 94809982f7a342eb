// SPDX-License-Identifier: MIT
// What an input of fuzz_image.c says: which image the compiler makes, and how
// its words are changed. So an input that is kept for years still begins with
// an image of today's opcodes and today's format. Its first byte is the image,
// and EDIT_BYTES follow for each edit.
#ifndef CSP_FUZZ_IMAGE_EDITS_H
#define CSP_FUZZ_IMAGE_EDITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vm/code/opcodes.h"

enum {
  IMAGE_HEADER = 2,  // words: the stamp and the count, which are always right
  WORDS_MAX = 1 << 16,
  EDITS_MAX = 60,
  EDIT_BYTES = 8,
  ROOM_MAX = EDITS_MAX * 8,  // words that edits may add
};

typedef struct Image {
  const uint32_t *words;
  size_t count;
} Image;

// Words that an input makes.
typedef struct Words {
  uint32_t *at;
  size_t count;
} Words;

// As it stands in an input: of two bytes, one, one, and four.
typedef struct Edit {
  uint16_t place;
  uint8_t kind, small;
  uint32_t word;
} Edit;

typedef enum EditKind {
  EDIT_SET,      // the word
  EDIT_ADD,      // small - 128
  EDIT_BIT,      // flips one
  EDIT_OPCODE,   // another one, or none
  EDIT_OPERAND,  // another one, which is small
  EDIT_COPY,     // a word of another place
  EDIT_INSERT,   // some words of another place
  EDIT_DELETE,   // some words
  EDIT_END,      // the image ends there
  EDIT_KINDS,
} EditKind;

// --- Edits ------------------------------------------------------------------
static uint32_t edit_word(const Words *words, uint32_t was, const Edit *edit) {
  unsigned at = 8 * (1 + edit->word % 3);  // of an operand
  switch ((EditKind)(edit->kind % EDIT_KINDS)) {
    case EDIT_SET:
      return edit->word;
    case EDIT_ADD:
      return was + edit->small - 128;
    case EDIT_BIT:
      return was ^ 1u << edit->small % 32;
    case EDIT_OPCODE:
      return (was & ~0xffu) | edit->small % (OP_COUNT + 1);
    case EDIT_OPERAND:
      return (was & ~(0xffu << at)) | (uint32_t)(edit->small % 16) << at;
    case EDIT_COPY:
      return words->at[edit->word % words->count];
    default:
      return was;
  }
}

// The words from `from` on move to `to`.
static void words_move(Words *words, size_t to, size_t from) {
  memmove(words->at + to, words->at + from,
          (words->count - from) * sizeof *words->at);
  words->count = words->count - from + to;
}

static void words_insert(Words *words, size_t place, const Edit *edit) {
  uint32_t piece[8];
  size_t len = 1 + edit->small % 8u, from = edit->word % words->count;
  if (len > words->count - from) len = words->count - from;
  memcpy(piece, words->at + from, len * sizeof *piece);
  words_move(words, place + len, place);
  memcpy(words->at + place, piece, len * sizeof *piece);
}

static void words_edit(Words *words, const Edit *edit) {
  size_t left = words->count - IMAGE_HEADER;
  if (left == 0) return;
  size_t place = IMAGE_HEADER + edit->place % left;
  size_t len = 1 + edit->small % 8u;
  switch ((EditKind)(edit->kind % EDIT_KINDS)) {
    case EDIT_INSERT:
      words_insert(words, place, edit);
      return;
    case EDIT_DELETE:
      if (len > words->count - place) len = words->count - place;
      words_move(words, place, place + len);
      return;
    case EDIT_END:
      words->count = place;
      return;
    default:
      words->at[place] = edit_word(words, words->at[place], edit);
  }
}

// The image with its edits, in memory of just that size, where the sanitizer
// sees the end.
static Words words_of(const Image *image, const uint8_t *edits, size_t size) {
  static uint32_t room[WORDS_MAX + ROOM_MAX];
  Words words = {room, image->count};
  if (image->count > WORDS_MAX) abort();
  memcpy(room, image->words, image->count * sizeof *room);
  for (size_t n = 0; n < EDITS_MAX && (n + 1) * EDIT_BYTES <= size; n++) {
    Edit edit;
    memcpy(&edit, edits + n * EDIT_BYTES, sizeof edit);
    words_edit(&words, &edit);
  }
  room[1] = (uint32_t)words.count;
  words.at = malloc(words.count * sizeof *room);
  if (words.at == NULL) abort();
  memcpy(words.at, room, words.count * sizeof *room);
  return words;
}

// --- Mutations --------------------------------------------------------------
static unsigned edits_state;

static uint32_t edits_below(uint32_t n) {
  edits_state = edits_state * 1103515245u + 12345u;
  return n ? (edits_state >> 8) % n : 0;
}

// Small changes are more frequent than those that leave no image.
static Edit edit_new(void) {
  static const uint8_t kinds[] = {EDIT_SET,  EDIT_ADD,     EDIT_BIT,
                                  EDIT_ADD,  EDIT_OPCODE,  EDIT_OPCODE,
                                  EDIT_COPY, EDIT_OPERAND, EDIT_OPERAND};
  static const uint32_t edges[] = {0, 1, 2, 255, 256, 0x7fffffff, 0xffffffff};
  Edit edit = {.place = (uint16_t)edits_below(UINT16_MAX + 1),
               .kind = kinds[edits_below(sizeof kinds)],
               .small = (uint8_t)edits_below(256),
               .word = edits_below(1 << 16)};
  if (edits_below(20) == 0) edit.kind = (uint8_t)edits_below(EDIT_KINDS);
  if (edit.kind == EDIT_ADD && edits_below(2))
    edit.small = edits_below(2) ? 127 : 129;
  if (edit.kind == EDIT_SET)
    edit.word = edits_below(2) ? edits_below(20) : edges[edits_below(7)];
  return edit;
}

// Without one of the edits. Returns how many are left.
static size_t edits_drop(uint8_t *edits, size_t count) {
  size_t at = edits_below((uint32_t)count);
  uint8_t *gone = edits + at * EDIT_BYTES;
  memmove(gone, gone + EDIT_BYTES, (count - at - 1) * EDIT_BYTES);
  return count - 1;
}

// One more at the end, or in place of another one.
static size_t edits_put(uint8_t *edits, size_t count, size_t most) {
  size_t at = edits_below(2) ? edits_below((uint32_t)count) : count;
  if (at >= EDITS_MAX || (at + 1) * EDIT_BYTES > most) return count;
  Edit edit = edit_new();
  memcpy(edits + at * EDIT_BYTES, &edit, sizeof edit);
  return at < count ? count : count + 1;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed) {
  edits_state = seed;
  if (edits_below(10) == 0) return LLVMFuzzerMutate(data, size, most);
  if (size == 0 || edits_below(20) == 0) data[0] = (uint8_t)edits_below(256);
  uint8_t *edits = data + 1;
  size_t count = size > 0 ? (size - 1) / EDIT_BYTES : 0;
  if (count > 0 && edits_below(4) == 0)
    count = edits_drop(edits, count);
  else
    count = edits_put(edits, count, most - 1);
  return 1 + count * EDIT_BYTES;
}
#endif
