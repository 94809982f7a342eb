# What os.signals refuses: names that are not there or that nobody may take, no
# names, more channels than there is room for. A closed channel makes room.
# expect: os.signals: no signal "KILL" can be taken (of: ALRM CONT HUP INT TERM USR1 USR2 WINCH)
# expect: os.signals: no signal "SIGINT" can be taken (of: ALRM CONT HUP INT TERM USR1 USR2 WINCH)
# expect: os.signals: no signal "QUIT" can be taken (of: ALRM CONT HUP INT TERM USR1 USR2 WINCH)
# expect: os.signals: a name must be a string, not int
# expect: os.signals: no names are given
# expect: os.signals: 64 channels are open
# expect: nil
"$CSPVM" -e 'import "os"
for names in [["KILL"], ["INT", "SIGINT"], ["QUIT"], [2], []] {
  _, err := try(os.signals, names...)
  println(err)
}
all := []
for i in 64 { all.push(os.signals("INT")?) }
_, err := os.signals("INT")
println(err)
close(all[5])
_, err = os.signals("INT")
println(err)'
