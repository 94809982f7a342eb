# check warns about keys of maps that are made where they are used, which are
# keys by identity, so that nothing finds them again.
# expect: a.csp:2:8: warning: a new list is a key that nothing else is equal to
# expect:     m := {[[1, 2]]: "list", [(1, 2)]: "tuple", [{}]: 3}
# expect:            ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:2:45: warning: a new map is a key that nothing else is equal to
# expect:     m := {[[1, 2]]: "list", [(1, 2)]: "tuple", [{}]: 3}
# expect:                                                 ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:4:11: warning: a new list is a key that nothing else is equal to
# expect:     println(m[[1, 2]], m[P(1)], [1] in m, m[(1, P(2))])
# expect:               ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:4:23: warning: a new struct is a key that nothing else is equal to
# expect:     println(m[[1, 2]], m[P(1)], [1] in m, m[(1, P(2))])
# expect:                           ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:4:29: warning: a new list is a key that nothing else is equal to
# expect:     println(m[[1, 2]], m[P(1)], [1] in m, m[(1, P(2))])
# expect:                                 ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:4:46: warning: a new struct is a key that nothing else is equal to
# expect:     println(m[[1, 2]], m[P(1)], [1] in m, m[(1, P(2))])
# expect:                                                  ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:5:7: warning: a new list is a key that nothing else is equal to
# expect:     m[(3, [4])] = 1
# expect:           ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
cd "$TMPDIR" || exit
cat > a.csp <<'EOF'
struct P { x }
m := {[[1, 2]]: "list", [(1, 2)]: "tuple", [{}]: 3}
xs := [1]
println(m[[1, 2]], m[P(1)], [1] in m, m[(1, P(2))])
m[(3, [4])] = 1

// These may be found.
p := P(1)
println(m[xs], m[(1, 2)], m[p], m[(xs, p)], xs in m)
EOF
"$CSPVM" check a.csp 2>&1
