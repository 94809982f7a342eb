# make deps calls apt-get, as root, for what is missing, and for nothing else.
# Where it cannot, it names the packages. All programs that it calls are played
# here: of one, two and three only one is installed.
# expect: --- all is installed
# expect: status 0
# expect: --- two are missing, root
# expect: apt-get update -q
# expect: apt-get install -q -y --no-install-recommends two three
# expect: make deps: installing two three
# expect: status 0
# expect: --- two are missing, a user with sudo
# expect: sudo apt-get update -q
# expect: sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends two three
# expect: make deps: installing two three
# expect: status 0
# expect: --- no apt-get
# expect: make deps: there is no apt-get; install: two three
# expect: status 1
# expect: --- a user without sudo
# expect: make deps: not root, and there is no sudo; as root, run: apt-get install two three
# expect: status 1
# expect: --- sudo refuses
# expect: sudo apt-get update -q
# expect: make deps: installing two three
# expect: make deps: apt-get has failed; as root, run: apt-get install two three
# expect: status 1
# expect: --- apt-get fails
# expect: apt-get update -q
# expect: make deps: installing two three
# expect: make deps: apt-get has failed; as root, run: apt-get install two three
# expect: status 1
# expect: --- no Debian
# expect: make deps: this is not Debian; if the build fails, install: one two three
# expect: status 0
bin=$TMPDIR/bin
calls=$TMPDIR/calls

# play NAME COMMAND...: a program of that name notes its call, and does this.
play() {
  local name=$1
  shift
  printf '#!/bin/sh\necho "%s $*" >>%s\n%s\n' "$name" "$calls" "$*" >"$bin/$name"
  chmod +x "$bin/$name"
}

# system NAME USER: a system with nothing but dpkg-query, and that user.
system() {
  echo "--- $1"
  rm -rf "$bin" "$calls"
  mkdir "$bin"
  touch "$calls"
  play dpkg-query '[ "$4" != one ] || printf "install ok installed"'
  play id "echo $2"
  ln -s "$(command -v env)" "$bin/env"
}

deps() {
  local status=0
  PATH=$bin /bin/sh tests/deps.sh "$@" 2>"$TMPDIR/says" || status=$?
  grep -vE '^(dpkg-query|id) ' "$calls"
  cat "$TMPDIR/says"
  echo "status $status"
}

system 'all is installed' 1000
play sudo exit 1
play apt-get exit 1
deps one

system 'two are missing, root' 0
play apt-get exit 0
deps one two three

system 'two are missing, a user with sudo' 1000
play sudo exit 0
play apt-get exit 0
deps one two three

system 'no apt-get' 0
deps one two three

system 'a user without sudo' 1000
play apt-get exit 0
deps one two three

system 'sudo refuses' 1000
play sudo exit 1
play apt-get exit 0
deps one two three

system 'apt-get fails' 0
play apt-get exit 100
deps one two three

system 'no Debian' 0
rm "$bin/dpkg-query"
deps one two three
