// SPDX-License-Identifier: MIT
// The native modules in test_reach.c: those that were built are linked with it
// (stdlib/native/modules.mk). In a debug build their steps are counted as the
// library's are, and of what they call in libraries of others the bytes
// (reach_native.opt). postgres has no server here, so only what fails at once
// counts. What sqlite and dns do in csp_block looks by csp_in_vain.
#ifndef CSP_TESTS_UNIT_REACH_NATIVE_H
#define CSP_TESTS_UNIT_REACH_NATIVE_H

#include "reach_fixture.h"

// --- The modules ------------------------------------------------------------
// NULL: not built.
#define WEAK_MODULE(name) \
  const CspNative *csp_module_##name(void) __attribute__((weak))
WEAK_MODULE(hash);
WEAK_MODULE(zlib);
WEAK_MODULE(tls);
WEAK_MODULE(dns);
WEAK_MODULE(sqlite);
WEAK_MODULE(postgres);

static bool natives_are_built(void) {
  return csp_module_hash != NULL && csp_module_zlib != NULL &&
         csp_module_tls != NULL && csp_module_dns != NULL &&
         csp_module_sqlite != NULL && csp_module_postgres != NULL;
}

static void add_native_modules(Csp *csp) {
  assert_true(csp_register(csp, csp_module_hash()->module) &&
              csp_register(csp, csp_module_zlib()->module) &&
              csp_register(csp, csp_module_tls()->module) &&
              csp_register(csp, csp_module_dns()->module) &&
              csp_register(csp, csp_module_sqlite()->module) &&
              csp_register(csp, csp_module_postgres()->module));
}

// --- Values -----------------------------------------------------------------
// The certificate is of openssl req -x509, for a hundred years.
static const char native_script[] =
    "import \"gzip\"\n"
    "import \"hash\"\n"
    "import \"postgres\"\n"
    "import \"dns\"\n"
    "import \"sqlite\"\n"
    "import \"tar\"\n"
    "import \"tls\"\n"
    "import \"zip\"\n"
    "import \"zlib\"\n"
    "const PEM = `-----BEGIN CERTIFICATE-----\n"
    "MIIBdjCCAR2gAwIBAgIUEQDjr3Gkh7ar6lJg27w/cjGW1L8wCgYIKoZIzj0EAwIw\n"
    "EDEOMAwGA1UEAwwFcmVhY2gwIBcNMjYxMTI4MDcxMTUxWhgPMjEyNjExMDQwNzEx\n"
    "NTFaMBAxDjAMBgNVBAMMBXJlYWNoMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n"
    "fVq3/c/tlpfSPz1p2W2Oaiio7AGSHSdGUaHK15JSegqyZV1DmfL5oaPn7nlguTAi\n"
    "1b3hX+w7hV2bwlAhUO+586NTMFEwHQYDVR0OBBYEFDQ04BeJUXjTtn6xEgHIJ8vU\n"
    "ghtwMB8GA1UdIwQYMBaAFDQ04BeJUXjTtn6xEgHIJ8vUghtwMA8GA1UdEwEB/wQF\n"
    "MAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgWsQymXaCepTdnyMijSheCW89iYnf964i\n"
    "Gkj9MfzBc54CIBqYOIdIA3rWw5Vkgd4kFsGBwNei3EVFqWCoMODz/2ts\n"
    "-----END CERTIFICATE-----\n"
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwzQhkPyPqLCXED43\n"
    "n5n5m9onvvUu80ZzHwmK/ZSd0WqhRANCAAR9Wrf9z+2Wl9I/PWnZbY5qKKjsAZId\n"
    "J0ZRocrXklJ6CrJlXUOZ8vmho+fueWC5MCLVveFf7DuFXZvCUCFQ77nz\n"
    "-----END PRIVATE KEY-----\n`\n"
    "const WORDS = list(0..40000).map(func(i) => i * 7919 % 1000003)"
    ".join(\" \")\n"
    "const BLANK = \"\\x00\".repeat(32 << 20)\n"
    "func many(data) {\n"
    "  out := bytes()\n"
    "  for i in 20000 { out.push(data) }\n"
    "  return out\n"
    "}\n"
    "const FORMS = [zlib.compress(WORDS), zlib.compress(BLANK), "
    "zlib.gzip(WORDS),\n"
    "  zlib.deflate(BLANK), many(zlib.gzip(\"\"))]\n"
    "const SQL = \"with recursive r(n) as (select 1 union all select n + 1 "
    "from r) \"\n"
    "const TEXTS = [\"sha256\", \"md5\", \"xxh3_64\", \"raw\", \"gzip\",\n"
    "  SQL + \"select sum(n) from r\", SQL + \"select n from r\",\n"
    "  \"select ?\", \"select \" + \"1, \".repeat(1900) + \"1\",\n"
    "  \"select 1;\".repeat(50000), \"--\".repeat(200000), \":memory:\",\n"
    "  \"postgres://u@/\" + \"x\".repeat(200000),\n"
    "  \"postgres://[fe80\" + \"::1\"]\n"
    "func none(data) => nil\n"
    "func archived(module) {\n"
    "  out := bytes()\n"
    "  w := module.writer(func(data) { out.push(data); return nil })\n"
    "  for i in 2000 { _ = w.add(\"d/${i}\", \"x\", modified: 0) }\n"
    "  _ = w.add(\"large\", BLANK, modified: 0)\n"
    "  _ = w.close()\n"
    "  return out\n"
    "}\n"
    "const ZIP = archived(zip)\n"
    "const TAR = archived(tar)\n"
    "func once(data) {\n"
    "  parts := [data]\n"
    "  return func() => ((if len(parts) > 0 { parts.pop() } else { nil }), "
    "nil)\n"
    "}\n"
    "func ended(more) {\n"
    "  inflater := zlib.inflater()\n"
    "  _, _ = inflater.push(FORMS[0])\n"
    "  _, _ = inflater.push(more, 1 << 30)\n"
    "  return inflater\n"
    "}\n"
    "func database() {\n"
    "  db := sqlite.open(\":memory:\")?\n"
    "  db.exec(\"create table t(a, b)\")?\n"
    "  return db, nil\n"
    "}\n"
    "func server_config() {\n"
    "  config, _ := tls.config(PEM)\n"
    "  return config\n"
    "}\n"
    "func values() => [hash.new(\"sha256\"), hash.new(\"xxh3_128\"),\n"
    "  hash.new(\"sha3_512\", \"k\"), zlib.inflater(), ended(\"\"),\n"
    "  zlib.deflater(\"raw\", 9), zlib.deflater(\"gzip\", 1),\n"
    "  server_config(), PEM, TEXTS.repeat(1000), ZIP, copy(FORMS)].extend(\n"
    "  FORMS).extend(TEXTS)\n"
    // Methods of structs. What they are of is made for each call.
    "func calls() {\n"
    "  folder := \"/archive\"\n"
    "  return [\n"
    "    (\"hash h.write\", func(x) => hash.new(\"blake2b\").write(x)),\n"
    "    (\"gzip.reader\", func(x) => gzip.reader(once(x)).read_all()),\n"
    "    (\"gzip.reader line\", func(x) => gzip.reader(once(x))"
    ".read_line()),\n"
    "    (\"gzip.writer\", func(x, y) => gzip.writer(none, y).write(x)),\n"
    "    (\"tar.reader\", func(x) => tar.reader(once(x)).entries()),\n"
    "    (\"tar.extract\", func(x) => tar.extract(tar.reader(once(x)), "
    "folder)),\n"
    "    (\"tar.writer\", func(x, y) => tar.writer(none).add(x, y)),\n"
    "    (\"tar link\", func(x, y) => tar.writer(none).add_link(x, y)),\n"
    "    (\"zip.reader\", func(x) => zip.reader(x)),\n"
    "    (\"zip.extract\", func(x) => zip.extract(x, folder)),\n"
    "    (\"zip find\", func(x) => zip.reader(ZIP)?.find(x)),\n"
    "    (\"zip read_all\", func(x) => zip.reader(ZIP)?.find(\"large\")"
    ".read_all(x)),\n"
    "    (\"zip.writer\", func(x, y) => zip.writer(none).add(x, y)),\n"
    "    (\"zip link\", func(x, y) => zip.writer(none).add_link(x, y)),\n"
    "    (\"db.exec\", func(x, y) => database()?.exec(x, y)),\n"
    "    (\"db.exec one\", func(x) => database()?.exec(x)),\n"
    "    (\"db.one\", func(x, y) => database()?.one(x, y)),\n"
    "    (\"db.all\", func(x) => database()?.all(x)),\n"
    "    (\"db.all spread\", func(x, y) => database()?.all(x, y...)),\n"
    "    (\"db.as\", func(x) => database()?.as(x)),\n"
    "    (\"db insert\", func(x, y) => database()?"
    ".exec(\"insert into t values (?, ?)\", x, y)),\n"
    "    (\"db back\", func(x) => database()?"
    ".one(\"select ?, ?1, length(?1)\", x)),\n"
    "    (\"db names\", func(x) => database()?"
    ".one(\"select :k1, :k2\", x))]\n"
    "}\n";

// --- Libraries of others ----------------------------------------------------
#ifdef CSP_DEBUG
// A byte of theirs, in basic blocks, about.
enum { HASHED_BYTE = 2, UNPACKED_BYTE = 2, PACKED_BYTE = 20 };

// (Weak: without its library nobody calls it.)
#define WRAP_LIBRARY(name, params, args, bytes)   \
  int __real_##name params __attribute__((weak)); \
  int __wrap_##name params;                       \
  int __wrap_##name params {                      \
    work_steps += (bytes)*HASHED_BYTE;            \
    return __real_##name args;                    \
  }
WRAP_LIBRARY(EVP_DigestUpdate, (void *to, const void *data, size_t len),
             (to, data, len), len)
WRAP_LIBRARY(EVP_Digest,
             (const void *data, size_t len, void *sum, void *size,
              const void *type, void *engine),
             (data, len, sum, size, type, engine), len)
WRAP_LIBRARY(XXH3_64bits_update, (void *to, const void *data, size_t len),
             (to, data, len), len / 8)
WRAP_LIBRARY(XXH3_128bits_update, (void *to, const void *data, size_t len),
             (to, data, len), len / 8)
WRAP_LIBRARY(CRYPTO_memcmp, (const void *a, const void *b, size_t len),
             (a, b, len), len)

unsigned long __real_crc32(unsigned long crc, const void *data, unsigned len)
    __attribute__((weak));
unsigned long __wrap_crc32(unsigned long crc, const void *data, unsigned len);
unsigned long __wrap_crc32(unsigned long crc, const void *data, unsigned len) {
  work_steps += len;
  return __real_crc32(crc, data, len);
}

#if __has_include(<zlib.h>)
#include <zlib.h>
#define WRAP_ZLIB(name, byte)                               \
  int __real_##name(z_stream *stream, int flush);           \
  int __wrap_##name(z_stream *stream, int flush);           \
  int __wrap_##name(z_stream *stream, int flush) {          \
    uint64_t before = stream->total_in + stream->total_out; \
    int code = __real_##name(stream, flush);                \
    uint64_t moved = stream->total_in + stream->total_out;  \
    moved = moved > before ? moved - before : 0;            \
    work_steps += moved * (byte);                           \
    return code;                                            \
  }
WRAP_ZLIB(inflate, UNPACKED_BYTE)
WRAP_ZLIB(deflate, PACKED_BYTE)
#endif
#endif
#endif
