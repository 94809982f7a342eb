// SPDX-License-Identifier: MIT
// The native module hash: checksums of data, keyed ones, and keys of passwords,
// over libcrypto and libxxhash.
//
// Long data are one job, a HashJob. It writes some KB at a time to a Digest,
// and lets other goroutines run when its piece is over (csp_again). After the
// last piece it calls its function `then`. A job of a script's hash (h.write)
// marks it as busy until its end, so that another goroutine's use of it panics.
// All other jobs own their Digest.
//
// What always holds:
//   - Bytes that are read can change meanwhile, and so are copied some KB at a
//     time. A string is read where it stands, and kept.
//   - Nothing of libcrypto is used before its algorithm was fetched, once for
//     the process. libcrypto reads its configuration then.
//   - The libraries' states are libc's memory. A script's hash weighs as much
//     as its states take (csp_host_weight). All other memory is the runtime's.
//     What held keys is wiped.
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "stdlib/native/given_data.h"
#include "stdlib/native/hash_csp.h"
#include "vm/csp.h"

// X(name, libcrypto's name or NULL, bytes of the sum, bytes of a block, what 8
// bytes cost in ns)
#define HASHES(X)                       \
  X(md5, "MD5", 16, 64, 12)             \
  X(sha1, "SHA1", 20, 64, 8)            \
  X(sha224, "SHA224", 28, 64, 12)       \
  X(sha256, "SHA256", 32, 64, 12)       \
  X(sha384, "SHA384", 48, 128, 10)      \
  X(sha512, "SHA512", 64, 128, 10)      \
  X(sha3_256, "SHA3-256", 32, 136, 20)  \
  X(sha3_512, "SHA3-512", 64, 72, 32)   \
  X(blake2b, "BLAKE2B-512", 64, 128, 8) \
  X(blake2s, "BLAKE2S-256", 32, 64, 12) \
  X(xxh3_64, NULL, 8, 64, 1)            \
  X(xxh3_128, NULL, 16, 64, 1)

enum {
  HASH_IN = 1 << 12,
  SUM_MOST = 64,
  BLOCK_MOST = 144,
  HASH_NEW_NS = 1 << 9,  // what a state costs
  HASH_NAME_SHOWN = 40,
  KEY_SIZE_MOST = 1024
};
static const int64_t ROUNDS_MOST = INT32_MAX;

typedef struct HashRule {
  const char *name, *algorithm;
  unsigned size, block, cost;
} HashRule;

#define HASH_KIND(name, algorithm, size, block, cost) HASH_##name,
typedef enum HashKind { HASHES(HASH_KIND) HASH_KINDS } HashKind;

#define HASH_RULE(name, algorithm, size, block, cost) \
  {#name, algorithm, size, block, cost},
static const HashRule hash_rules[] = {HASHES(HASH_RULE)};

// What data are written to. An HMAC's inner and outer have their keys.
typedef struct Digest {
  const HashRule *rule;
  EVP_MD_CTX *inner;  // or NULL: xxh3
  EVP_MD_CTX *outer;  // of an HMAC, else NULL
  EVP_MD_CTX *start;  // of pbkdf2: inner before the salt
  XXH3_state_t *xxh3;
  bool failed;  // libcrypto did
} Digest;

// What a script's hash is.
typedef struct HashValue {
  Digest *digest;
  bool busy;
} HashValue;

typedef struct HashJob {
  GivenData from;  // of an argument, which is kept
  Digest *digest;
  HashValue *shared;  // has the digest; or NULL
  int next, end;      // the arguments after `from`
  bool failed;        // one of them has panicked
  CspStatus (*then)(CspCall *call, struct HashJob *job);
} HashJob;

// --- Algorithms -------------------------------------------------------------
static EVP_MD *fetched[HASH_KINDS];

// The algorithm, for good. NULL: libcrypto does not give it. Threads that come
// at once may all fetch it, and the first one's stays.
static const EVP_MD *hash_fetch(const HashRule *rule) {
  EVP_MD **at = &fetched[rule - hash_rules], *none = NULL;
  // acquire: what it points to. Pairs with the compare_exchange below
  EVP_MD *have = __atomic_load_n(at, __ATOMIC_ACQUIRE);
  if (have != NULL) return have;
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
  EVP_MD *made = EVP_MD_fetch(NULL, rule->algorithm, NULL);
  ERR_clear_error();
  if (made == NULL) return NULL;
  // acq_rel: the release shows what `made` points to. The acquire, where
  // another thread was first, shows what that has made. Pairs with itself and
  // the load above
  if (__atomic_compare_exchange_n(at, &none, made, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return made;
  EVP_MD_free(made);
  return none;
}

static bool hash_is_there(CspCall *call, const HashRule *rule) {
  if (rule->algorithm == NULL || hash_fetch(rule) != NULL) return true;
  csp_panic(call, "%s: the libcrypto of this system does not give %s",
            csp_name(call), rule->name);
  return false;
}

static void list_hashes(char *names, size_t size) {
  size_t len = 0;
  for (int n = 0; n < HASH_KINDS; n++)
    len += (size_t)snprintf(names + len, size - len, "%s%s", n == 0 ? "" : " ",
                            hash_rules[n].name);
}

static CspStatus no_such_hash(CspCall *call, CspValue name) {
  char names[256];
  size_t len;
  bool cut;
  list_hashes(names, sizeof names);
  char *shown =
      csp_alloc_format_most(call, name, true, HASH_NAME_SHOWN, &len, &cut);
  if (shown == NULL) return csp_panic_memory(call);
  csp_panic(call, "%s: there is no hash %s%s, but there are %s", csp_name(call),
            shown, cut ? "..." : "", names);
  csp_alloc_free(shown);
  return CSP_PANIC;
}

// Argument 0. NULL: panicked.
static const HashRule *need_hash_name(CspCall *call) {
  const char *name;
  size_t len;
  if (!csp_need_string(call, 0, &name, &len)) return NULL;
  for (int n = 0; n < HASH_KINDS; n++) {
    const HashRule *rule = &hash_rules[n];
    if (strlen(rule->name) == len && memcmp(rule->name, name, len) == 0)
      return hash_is_there(call, rule) ? rule : NULL;
  }
  no_such_hash(call, csp_arg(call, 0));
  return NULL;
}

// The same for HMACs.
static const HashRule *need_hmac_name(CspCall *call) {
  const HashRule *rule = need_hash_name(call);
  if (rule == NULL || rule->algorithm != NULL) return rule;
  csp_panic(call,
            "%s: %s is no hash for keys, as anybody can find data of the "
            "same sum",
            csp_name(call), rule->name);
  return NULL;
}

// --- Digests ----------------------------------------------------------------
static void digest_free(Digest *digest) {
  if (digest == NULL) return;
  EVP_MD_CTX_free(digest->inner);
  EVP_MD_CTX_free(digest->outer);
  EVP_MD_CTX_free(digest->start);
  if (digest->xxh3 != NULL) XXH3_freeState(digest->xxh3);
  csp_alloc_free(digest);
}

static EVP_MD_CTX *context_new(const HashRule *rule) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (context != NULL && EVP_DigestInit_ex(context, hash_fetch(rule), NULL))
    return context;
  EVP_MD_CTX_free(context);
  return NULL;
}

static EVP_MD_CTX *context_copy(const EVP_MD_CTX *from) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (context != NULL && EVP_MD_CTX_copy_ex(context, from)) return context;
  EVP_MD_CTX_free(context);
  return NULL;
}

static bool xxh3_begin(Digest *digest) {
  digest->xxh3 = XXH3_createState();
  if (digest->xxh3 == NULL) return false;
  if (digest->rule == &hash_rules[HASH_xxh3_64])
    XXH3_64bits_reset(digest->xxh3);
  else
    XXH3_128bits_reset(digest->xxh3);
  return true;
}

static Digest *digest_room(CspCall *call, const HashRule *rule) {
  Digest *digest = csp_alloc(csp_of(call), NULL, sizeof *digest);
  if (digest != NULL) *digest = (Digest){.rule = rule};
  return digest;
}

// NULL: out of memory.
static Digest *digest_new(CspCall *call, const HashRule *rule) {
  Digest *digest = digest_room(call, rule);
  if (digest == NULL) return NULL;
  csp_charge(call, HASH_NEW_NS / 32);
  if (rule->algorithm == NULL) {
    if (xxh3_begin(digest)) return digest;
  } else {
    digest->inner = context_new(rule);
    if (digest->inner != NULL) return digest;
  }
  digest_free(digest);
  return NULL;
}

static Digest *digest_copy(CspCall *call, const Digest *from) {
  Digest *digest = digest_room(call, from->rule);
  if (digest == NULL) return NULL;
  bool fine = true;
  if (from->xxh3 != NULL) {
    fine = xxh3_begin(digest);
    if (fine) XXH3_copyState(digest->xxh3, from->xxh3);
  }
  if (from->inner != NULL)
    fine = (digest->inner = context_copy(from->inner)) != NULL;
  if (from->outer != NULL)
    fine = (digest->outer = context_copy(from->outer)) != NULL && fine;
  if (fine) return digest;
  digest_free(digest);
  return NULL;
}

static void digest_write(Digest *digest, const void *data, size_t len) {
  if (digest->inner != NULL)
    digest->failed |= !EVP_DigestUpdate(digest->inner, data, len);
  else if (digest->rule == &hash_rules[HASH_xxh3_64])
    XXH3_64bits_update(digest->xxh3, data, len);
  else
    XXH3_128bits_update(digest->xxh3, data, len);
}

// HMAC of what `inner` has got and len more bytes, over the scratch `work`.
static bool hmac_end(EVP_MD_CTX *work, const EVP_MD_CTX *inner,
                     const EVP_MD_CTX *outer, const void *data, size_t len,
                     unsigned char *sum) {
  unsigned size;
  return EVP_MD_CTX_copy_ex(work, inner) && EVP_DigestUpdate(work, data, len) &&
         EVP_DigestFinal_ex(work, sum, &size) &&
         EVP_MD_CTX_copy_ex(work, outer) && EVP_DigestUpdate(work, sum, size) &&
         EVP_DigestFinal_ex(work, sum, &size);
}

static void xxh3_sum(const Digest *digest, unsigned char *sum) {
  if (digest->rule == &hash_rules[HASH_xxh3_64]) {
    XXH64_canonical_t canonical;
    XXH64_canonicalFromHash(&canonical, XXH3_64bits_digest(digest->xxh3));
    memcpy(sum, &canonical, sizeof canonical);
  } else {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(digest->xxh3));
    memcpy(sum, &canonical, sizeof canonical);
  }
}

// The sum so far. More may be written afterwards. false: out of memory.
static bool digest_sum(Digest *digest, unsigned char *sum) {
  if (digest->xxh3 != NULL) {
    xxh3_sum(digest, sum);
    return true;
  }
  EVP_MD_CTX *work = EVP_MD_CTX_new();
  bool fine = work != NULL && !digest->failed;
  if (fine && digest->outer != NULL)
    fine = hmac_end(work, digest->inner, digest->outer, "", 0, sum);
  else if (fine)
    fine = EVP_MD_CTX_copy_ex(work, digest->inner) &&
           EVP_DigestFinal_ex(work, sum, NULL);
  EVP_MD_CTX_free(work);
  return fine;
}

// Begins an HMAC with a key of at most a block. false: out of memory.
static bool hmac_begin(Digest *digest, const unsigned char *key, size_t len) {
  unsigned char block[BLOCK_MOST] = {0};
  unsigned size = digest->rule->block;
  EVP_MD_CTX_free(digest->inner);
  digest->inner = context_new(digest->rule);
  digest->outer = context_new(digest->rule);
  if (digest->inner == NULL || digest->outer == NULL) return false;
  memcpy(block, key, len);
  for (unsigned n = 0; n < size; n++) block[n] ^= 0x36;
  bool fine = EVP_DigestUpdate(digest->inner, block, size);
  for (unsigned n = 0; n < size; n++) block[n] ^= 0x36 ^ 0x5c;
  fine = fine && EVP_DigestUpdate(digest->outer, block, size);
  OPENSSL_cleanse(block, sizeof block);
  return fine;
}

// --- Jobs -------------------------------------------------------------------
static CspStatus hash_on(CspCall *call, HashJob *job);

static void hash_let_go(HashValue *value) {
  // release: shows what was written. Pairs with need_idle_hash
  __atomic_store_n(&value->busy, false, __ATOMIC_RELEASE);
}

static void hash_job_free(HashJob *job) {
  if (job->shared != NULL)
    hash_let_go(job->shared);
  else
    digest_free(job->digest);
}

static CspStatus hash_job_memory(CspCall *call, HashJob *job) {
  hash_job_free(job);
  return csp_panic_memory(call);
}

static CspStatus hash_step(CspCall *call, void *data, bool on) {
  if (on) return hash_on(call, data);
  hash_job_free(data);
  return CSP_PANIC;
}

// More of the data. false: that was all, or the next argument has panicked.
static bool hash_goes_on(CspCall *call, HashJob *job) {
  if (job->from.at < job->from.len) return true;
  if (job->next >= job->end) return false;
  job->failed = !data_need(call, job->next++, &job->from);
  return !job->failed;
}

// Writes what is left, and goes on with `then`.
static CspStatus hash_on(CspCall *call, HashJob *job) {
  unsigned char copy[HASH_IN];
  const unsigned char *piece;
  while (hash_goes_on(call, job)) {
    size_t count = data_next(&job->from, HASH_IN, copy, &piece);
    digest_write(job->digest, piece, count);
    if (csp_spent(call, 32 + count * job->digest->rule->cost / 8))
      return csp_again(call, hash_step, job, sizeof *job, 0);
  }
  if (!job->failed) return job->then(call, job);
  hash_job_free(job);
  return CSP_PANIC;
}

// The same with argument i.
static CspStatus hash_argument(CspCall *call, HashJob *job, int i,
                               CspStatus (*then)(CspCall *, HashJob *)) {
  job->next = i;
  job->end = i + 1;
  job->then = then;
  return hash_on(call, job);
}

static CspStatus give_sum(CspCall *call, HashJob *job) {
  unsigned char sum[SUM_MOST];
  if (!digest_sum(job->digest, sum)) return hash_job_memory(call, job);
  CspValue made = csp_bytes(call, sum, job->digest->rule->size);
  hash_job_free(job);
  return csp_ok(call, made);
}

// The key was written: its sum is the key.
static CspStatus key_is_long(CspCall *call, HashJob *job) {
  unsigned char sum[SUM_MOST];
  bool fine = digest_sum(job->digest, sum) &&
              hmac_begin(job->digest, sum, job->digest->rule->size);
  OPENSSL_cleanse(sum, sizeof sum);
  return fine ? CSP_OK : hash_job_memory(call, job);
}

// Begins a job of an HMAC with argument `key`. `then` is called with the key in
// its place.
static CspStatus begin_keyed(CspCall *call, HashJob *job, int key,
                             CspStatus (*long_key)(CspCall *, HashJob *),
                             CspStatus (*then)(CspCall *, HashJob *)) {
  unsigned char copy[HASH_IN];
  const unsigned char *piece;
  const HashRule *rule = job->digest->rule;
  if (!data_need(call, key, &job->from)) {
    hash_job_free(job);
    return CSP_PANIC;
  }
  if (job->from.len > rule->block) {
    job->then = long_key;
    return hash_on(call, job);
  }
  size_t len = data_next(&job->from, HASH_IN, copy, &piece);
  bool fine = hmac_begin(job->digest, piece, len);
  OPENSSL_cleanse(copy, rule->block);
  return fine ? then(call, job) : hash_job_memory(call, job);
}

// --- A hash at once ---------------------------------------------------------
static bool sum_at_once(const HashRule *rule, const void *data, size_t len,
                        unsigned char *sum) {
  if (rule->algorithm != NULL)
    return EVP_Digest(data, len, sum, NULL, hash_fetch(rule), NULL);
  if (rule == &hash_rules[HASH_xxh3_64]) {
    XXH64_canonical_t canonical;
    XXH64_canonicalFromHash(&canonical, XXH3_64bits(data, len));
    memcpy(sum, &canonical, sizeof canonical);
  } else {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, len));
    memcpy(sum, &canonical, sizeof canonical);
  }
  return true;
}

static CspStatus hash_at_once(CspCall *call, HashKind kind) {
  const HashRule *rule = &hash_rules[kind];
  HashJob job = {.then = give_sum};
  if (!data_need(call, 0, &job.from) || !hash_is_there(call, rule))
    return CSP_PANIC;
  if (job.from.len <= HASH_IN) {
    unsigned char copy[HASH_IN], sum[SUM_MOST];
    const unsigned char *piece;
    size_t len = data_next(&job.from, HASH_IN, copy, &piece);
    csp_charge(call, (128 + len * rule->cost / 8) / 32);
    if (!sum_at_once(rule, piece, len, sum)) return csp_panic_memory(call);
    return csp_ok(call, csp_bytes(call, sum, rule->size));
  }
  job.digest = digest_new(call, rule);
  return job.digest != NULL ? hash_on(call, &job) : csp_panic_memory(call);
}

#define HASH_FUNCTION(name, algorithm, size, block, cost) \
  static CspStatus hash_##name(CspCall *call) {           \
    return hash_at_once(call, HASH_##name);               \
  }
HASHES(HASH_FUNCTION)

// --- HMAC -------------------------------------------------------------------
static CspStatus hmac_data(CspCall *call, HashJob *job) {
  return hash_argument(call, job, 2, give_sum);
}

static CspStatus hmac_long_key(CspCall *call, HashJob *job) {
  CspStatus status = key_is_long(call, job);
  return status == CSP_OK ? hmac_data(call, job) : status;
}

// hmac(name, key, data)
static CspStatus hash_hmac(CspCall *call) {
  GivenData data;
  HashJob job = {.then = NULL};
  const HashRule *rule = need_hmac_name(call);
  if (rule == NULL || !data_need(call, 1, &data) || !data_need(call, 2, &data))
    return CSP_PANIC;
  job.digest = digest_new(call, rule);
  if (job.digest == NULL) return csp_panic_memory(call);
  return begin_keyed(call, &job, 1, hmac_long_key, hmac_data);
}

// --- Hashes that go on ------------------------------------------------------
static void hash_finalize(void *data) {
  digest_free(((HashValue *)data)->digest);
}

static const CspClass hash_class = {"hash", hash_finalize, sizeof(HashValue),
                                    NULL};

// The libraries do not tell. A context of libcrypto takes 190 to 512 bytes, and
// a state of libxxhash 640.
static size_t digest_bytes(const Digest *digest) {
  enum { CONTEXT = 512, XXH3_STATE = 640 };
  size_t bytes = sizeof *digest;
  if (digest->xxh3 != NULL) bytes += XXH3_STATE;
  if (digest->inner != NULL) bytes += CONTEXT;
  if (digest->outer != NULL) bytes += CONTEXT;
  return bytes;
}

static CspStatus give_hash(CspCall *call, HashJob *job) {
  void *data;
  CspValue made = csp_host_new(call, &hash_class, &data);
  if (csp_is_undef(made) ||
      !csp_host_weight(call, made, digest_bytes(job->digest)))
    return hash_job_memory(call, job);
  ((HashValue *)data)->digest = job->digest;
  return csp_ok(call, made);
}

static CspStatus new_long_key(CspCall *call, HashJob *job) {
  CspStatus status = key_is_long(call, job);
  return status == CSP_OK ? give_hash(call, job) : status;
}

// new(name, key = nil)
static CspStatus hash_new(CspCall *call) {
  bool keyed = csp_type(csp_arg(call, 1)) != CSP_NIL;
  const HashRule *rule = keyed ? need_hmac_name(call) : need_hash_name(call);
  if (rule == NULL) return CSP_PANIC;
  HashJob job = {.digest = digest_new(call, rule)};
  if (job.digest == NULL) return csp_panic_memory(call);
  if (!keyed) return give_hash(call, &job);
  return begin_keyed(call, &job, 1, new_long_key, give_hash);
}

// The receiver, for this call alone until hash_let_go. NULL: panicked.
static HashValue *need_idle_hash(CspCall *call) {
  HashValue *value = csp_host_data(csp_arg(call, 0), &hash_class);
  if (value == NULL) {
    csp_bad_arg(call, 0, "a hash");
    return NULL;
  }
  // acquire: what others wrote. Pairs with hash_let_go
  if (!__atomic_exchange_n(&value->busy, true, __ATOMIC_ACQUIRE)) return value;
  csp_panic(call, "%s: another goroutine is writing to this hash",
            csp_name(call));
  return NULL;
}

static CspStatus give_itself(CspCall *call, HashJob *job) {
  hash_let_go(job->shared);
  return csp_ok(call, csp_arg(call, 0));
}

// h.write(pieces...)
static CspStatus hash_write(CspCall *call) {
  GivenData data;
  for (int n = 1; n < csp_argc(call); n++) {
    if (!data_need(call, n, &data) || !csp_work(call, 4)) return CSP_PANIC;
  }
  HashJob job = {.next = 1, .end = csp_argc(call), .then = give_itself};
  job.shared = need_idle_hash(call);
  if (job.shared == NULL) return CSP_PANIC;
  job.digest = job.shared->digest;
  return hash_on(call, &job);
}

// h.sum()
static CspStatus hash_sum(CspCall *call) {
  HashJob job = {.shared = need_idle_hash(call)};
  if (job.shared == NULL) return CSP_PANIC;
  job.digest = job.shared->digest;
  csp_charge(call, HASH_NEW_NS / 32);
  return give_sum(call, &job);
}

// h.copy()
static CspStatus hash_copy(CspCall *call) {
  HashValue *value = need_idle_hash(call);
  if (value == NULL) return CSP_PANIC;
  HashJob job = {.digest = digest_copy(call, value->digest)};
  hash_let_go(value);
  csp_charge(call, HASH_NEW_NS / 32);
  return job.digest != NULL ? give_hash(call, &job) : csp_panic_memory(call);
}

// --- Keys of passwords ------------------------------------------------------
// PBKDF2 (RFC 8018). The digest's inner has the salt, its start has not.
typedef struct Pbkdf {
  Digest *digest;
  EVP_MD_CTX *work;
  int64_t rounds, round;
  unsigned block;  // of the key, from 1
  size_t size, made;
  unsigned char u[SUM_MOST], sum[SUM_MOST];
  unsigned char key[KEY_SIZE_MOST];
} Pbkdf;

static void pbkdf_free(Pbkdf *pbkdf) {
  EVP_MD_CTX_free(pbkdf->work);
  digest_free(pbkdf->digest);
  OPENSSL_cleanse(pbkdf, sizeof *pbkdf);
  csp_alloc_free(pbkdf);
}

// The next round, of the next block when one is complete. false: it failed.
static bool pbkdf_round(Pbkdf *pbkdf) {
  Digest *digest = pbkdf->digest;
  size_t size = digest->rule->size, left = pbkdf->size - pbkdf->made;
  unsigned block = pbkdf->block;
  unsigned char number[4] = {(unsigned char)(block >> 24),
                             (unsigned char)(block >> 16),
                             (unsigned char)(block >> 8), (unsigned char)block};
  if (pbkdf->round == 0) {
    memset(pbkdf->sum, 0, size);
    if (!hmac_end(pbkdf->work, digest->inner, digest->outer, number,
                  sizeof number, pbkdf->u))
      return false;
  } else if (!hmac_end(pbkdf->work, digest->start, digest->outer, pbkdf->u,
                       size, pbkdf->u)) {
    return false;
  }
  for (size_t n = 0; n < size; n++) pbkdf->sum[n] ^= pbkdf->u[n];
  if (++pbkdf->round < pbkdf->rounds) return true;
  if (size > left) size = left;
  memcpy(pbkdf->key + pbkdf->made, pbkdf->sum, size);
  pbkdf->made += size;
  pbkdf->round = 0;
  pbkdf->block++;
  return true;
}

static CspStatus pbkdf_on(CspCall *call, void *data, bool on) {
  Pbkdf *pbkdf = *(Pbkdf **)data;
  const HashRule *rule = pbkdf->digest->rule;
  uint64_t cost = 200 + (uint64_t)rule->block * rule->cost / 2;
  while (on && pbkdf->made < pbkdf->size) {
    if (!pbkdf_round(pbkdf)) {
      pbkdf_free(pbkdf);
      return csp_panic_memory(call);
    }
    if (csp_spent(call, cost) && pbkdf->made < pbkdf->size)
      return csp_again(call, pbkdf_on, data, sizeof pbkdf, 0);
  }
  if (on) csp_return(call, csp_bytes(call, pbkdf->key, pbkdf->size));
  pbkdf_free(pbkdf);
  return on ? CSP_OK : CSP_PANIC;
}

static CspStatus pbkdf_begin(CspCall *call, HashJob *job) {
  Pbkdf *pbkdf = csp_alloc(csp_of(call), NULL, sizeof *pbkdf);
  if (pbkdf == NULL) return hash_job_memory(call, job);
  memset(pbkdf, 0, sizeof *pbkdf);
  pbkdf->digest = job->digest;
  pbkdf->rounds = csp_to_int(csp_arg(call, 3));
  CspValue size = csp_arg(call, 4);
  pbkdf->size = csp_type(size) == CSP_NIL ? job->digest->rule->size
                                          : (size_t)csp_to_int(size);
  pbkdf->block = 1;
  pbkdf->work = EVP_MD_CTX_new();
  if (pbkdf->work != NULL) return pbkdf_on(call, &pbkdf, true);
  pbkdf_free(pbkdf);
  return csp_panic_memory(call);
}

static CspStatus pbkdf_salt(CspCall *call, HashJob *job) {
  job->digest->start = context_copy(job->digest->inner);
  if (job->digest->start == NULL) return hash_job_memory(call, job);
  return hash_argument(call, job, 2, pbkdf_begin);
}

static CspStatus pbkdf_long_key(CspCall *call, HashJob *job) {
  CspStatus status = key_is_long(call, job);
  return status == CSP_OK ? pbkdf_salt(call, job) : status;
}

// pbkdf2(name, password, salt, rounds, size = nil)
static CspStatus hash_pbkdf2(CspCall *call) {
  GivenData data;
  int64_t rounds, size = 1;
  const HashRule *rule = need_hmac_name(call);
  if (rule == NULL || !data_need(call, 1, &data) ||
      !data_need(call, 2, &data) || !csp_need_int(call, 3, &rounds))
    return CSP_PANIC;
  if (rounds < 1 || rounds > ROUNDS_MOST)
    return csp_bad_arg(call, 3, "an int from 1 to 2147483647");
  if (csp_type(csp_arg(call, 4)) != CSP_NIL && !csp_need_int(call, 4, &size))
    return CSP_PANIC;
  if (size < 1 || size > KEY_SIZE_MOST)
    return csp_bad_arg(call, 4, "an int from 1 to 1024");
  HashJob job = {.digest = digest_new(call, rule)};
  if (job.digest == NULL) return csp_panic_memory(call);
  return begin_keyed(call, &job, 1, pbkdf_long_key, pbkdf_salt);
}

// --- Comparing --------------------------------------------------------------
typedef struct EqualJob {
  GivenData a, b;
  int differ;
} EqualJob;

static CspStatus equal_on(CspCall *call, void *data, bool on) {
  EqualJob *job = data;
  unsigned char a_copy[HASH_IN], b_copy[HASH_IN];
  const unsigned char *a, *b;
  if (!on) return CSP_PANIC;
  while (job->a.at < job->a.len) {
    size_t count = data_next(&job->a, HASH_IN, a_copy, &a);
    bool cut = data_next(&job->b, HASH_IN, b_copy, &b) != count;  // by others
    job->differ |= cut || CRYPTO_memcmp(a, b, count) != 0;
    if (cut) break;
    if (csp_spent(call, 16 + count) && job->a.at < job->a.len)
      return csp_again(call, equal_on, job, sizeof *job, 0);
  }
  return csp_ok_bool(call, job->differ == 0);
}

// equal(a, b): in a time that tells their lengths, and nothing else.
static CspStatus hash_equal(CspCall *call) {
  EqualJob job = {.differ = 0};
  if (!data_need(call, 0, &job.a) || !data_need(call, 1, &job.b))
    return CSP_PANIC;
  if (job.a.len != job.b.len) return csp_ok_bool(call, false);
  return equal_on(call, &job, true);
}

// --- The module -------------------------------------------------------------
#define HASH_ROW(name, algorithm, size, block, cost) \
  {#name, "data", hash_##name},
static const CspFunction hash_functions[] = {
    CSP_REPEATABLE,
    HASHES(HASH_ROW){"new", "name, key = nil", hash_new},
    {"hmac", "name, key, data", hash_hmac},
    {"pbkdf2", "name, password, salt, rounds, size = nil", hash_pbkdf2},
    {"equal", "a, b", hash_equal},
    {NULL, NULL, NULL}};

static const CspFunction hash_methods[] = {
    {"write", "h, pieces...", hash_write},
    CSP_REPEATABLE,
    {"sum", "h", hash_sum},
    {"copy", "h", hash_copy},
    {NULL, NULL, NULL}};

static void hash_install(CspCall *call, CspValue module) {
  Csp *csp = csp_of(call);
  (void)module;
  if (!csp_register_class(csp, &hash_class, hash_methods))
    csp_panic_memory(call);
}

static const CspModule hash_module = {"hash", hash_functions, hash_install,
                                      (const char *)text_hash,
                                      sizeof text_hash - 1};
static const CspNative hash_native = {CSP_API, &hash_module};

CSP_MODULE(hash) { return &hash_native; }
