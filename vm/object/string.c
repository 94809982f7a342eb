// SPDX-License-Identifier: MIT
// Strings: making, hashing, comparing, and the names in code.
//
// A string never changes after it is published. Its hash (SipHash-1-3 keyed
// with the Vm's seed, so that nobody outside can make keys collide) is cached
// in the object: all threads compute the same, so racing stores are harmless.
#include "vm/object/string.h"

#include <stdio.h>
#include <stdlib.h>

#include "vm/heap/local.h"
#include "vm/heap/span.h"
#include "vm/heap/work.h"
#include "vm/object/string_tail.h"

// --- Making -----------------------------------------------------------------
static inline __attribute__((always_inline)) ObjString *string_made(
    Local *local, size_t len) {
  if (len >= WORK_BIG && (len > STRING_LEN_MAX || !work_before_big(local)))
    return NULL;
  ObjString *string = (ObjString *)heap_alloc(
      &local->heap, sizeof(ObjString) + len + 1, OBJ_STRING);
  if (string == NULL) return NULL;
  string->len = (uint32_t)len;
  string->at = STRING_OWN;
  string->own[len] = '\0';
  RT_ASSERT(string_is_valid(string));
  return string;
}

ObjString *string_alloc(Local *local, size_t len) {
  return string_made(local, len);
}

void string_cut(ObjString *string, size_t len) {
  RT_ASSERT(string_is_valid(string) && len <= string->len);
  RT_ASSERT(string->obj.flags == 0 && string->obj.hash == 0);
  string->len = (uint32_t)len;
  string->own[len] = '\0';
}

// The first 8 bytes as a word; of fewer one that no others of that number have.
static inline uint64_t first_word(const char *data, size_t len) {
  RT_ASSERT(len > 0);
  uint64_t word;
  if (len >= 8) {
    memcpy(&word, data, 8);
  } else if (len >= 4) {
    uint32_t low, high;
    memcpy(&low, data, 4);
    memcpy(&high, data + len - 4, 4);
    word = (uint64_t)high << 32 | low;
  } else {
    const uint8_t *s = (const uint8_t *)data;
    word =
        (uint64_t)s[0] | (uint64_t)s[len / 2] << 8 | (uint64_t)s[len - 1] << 16;
  }
  return word;
}

// Up to 16 bytes: their first and last 8, which may overlap.
typedef struct ShortText {
  uint64_t first, last;  // last: 0 for up to 8 bytes
} ShortText;

static inline ShortText short_text(const char *data, size_t len) {
  ShortText text = {first_word(data, len), 0};
  if (len > 8) memcpy(&text.last, data + len - 8, 8);
  return text;
}

static inline void copy_short_text(char *to, size_t len, ShortText text) {
  if (len >= 8) {
    memcpy(to, &text.first, 8);
    if (len > 8) memcpy(to + len - 8, &text.last, 8);
  } else if (len >= 4) {
    uint32_t low = (uint32_t)text.first, high = (uint32_t)(text.first >> 32);
    memcpy(to, &low, 4);
    memcpy(to + len - 4, &high, 4);
  } else {
    to[0] = (char)text.first;
    to[len / 2] = (char)(text.first >> 8);
    to[len - 1] = (char)(text.first >> 16);
  }
}

// A short string: one made lately with the same text, or a new one. Programs
// make the same words over and over; these need no memory, and have a hash.
static ObjString *string_short(Local *local, const char *data, size_t len) {
  ShortText text = short_text(data, len);
  uint64_t hash = text.first * 0x9e3779b97f4a7c15u;
  if (len > 8) hash = (hash ^ hash >> 32 ^ text.last) * 0xbf58476d1ce4e5b9u;
  hash += len * 0x94d049bb133111ebu;
  RecentText *recent = &local->heap.recent[hash >> (64 - RECENT_BITS)];
  ObjString *string = (ObjString *)recent->obj;
  RT_ASSERT(string == NULL || string_is_valid(string));
  // Of up to 8 bytes only those of the same text have the same hash.
  if (string != NULL && recent->hash == hash && string->len == len &&
      (len <= 8 || (short_text(string->own, len).first == text.first &&
                    short_text(string->own, len).last == text.last)))
    return string;
  string = string_made(local, len);
  if (string == NULL) return NULL;
  copy_short_text(string->own, len, text);
  *recent = (RecentText){hash, &string->obj};
  return string;
}

ObjString *string_new(Local *local, const char *data, size_t len) {
  if (len == 0 && local->vm->empty_string != NULL)
    return local->vm->empty_string;
  if (len > 0 && len <= RECENT_LEN_MAX) return string_short(local, data, len);
  ObjString *string = string_alloc(local, len);
  bool copied = string != NULL && work_copy(local, string->own, data, len);
  return copied ? string : NULL;
}

ObjString *string_format(Local *local, const char *format, ...) {
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  int len = vsnprintf(NULL, 0, format, args);
  va_end(args);
  ObjString *string = len < 0 ? NULL : string_alloc(local, (size_t)len);
  if (string != NULL) vsnprintf(string->own, (size_t)len + 1, format, again);
  RT_ASSERT(string == NULL || string_is_valid(string));
  va_end(again);
  return string;
}

ObjString *string_concat(Local *local, ObjString *a, ObjString *b) {
  RT_ASSERT(string_is_valid(a) && string_is_valid(b));
  if (a->len == 0) return b;
  if (b->len == 0) return a;
  if (string_is_growing(a, b)) return string_tail_join(local, a, b);
  ObjString *string = string_made(local, (size_t)a->len + b->len);
  if (string == NULL) return NULL;
  string->obj.flags = STRING_JOINED;
  bool copied = work_copy(local, string->own, string_data(a), a->len) &&
                work_copy(local, string->own + a->len, string_data(b), b->len);
  return copied ? string : NULL;
}

// --- Hashing ----------------------------------------------------------------
static uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }

static void sip_round(uint64_t v[4]) {
  v[0] += v[1];
  v[1] = rotate(v[1], 13) ^ v[0];
  v[0] = rotate(v[0], 32);
  v[2] += v[3];
  v[3] = rotate(v[3], 16) ^ v[2];
  v[0] += v[3];
  v[3] = rotate(v[3], 21) ^ v[0];
  v[2] += v[1];
  v[1] = rotate(v[1], 17) ^ v[2];
  v[2] = rotate(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word) {
  v[3] ^= word;
  sip_round(v);
  v[0] ^= word;
}

static uint64_t last_word(const char *data, size_t len) {
  uint64_t word = (uint64_t)len << 56;
  for (size_t i = 0; i < len % 8; i++)
    word |= (uint64_t)(uint8_t)data[(len & ~(size_t)7) + i] << 8 * i;
  return word;
}

static void sip_words(uint64_t v[4], const char *data, size_t len) {
  for (size_t at = 0; at + 8 <= len; at += 8) {
    uint64_t word;
    memcpy(&word, data + at, 8);
    sip_word(v, word);
  }
}

static void sip_begin(uint64_t v[4], uint64_t seed) {
  uint64_t k1 = (seed ^ 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  v[0] = seed ^ 0x736f6d6570736575u;
  v[1] = k1 ^ 0x646f72616e646f6du;
  v[2] = seed ^ 0x6c7967656e657261u;
  v[3] = k1 ^ 0x7465646279746573u;
}

static uint64_t sip_end(uint64_t v[4], const char *data, size_t len) {
  sip_word(v, last_word(data, len));
  v[2] ^= 0xff;
  for (int i = 0; i < 3; i++) sip_round(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

// SipHash-1-3.
uint64_t vm_hash_bytes(uint64_t seed, const char *data, size_t len) {
  uint64_t v[4];
  sip_begin(v, seed);
  sip_words(v, data, len);
  return sip_end(v, data, len);
}

static uint32_t hash_fold(uint64_t h) {
  uint32_t hash = (uint32_t)(h ^ h >> 32);
  return hash ? hash : 1;
}

static uint32_t hash_text(const Vm *vm, const char *data, size_t len) {
  return hash_fold(vm_hash_bytes(vm->hash_seed, data, len));
}

uint32_t string_hash(Vm *vm, ObjString *string) {
  // relaxed, both: other threads in string_hash store the same
  uint32_t hash = rt_load_relaxed(&string->obj.hash);
  if (hash) return hash;
  hash = hash_text(vm, string_data(string), string->len);
  rt_store_relaxed(&string->obj.hash, hash);
  return hash;
}

bool string_hash_on(Local *local, ObjString *string) {
  enum { PIECE = 1 << 12 };
  // relaxed: as in string_hash. So is the store below
  if (rt_load_relaxed(&string->obj.hash)) return true;
  uint64_t v[4];
  sip_begin(v, local->vm->hash_seed);
  for (size_t at = 0; at < string->len; at += PIECE) {
    size_t count = string->len - at < PIECE ? string->len - at : PIECE;
    sip_words(v, string_data(string) + at, count);
    if (!work_part(local, count / 2, at + PIECE < string->len)) return false;
  }
  // relaxed: as above
  rt_store_relaxed(&string->obj.hash,
                   hash_fold(sip_end(v, string_data(string), string->len)));
  return true;
}

// --- Comparing --------------------------------------------------------------
bool string_equal(const ObjString *a, const ObjString *b) {
  int known = string_equal_known(a, b);
  if (known >= 0) return known != 0;
  if (a->len <= STRING_WORD) return string_equal_short(a, b);
  return memcmp(string_data(a), string_data(b), a->len) == 0;
}

// --- Names in code ----------------------------------------------------------
enum { NAMES_FIRST = 1024 };  // places of the first table: a start's names fit

// The place of the name in the table, or the free place for it.
static ObjString **find_symbol(ObjString **names, uint32_t cap, uint32_t hash,
                               const char *text, size_t len) {
  RT_ASSERT(cap > 0 && (cap & (cap - 1)) == 0 && hash != 0);
  for (uint32_t at = hash & (cap - 1);; at = (at + 1) & (cap - 1)) {
    ObjString *string = names[at];
    if (string == NULL) return &names[at];
    if (string->obj.hash == hash && string->len == len &&
        !memcmp(string_data(string), text, len))
      return &names[at];
  }
}

static bool grow_names(Vm *vm) {
  uint32_t cap = vm->names_cap ? vm->names_cap * 2 : NAMES_FIRST;
  ObjString **names = mem_zeroed(vm->memory, cap * sizeof(ObjString *));
  if (names == NULL) return false;
  for (uint32_t i = 0; i < vm->names_cap; i++) {
    ObjString *string = vm->names[i];
    if (string != NULL)
      *find_symbol(names, cap, string->obj.hash, string_data(string),
                   string->len) = string;
  }
  RT_ASSERT(vm->names_count < cap);
  mem_free(vm->names);
  vm->names = names;
  vm->names_cap = cap;
  return true;
}

ObjString *vm_intern(Vm *vm, const char *text, size_t len) {
  if (len > STRING_LEN_MAX) return NULL;
  if (vm->names_count >= vm->names_cap / 2 && !grow_names(vm)) return NULL;
  uint32_t hash = hash_text(vm, text, len);
  ObjString **place = find_symbol(vm->names, vm->names_cap, hash, text, len);
  if (*place != NULL) {
    // For good. (Nobody else reads the flags meanwhile: units are a stepped
    // runtime's.)
    if (vm->unit == NULL) (*place)->obj.flags &= (uint8_t)~STRING_WEAK;
    return *place;
  }
  ObjString *string = (ObjString *)heap_alloc_shared(
      vm->heap, sizeof(ObjString) + len + 1, OBJ_STRING);
  if (string == NULL) return NULL;
  string->obj.flags = STRING_INTERNED | (vm->unit != NULL ? STRING_WEAK : 0);
  string->obj.hash = hash;
  string->len = (uint32_t)len;
  string->at = STRING_OWN;
  memcpy(string->own, text, len);
  string->own[len] = '\0';
  RT_ASSERT(string_is_valid(string));
  *place = string;
  vm->names_count++;
  return string;
}

// --- Validity ---------------------------------------------------------------
bool string_is_valid(const ObjString *string) {
  if (string == NULL || string->obj.type != OBJ_STRING ||
      string->len > STRING_LEN_MAX)
    return false;
  if (string->obj.flags & STRING_TAIL) return string_tail_is_valid(string);
  return string->at == STRING_OWN &&
         sizeof *string + string->len + 1 <= heap_size_of(string) &&
         string->own[string->len] == '\0';
}
