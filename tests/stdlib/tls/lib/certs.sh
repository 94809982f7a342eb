# SPDX-License-Identifier: MIT
# Sourced by the tests of TLS. It goes to $TMPDIR and makes there, in PEM, as
# NAME.pem and NAME.key:
#   root       an authority, and strange, which nobody trusts
#   server     for localhost and 127.0.0.1, of root
#   client     of root
#   others     that are refused: expired, future, other (for another host),
#              self (self-signed) and unknown (of strange)
cd "$TMPDIR" || exit 1
here='DNS:localhost,IP:127.0.0.1'
key='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'

# own NAME SUBJECT: a certificate that is signed with its own key.
own() {
  # shellcheck disable=SC2086  # $key is several arguments
  openssl req -utf8 -x509 $key -keyout "$1.key" -out "$1.pem" -subj "/CN=$2" -days 30 \
    -addext "subjectAltName = $here" 2> /dev/null
}

# signed NAME AUTHORITY SUBJECT NAMES FROM TO
signed() {
  # shellcheck disable=SC2086
  openssl req -utf8 $key -keyout "$1.key" -out "$1.csr" -subj "/CN=$3" 2> /dev/null
  : > index.txt
  echo "subjectAltName = $4" > names.cnf
  cat > ca.cnf << END
[ca]
default_ca = here
[here]
database = index.txt
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
END
  openssl ca -batch -config ca.cnf -notext -in "$1.csr" -out "$1.pem" -cert "$2.pem" \
    -keyfile "$2.key" -extfile names.cnf -startdate "$5" -enddate "$6" 2> /dev/null ||
    echo "no certificate: $1"
}

own root Root
own strange Strange
own self localhost
signed server root localhost "$here" 20200101000000Z 20990101000000Z
signed client root somebody "$here" 20200101000000Z 20990101000000Z
signed expired root localhost "$here" 20200101000000Z 20210102030405Z
signed future root localhost "$here" 20980102030405Z 20990101000000Z
signed other root other 'DNS:other.test,DNS:*.more.test' 20200101000000Z 20990101000000Z
signed unknown strange localhost "$here" 20200101000000Z 20990101000000Z
