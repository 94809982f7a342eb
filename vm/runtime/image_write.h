// SPDX-License-Identifier: MIT
// What the writer of prelude images (image_write.c, which describes them) and
// their reader (image_read.c) share.
#ifndef CSP_VM_RUNTIME_IMAGE_WRITE_H
#define CSP_VM_RUNTIME_IMAGE_WRITE_H

#include <stdint.h>

#define IMAGE_PATH "prelude.csp"  // of a prelude's source, in messages

typedef enum ConstantKind {
  CONSTANT_WORD,
  CONSTANT_STRING,
  CONSTANT_PROTO,
  CONSTANT_CLOSURE,
  CONSTANT_BUILTIN,
} ConstantKind;

// The first word of images that this version can read.
uint32_t image_stamp(void);

#endif
