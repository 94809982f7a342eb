#!/bin/sh
# SPDX-License-Identifier: MIT
# deps.sh PACKAGE... installs those of the Debian packages that are missing;
# asks for nothing and needs no network when none is.
set -eu

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "make deps: this is not Debian; if the build fails, install: $*" >&2
  exit 0
fi
missing=
for package; do
  state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$state" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
  echo "make deps: there is no apt-get; install:$missing" >&2
  exit 1
fi
as_root=
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "make deps: not root, and there is no sudo;" \
      "as root, run: apt-get install$missing" >&2
    exit 1
  fi
  as_root=sudo
fi
echo "make deps: installing$missing" >&2
if ! { $as_root apt-get update -q &&
  $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends $missing; } >&2; then
  echo "make deps: apt-get has failed;" \
    "as root, run: apt-get install$missing" >&2
  exit 1
fi
