# In the text of -e a dropped error is a failure, as in a file.
# expect: panic: cannot remove /nonexistent/file: No such file or directory
# expect:   code: "not_found"
# expect:
# expect: goroutine 1 [running]:
# expect:   main at -e:1:23
# expect: status 1
# expect: dropped on purpose
# expect: status 0
"$CSPVM" -e 'import "os"; os.remove("/nonexistent/file")' 2>&1
echo "status $?"
"$CSPVM" -e 'import "os"; _ = os.remove("/nonexistent/file"); println("dropped on purpose")' 2>&1
echo "status $?"
