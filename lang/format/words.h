// SPDX-License-Identifier: MIT
// The words of a text, with their roles.
#ifndef CSP_LANG_FORMAT_WORDS_H
#define CSP_LANG_FORMAT_WORDS_H

#include "lang/format/format.h"

// false: out of memory. Either way free it.
bool words_make(Words *words, const Source *source, const Trail *trail,
                const Node *tree);
void words_free(Words *words);
static inline const char *word_text(const Words *words, const Word *word) {
  return words->source->text + word->offset;
}

#endif
