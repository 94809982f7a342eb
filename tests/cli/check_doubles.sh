# check warns about keys of a map and constants of cases that stand twice.
# expect: a.csp:1:19: warning: the key "a" stands twice
# expect:     m := {a: 1, b: 2, "a": 3, 1: 1, 2: 2, 1: 3}
# expect:                       ^
# expect:     it is in line 1, too
# expect: a.csp:1:39: warning: the key 1 stands twice
# expect:     m := {a: 1, b: 2, "a": 3, 1: 1, 2: 2, 1: 3}
# expect:                                           ^
# expect:     it is in line 1, too
# expect: a.csp:5:11: warning: the case "1" stands twice
# expect:     case "3", "1": println(2)
# expect:               ^
# expect:     it is in line 4, too
# expect: a.csp:6:6: warning: the case "2" stands twice
# expect:     case "2": println(3)
# expect:          ^
# expect:     it is in line 4, too
# expect: a.csp:8:6: warning: the case 2 stands twice
# expect:     case 2: println(5)
# expect:          ^
# expect:     it is in line 7, too
cd "$TMPDIR" || exit
cat > a.csp <<'EOF'
m := {a: 1, b: 2, "a": 3, 1: 1, 2: 2, 1: 3}
const two = "2"
switch m.a {
case "1", two: println(1)
case "3", "1": println(2)
case "2": println(3)
case 1, 2: println(4)
case 2: println(5)
}

// These are different ones.
println({a: 1, "b": 2, 1: 3, "1": 4, [two]: 5})
switch {
case m.a == 1: println(1)
case m.a == 2: println(2)
}
EOF
"$CSPVM" check a.csp 2>&1
