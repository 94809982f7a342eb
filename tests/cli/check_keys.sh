# check warns about keys of maps that are made where they are used, which are
# keys by identity, so that nothing finds them again.
# expect: a.csp:3:8: warning: a new list is a key that nothing else is equal to
# expect:     m := {[[1, 2]]: "list", [(1, 2)]: "tuple", [{}]: 3}
# expect:            ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:3:45: warning: a new map is a key that nothing else is equal to
# expect:     m := {[[1, 2]]: "list", [(1, 2)]: "tuple", [{}]: 3}
# expect:                                                 ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:5:11: warning: a new list is a key that nothing else is equal to
# expect:     println(m[[1, 2]], m[P(1)], [1] in m, m[(1, P(2))])
# expect:               ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:5:23: warning: a new struct is a key that nothing else is equal to
# expect:     println(m[[1, 2]], m[P(1)], [1] in m, m[(1, P(2))])
# expect:                           ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:5:29: warning: a new list is a key that nothing else is equal to
# expect:     println(m[[1, 2]], m[P(1)], [1] in m, m[(1, P(2))])
# expect:                                 ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:5:46: warning: a new struct is a key that nothing else is equal to
# expect:     println(m[[1, 2]], m[P(1)], [1] in m, m[(1, P(2))])
# expect:                                                  ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:6:7: warning: a new list is a key that nothing else is equal to
# expect:     m[(3, [4])] = 1
# expect:           ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:7:5: warning: a new list is a key that nothing else is equal to
# expect:     m[xs[0:1]] = 2
# expect:         ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:8:15: warning: a new list is a key that nothing else is equal to
# expect:     delete(m, list("a b"))
# expect:                   ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:9:6: warning: a new map is a key that nothing else is equal to
# expect:     m[map()] = 3
# expect:          ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:10:12: warning: a new struct is a key that nothing else is equal to
# expect:     m[geo.Point(1, 2)] = 4
# expect:                ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: a.csp:11:11: warning: a new list is a key that nothing else is equal to
# expect:     m[("a", xs[:])] = 5
# expect:               ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: b.csp:5:7: warning: a new list is a key that nothing else is equal to
# expect:     m[[a] + [2]] = 1
# expect:           ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: b.csp:6:21: warning: a new list is a key that nothing else is equal to
# expect:     println(maps.get(m, [a, 2]), maps.has(m, [a], ), maps.pop(m, (a, [2]), nil))
# expect:                         ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: b.csp:6:42: warning: a new list is a key that nothing else is equal to
# expect:     println(maps.get(m, [a, 2]), maps.has(m, [a], ), maps.pop(m, (a, [2]), nil))
# expect:                                              ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
# expect: b.csp:6:66: warning: a new list is a key that nothing else is equal to
# expect:     println(maps.get(m, [a, 2]), maps.has(m, [a], ), maps.pop(m, (a, [2]), nil))
# expect:                                                                      ^
# expect:     several values are one key as a tuple: `m[(a, b)]`
cd "$TMPDIR" || exit
echo 'struct Point { x, y }' > geo.csp
cat > a.csp <<'EOF'
import "./geo"
struct P { x }
m := {[[1, 2]]: "list", [(1, 2)]: "tuple", [{}]: 3}
xs := [1]
println(m[[1, 2]], m[P(1)], [1] in m, m[(1, P(2))])
m[(3, [4])] = 1
m[xs[0:1]] = 2
delete(m, list("a b"))
m[map()] = 3
m[geo.Point(1, 2)] = 4
m[("a", xs[:])] = 5

// These may be found.
p := P(1)
println(m[xs], m[(1, 2)], m[p], m[(xs, p)], xs in m)
delete(m, xs)
m["abc"[0:1]] = 6
m[(1, 2)[0:1]] = 7
EOF
"$CSPVM" check a.csp 2>&1

# A sum of lists is new, and functions of `maps` take keys, too.
cat > b.csp <<'EOF'
import "maps"
import other "./geo"
m := {}
a := 1
m[[a] + [2]] = 1
println(maps.get(m, [a, 2]), maps.has(m, [a], ), maps.pop(m, (a, [2]), nil))

// These may be found.
xs := [a]
println(maps.get(m, xs, [1]), maps.has(m, (a,) + (2,)), other.get(m, [a]))
EOF
echo 'func get(m, key) => m[key]' > geo.csp
"$CSPVM" check b.csp 2>&1
