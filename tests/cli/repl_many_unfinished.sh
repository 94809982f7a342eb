# An input of many lines that end with a comma or an operator, with no bracket
# open, takes time for its length, as one with a bracket does.
# expect stderr: error: 2 names, but 100001 values
# expect: after
# expect exit: 1
# timeout: 20
{
  echo '_, y :='
  yes '1, // (' | head -100000
  echo '2'
  echo 'println("after")'
} | "$CSPVM"
