# check warns about keys of a map and constants of cases that stand twice,
# however they are written: 1 and 1.0 are one key, also in tuples.
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
# expect: a.csp:9:6: warning: the case 2.0 stands twice
# expect:     case 2.0, (1, 2), true: println(6)
# expect:          ^
# expect:     it is in line 7, too, as 2
# expect: a.csp:10:6: warning: the case (1, 2) stands twice
# expect:     case (1, 2), (1.0, 2), true: println(7)
# expect:          ^
# expect:     it is in line 9, too
# expect: a.csp:10:14: warning: the case (1.0, 2) stands twice
# expect:     case (1, 2), (1.0, 2), true: println(7)
# expect:                  ^
# expect:     it is in line 9, too, as (1, 2)
# expect: a.csp:10:24: warning: the case true stands twice
# expect:     case (1, 2), (1.0, 2), true: println(7)
# expect:                            ^
# expect:     it is in line 9, too
# expect: a.csp:12:19: warning: the key 1.0 stands twice
# expect:     println({1: "a", [1.0]: "b", [2.5]: "c", [2.5]: "d", [-0.0]: "e", [0]: "f"})
# expect:                       ^
# expect:     it is in line 12, too, as 1
# expect: a.csp:12:43: warning: the key 2.5 stands twice
# expect:     println({1: "a", [1.0]: "b", [2.5]: "c", [2.5]: "d", [-0.0]: "e", [0]: "f"})
# expect:                                               ^
# expect:     it is in line 12, too
# expect: a.csp:12:68: warning: the key 0 stands twice
# expect:     println({1: "a", [1.0]: "b", [2.5]: "c", [2.5]: "d", [-0.0]: "e", [0]: "f"})
# expect:                                                                        ^
# expect:     it is in line 12, too, as -0.0
# expect: a.csp:13:22: warning: the key (1.0,) stands twice
# expect:     println({[(1,)]: 1, [(1.0,)]: 2, [("a", (2, 3))]: 3, [("a", (2.0, 3))]: 4})
# expect:                          ^
# expect:     it is in line 13, too, as (1,)
# expect: a.csp:13:55: warning: the key ("a", (2.0, 3)) stands twice
# expect:     println({[(1,)]: 1, [(1.0,)]: 2, [("a", (2, 3))]: 3, [("a", (2.0, 3))]: 4})
# expect:                                                           ^
# expect:     it is in line 13, too, as ("a", (2, 3))
# expect: a.csp:14:21: warning: the key nil stands twice
# expect:     println({[nil]: 1, [nil]: 2, [()]: 3, [()]: 4})
# expect:                         ^
# expect:     it is in line 14, too
# expect: a.csp:14:40: warning: the key () stands twice
# expect:     println({[nil]: 1, [nil]: 2, [()]: 3, [()]: 4})
# expect:                                            ^
# expect:     it is in line 14, too
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
case 2.0, (1, 2), true: println(6)
case (1, 2), (1.0, 2), true: println(7)
}
println({1: "a", [1.0]: "b", [2.5]: "c", [2.5]: "d", [-0.0]: "e", [0]: "f"})
println({[(1,)]: 1, [(1.0,)]: 2, [("a", (2, 3))]: 3, [("a", (2.0, 3))]: 4})
println({[nil]: 1, [nil]: 2, [()]: 3, [()]: 4})

// These are different ones.
println({a: 1, "b": 2, 1: 3, "1": 4, [two]: 5, [1.5]: 6, [(1,)]: 7})
println({[("a", "b")]: 1, [("a\", \"b",)]: 2, [9007199254740993]: 3,
    [9007199254740992.0]: 4, [(two, f())]: 5, [(two, f())]: 6})
func f() => 1
switch {
case m.a == 1: println(1)
case m.a == 2: println(2)
}
EOF
"$CSPVM" check a.csp 2>&1
