# csp.h and its rows of tables are C99, C11, C++11 and C++20 to both compilers,
# without a warning.
# expect: 8 ways
# once: it is compiled each time
ways=0
cat > "$TMPDIR/host" << 'EOF'
#include <csp.h>
double half(double x);
extern const CspFunction rows[3];
const CspFunction rows[3] = {
    CSP_NEEDS(CSP_FILES), CSP_REAL("half", half), {NULL, NULL, NULL}};
EOF
for language in c/c99 c/c11 c++/c++11 c++/c++20; do
  for compiler in gcc clang-19; do
    $compiler -x "${language%%/*}" \
      -std="${language#*/}" -Wall -Wextra -Wpedantic -Wshadow -Werror \
      -fsyntax-only -Ivm - < "$TMPDIR/host" && ways=$((ways + 1))
  done
done
echo "$ways ways"
