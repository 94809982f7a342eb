# Generated programs print what the model says, and the same in each way.
# expect: 18 passed, 0 failed
# timeout: 120
# once: the seeds are fixed
tests/gen/run --seed 1 --count 6 --jobs 1 --tail "$CSPVM" --goto "$CSPVM" \
  --checked "$CSPVM" | sed -n '/^FAIL/,$p; $p' | tail -n 60
