# Each form of the language is in one of the generated programs.
# expect: each form is made
# timeout: 120
# once: the seeds are fixed
tests/gen/forms
