// SPDX-License-Identifier: MIT
// SANITIZED: 1 where the build checks addresses or threads, which makes it slow
// and large, else 0.
#ifndef CSP_TESTS_UNIT_SANITIZED_H
#define CSP_TESTS_UNIT_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#endif
