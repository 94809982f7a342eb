// SPDX-License-Identifier: MIT
// The native module zlib: compressed data, over the library of that name.
//
// The functions for whole data are one job, a Zip: it feeds some KB at a time
// to the library and keeps what that gives in parts. At the end the parts are
// copied into the result, bytes that nobody else sees before. After each step a
// job says what it did, and lets others run when its piece is over (csp_again).
//
// What always holds:
//   - A Zip stays where it is, as the library's state points to it.
//   - Bytes that are read can change meanwhile, and so are copied some KB at a
//     time. A string is read where it stands, and kept.
//   - The library takes no more than ZIP_IN bytes and gives no more than
//     ZIP_OUT in one step, whatever the data says.
// All memory, the library's own too, is the runtime's (csp_alloc). Belongs to
// one native call.
#include <string.h>

#include "stdlib/native/zlib_csp.h"
#include "stdlib/native/zlib_parts.h"

enum {
  ZIP_OUT = 1 << 14,
  ZIP_PART_FIRST = 1 << 10,
  ZIP_PART_MOST = 1 << 16,
  CRC_IN = 1 << 15
};

static const int64_t MOST = (int64_t)64 << 20;

// The forms of compressed data, as the library's windowBits.
typedef enum ZipForm {
  FORM_ZLIB = 15,
  FORM_GZIP = 15 + 16,
  FORM_RAW = -15
} ZipForm;

typedef enum ZipEnd {
  ZIP_GOES_ON,
  ZIP_IS_DONE,
  ZIP_IS_CUT,    // the data ends too early
  ZIP_IS_BAD,    // stream.msg tells why
  ZIP_HAS_MORE,  // something follows the end
  ZIP_IS_LARGE,  // it would give more than `most`
  ZIP_NO_MEMORY
} ZipEnd;

typedef struct ZipPart {
  struct ZipPart *before;
  size_t len, cap;
  unsigned char data[];
} ZipPart;

typedef struct Zip {
  z_stream stream;
  ZipForm form;
  ZipEnd end;
  bool inflates;
  unsigned feed, cost;  // bytes in a step; ns a byte, or 0 to measure
  GivenData from;
  uint64_t most;   // bytes of the result
  size_t room;     // bytes that the parts may take (csp_room)
  uint64_t made;   // bytes of the parts
  ZipPart *parts;  // the last one first
  size_t left;     // bytes of the parts that are not in the result yet
  char *to;        // the result's, once it is there
  unsigned char in[ZIP_IN];
} Zip;

// What is kept between two pieces.
typedef struct ZipJob {
  CspValue data, out;
  Zip *zip;
} ZipJob;

// --- Memory -----------------------------------------------------------------
void *zip_alloc(void *csp, unsigned count, unsigned size) {
  return csp_alloc(csp, NULL, (size_t)count * size);
}

void zip_release(void *csp, void *block) {
  (void)csp;
  csp_alloc_free(block);
}

static void drop_part(Zip *zip) {
  ZipPart *part = zip->parts;
  zip->parts = part->before;
  csp_alloc_free(part);
}

static void zip_free(Zip *zip) {
  if (zip->inflates)
    inflateEnd(&zip->stream);
  else
    deflateEnd(&zip->stream);
  while (zip->parts != NULL) drop_part(zip);
  csp_alloc_free(zip);
}

// Room for what the library gives in the next step, and one byte more than
// `most` at most. false: out of memory.
static bool reserve_part(Csp *csp, Zip *zip) {
  ZipPart *last = zip->parts;
  if (last == NULL || last->len == last->cap) {
    size_t cap = last == NULL ? ZIP_PART_FIRST : last->cap * 2;
    if (cap > ZIP_PART_MOST) cap = ZIP_PART_MOST;
    if (zip->made > zip->room || cap > zip->room - zip->made) return false;
    ZipPart *part = csp_alloc(csp, NULL, sizeof *part + cap);
    if (part == NULL) return false;
    part->before = last;
    part->len = 0;
    part->cap = cap;
    zip->parts = last = part;
  }
  uint64_t more = last->cap - last->len, fits = zip->most - zip->made;
  if (more > ZIP_OUT) more = ZIP_OUT;
  if (more > fits) more = fits + 1;
  zip->stream.next_out = last->data + last->len;
  zip->stream.avail_out = (unsigned)more;
  return true;
}

// --- One step ---------------------------------------------------------------
static void feed_zip(Zip *zip) {
  const unsigned char *piece;
  if (zip->stream.avail_in > 0) return;
  zip->stream.avail_in =
      (unsigned)data_next(&zip->from, zip->feed, zip->in, &piece);
  zip->stream.next_in = piece;
}

static bool is_all_fed(const Zip *zip) { return zip->from.at == zip->from.len; }

static bool is_all_read(const Zip *zip) {
  return is_all_fed(zip) && zip->stream.avail_in == 0;
}

// After the end of what was compressed. Another member may follow in gzip.
static ZipEnd zip_ended(Zip *zip) {
  if (is_all_read(zip)) return ZIP_IS_DONE;
  if (zip->form != FORM_GZIP) return ZIP_HAS_MORE;
  feed_zip(zip);
  if (zip->stream.avail_in == 0) return ZIP_IS_DONE;  // others cut them
  if (zip->stream.next_in[0] != 0x1f) return ZIP_HAS_MORE;
  return inflateReset(&zip->stream) == Z_OK ? ZIP_GOES_ON : ZIP_IS_BAD;
}

static ZipEnd inflate_step(Zip *zip) {
  int code = inflate(&zip->stream, Z_NO_FLUSH);
  bool full = zip->stream.avail_out == 0;
  switch (code) {
    case Z_STREAM_END:
      return zip_ended(zip);
    case Z_OK:
    case Z_BUF_ERROR:
      return is_all_read(zip) && !full ? ZIP_IS_CUT : ZIP_GOES_ON;
    case Z_MEM_ERROR:
      return ZIP_NO_MEMORY;
    default:
      return ZIP_IS_BAD;
  }
}

static ZipEnd deflate_step(Zip *zip) {
  int code = deflate(&zip->stream, is_all_fed(zip) ? Z_FINISH : Z_NO_FLUSH);
  return code == Z_STREAM_END ? ZIP_IS_DONE : ZIP_GOES_ON;
}

// Returns what it cost. How long the higher levels search depends on the data a
// hundredfold, so the clock tells.
static uint64_t zip_step(CspCall *call, Zip *zip) {
  int64_t begin = zip->cost == 0 ? csp_monotonic(call) : 0;
  feed_zip(zip);
  if (!reserve_part(csp_of(call), zip)) {
    zip->end = ZIP_NO_MEMORY;
    return 0;
  }
  unsigned in = zip->stream.avail_in, out = zip->stream.avail_out;
  zip->end = zip->inflates ? inflate_step(zip) : deflate_step(zip);
  out -= zip->stream.avail_out;
  zip->parts->len += out;
  zip->made += out;
  if (zip->made > zip->most) zip->end = ZIP_IS_LARGE;
  if (zip->cost == 0) return 64 + (uint64_t)(csp_monotonic(call) - begin);
  return 64 + (uint64_t)in * zip->cost + (uint64_t)out * 4;
}

// --- The result -------------------------------------------------------------
static size_t zip_place(const Zip *zip) {
  return zip->from.at - zip->stream.avail_in;
}

// Text of another form is told from damaged data.
static const char *zip_other_form(const Zip *zip) {
  unsigned char head[2] = {0, 0};
  const GivenData *from = &zip->from;
  if (from->text == NULL)
    csp_bytes_read(from->value, 0, head, 2);
  else if (from->len >= 2)
    memcpy(head, from->text, 2);
  bool gzip = head[0] == 0x1f && head[1] == 0x8b;
  bool own = (head[0] & 0x0f) == 8 && (head[0] * 256 + head[1]) % 31 == 0;
  if (gzip && zip->form != FORM_GZIP) return " (zlib.gunzip reads such data)";
  if (own && zip->form == FORM_GZIP)
    return " (zlib.decompress reads such data)";
  return "";
}

static CspStatus zip_refused(CspCall *call, const Zip *zip) {
  const char *name = csp_name(call), *why = zip->stream.msg;
  size_t place = zip_place(zip);
  switch (zip->end) {
    case ZIP_IS_CUT:
      return csp_ok_coded(call, "syntax",
                          "%s: the data ends too early, after %zu bytes", name,
                          place);
    case ZIP_HAS_MORE:
      return csp_ok_coded(
          call, "syntax",
          "%s: the compressed data ends at byte %zu, and more follows", name,
          place);
    case ZIP_IS_LARGE:
      return csp_ok_coded(call, "limit",
                          "%s: the data would become larger than %llu bytes, "
                          "the limit; the argument `most` sets another",
                          name, (unsigned long long)zip->most);
    case ZIP_GOES_ON:
    case ZIP_IS_DONE:
    case ZIP_IS_BAD:
    case ZIP_NO_MEMORY:
      break;
  }
  return csp_ok_coded(call, "syntax",
                      "%s: the data is damaged before byte %zu: %s%s", name,
                      place, why != NULL ? why : "it needs a preset dictionary",
                      zip_other_form(zip));
}

static CspStatus zip_result(CspCall *call, Zip *zip, CspValue out) {
  bool inflates = zip->inflates;
  zip_free(zip);
  return inflates ? csp_ok_value(call, out) : csp_ok(call, out);
}

// The parts go into the result from the last one on.
static CspStatus zip_join(CspCall *call, ZipJob *job);

static CspStatus join_on(CspCall *call, void *data, bool on) {
  ZipJob *job = data;
  if (on) return zip_join(call, job);
  zip_free(job->zip);
  return CSP_PANIC;
}

static CspStatus zip_join(CspCall *call, ZipJob *job) {
  Zip *zip = job->zip;
  while (zip->parts != NULL) {
    ZipPart *part = zip->parts;
    zip->left -= part->len;
    memcpy(zip->to + zip->left, part->data, part->len);
    uint64_t cost = 64 + part->len / 4;
    drop_part(zip);
    if (csp_spent(call, cost) && zip->parts != NULL)
      return csp_again(call, join_on, job, sizeof *job, 2);
  }
  return zip_result(call, zip, job->out);
}

static CspStatus zip_done(CspCall *call, ZipJob *job) {
  Zip *zip = job->zip;
  CspStatus status = CSP_PANIC;
  if (zip->end == ZIP_IS_DONE) {
    zip->left = (size_t)zip->made;
    job->out = csp_bytes_room(call, zip->left, &zip->to);
    if (!csp_is_undef(job->out)) return zip_join(call, job);
    zip->end = ZIP_NO_MEMORY;
  }
  status = zip->end == ZIP_NO_MEMORY ? csp_panic_memory(call)
                                     : zip_refused(call, zip);
  zip_free(zip);
  return status;
}

static CspStatus zip_on(CspCall *call, void *data, bool on) {
  ZipJob *job = data;
  Zip *zip = job->zip;
  if (!on) {
    zip_free(zip);
    return CSP_PANIC;
  }
  while (zip->end == ZIP_GOES_ON) {
    uint64_t cost = zip_step(call, zip);
    if (csp_spent(call, cost) && zip->end == ZIP_GOES_ON)
      return csp_again(call, zip_on, job, sizeof *job, 2);
  }
  return zip_done(call, job);
}

// --- Arguments --------------------------------------------------------------
// Argument i, or `otherwise` without one.
bool zip_number(CspCall *call, int i, int64_t least, int64_t most,
                const char *wanted, int64_t *number) {
  CspValue v = csp_arg(call, i);
  if (csp_type(v) == CSP_NIL) return true;
  if (csp_type(v) == CSP_INT) *number = csp_to_int(v);
  if (csp_type(v) == CSP_INT && *number >= least && *number <= most)
    return true;
  csp_bad_arg(call, i, wanted);
  return false;
}

static Zip *zip_new(CspCall *call, const GivenData *data, ZipForm form) {
  Zip *zip = csp_alloc(csp_of(call), NULL, sizeof *zip);
  if (zip == NULL) return NULL;
  memset(zip, 0, offsetof(Zip, in));
  zip->stream.zalloc = zip_alloc;
  zip->stream.zfree = zip_release;
  zip->stream.opaque = csp_of(call);
  zip->form = form;
  zip->from = *data;
  zip->room = csp_room(call);
  return zip;
}

static CspStatus zip_begin(CspCall *call, Zip *zip, int code) {
  if (code != Z_OK) {
    csp_alloc_free(zip);
    return csp_panic_memory(call);
  }
  ZipJob job = {zip->from.value, csp_nil(), zip};
  csp_charge(call, ZIP_NEW_NS / 32);
  return zip_on(call, &job, true);
}

// --- The functions ----------------------------------------------------------
// Of each level: the bytes of a step, such that the worst data takes less than
// a millisecond, and what one of them costs.
const LevelRule level_rules[] = {
    {ZIP_IN, 4}, {ZIP_IN, 16}, {ZIP_IN, 0}, {2048, 0}, {1024, 0},
    {512, 0},    {256, 0},     {128, 0},    {64, 0},   {64, 0}};

static CspStatus zip_deflate(CspCall *call, ZipForm form) {
  int64_t level = 6;
  GivenData data;
  if (!data_need(call, 0, &data) ||
      !zip_number(call, 1, 0, 9, "an int from 0 to 9", &level))
    return CSP_PANIC;
  Zip *zip = zip_new(call, &data, form);
  if (zip == NULL) return csp_panic_memory(call);
  zip->most = UINT64_MAX;
  zip->feed = level_rules[level].feed;
  zip->cost = level_rules[level].cost;
  return zip_begin(call, zip,
                   deflateInit2(&zip->stream, (int)level, Z_DEFLATED, form,
                                ZIP_MEMORY_LEVEL, Z_DEFAULT_STRATEGY));
}

static CspStatus zip_inflate(CspCall *call, ZipForm form) {
  int64_t most = MOST;
  GivenData data;
  if (!data_need(call, 0, &data) ||
      !zip_number(call, 1, 0, INT64_MAX, "an int of at least 0", &most))
    return CSP_PANIC;
  Zip *zip = zip_new(call, &data, form);
  if (zip == NULL) return csp_panic_memory(call);
  zip->inflates = true;
  zip->most = (uint64_t)most;
  zip->feed = ZIP_IN;
  zip->cost = 4;
  return zip_begin(call, zip, inflateInit2(&zip->stream, form));
}

static CspStatus zlib_compress(CspCall *call) {
  return zip_deflate(call, FORM_ZLIB);
}
static CspStatus zlib_gzip(CspCall *call) {
  return zip_deflate(call, FORM_GZIP);
}
static CspStatus zlib_deflate(CspCall *call) {
  return zip_deflate(call, FORM_RAW);
}
static CspStatus zlib_decompress(CspCall *call) {
  return zip_inflate(call, FORM_ZLIB);
}
static CspStatus zlib_gunzip(CspCall *call) {
  return zip_inflate(call, FORM_GZIP);
}
static CspStatus zlib_inflate(CspCall *call) {
  return zip_inflate(call, FORM_RAW);
}

// --- The checksum -----------------------------------------------------------
typedef struct CrcJob {
  GivenData from;  // begins with the value that is kept
  uint32_t crc;
} CrcJob;

static CspStatus crc_on(CspCall *call, void *data, bool on) {
  CrcJob *job = data;
  GivenData *from = &job->from;
  unsigned char copy[1 << 10];
  const unsigned char *piece;
  if (!on) return CSP_PANIC;
  while (from->at < from->len) {
    size_t most = from->text != NULL ? CRC_IN : sizeof copy;
    size_t count = data_next(from, most, copy, &piece);
    job->crc = (uint32_t)crc32(job->crc, piece, (unsigned)count);
    if (csp_spent(call, 16 + count) && from->at < from->len)
      return csp_again(call, crc_on, job, sizeof *job, 1);
  }
  return csp_ok_int(call, job->crc);
}

static CspStatus zlib_crc32(CspCall *call) {
  int64_t start = 0;
  CrcJob job = {.crc = 0};
  if (!data_need(call, 0, &job.from) ||
      !zip_number(call, 1, 0, UINT32_MAX, "an int from 0 to 4294967295",
                  &start))
    return CSP_PANIC;
  job.crc = (uint32_t)start;
  return crc_on(call, &job, true);
}

// --- The module -------------------------------------------------------------
static const CspFunction zlib_functions[] = {
    CSP_REPEATABLE,
    {"compress", "data, level = 6", zlib_compress},
    {"decompress", "data, most = 67_108_864", zlib_decompress},
    {"gzip", "data, level = 6", zlib_gzip},
    {"gunzip", "data, most = 67_108_864", zlib_gunzip},
    {"deflate", "data, level = 6", zlib_deflate},
    {"inflate", "data, most = 67_108_864", zlib_inflate},
    {"crc32", "data, start = 0", zlib_crc32},
    {"inflater", "format = \"zlib\", window = 15, members = false",
     zlib_inflater},
    {"deflater", "format = \"zlib\", level = 6, window = 15, memory = 8",
     zlib_deflater},
    {NULL, NULL, NULL}};

static const CspModule zlib_module = {"zlib", zlib_functions, zlib_add_classes,
                                      (const char *)text_zlib,
                                      sizeof text_zlib - 1};
static const CspNative zlib_native = {CSP_API, &zlib_module};

CSP_MODULE(zlib) { return &zlib_native; }
