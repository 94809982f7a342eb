%% SPDX-License-Identifier: MIT
%% Parallel Fibonacci numbers: one half of each call is a process of its own.
-module(fibtask).
-export([main/0]).

fib(N) when N < 2 -> N;
fib(N) ->
    Self = self(),
    T = spawn(fun() -> Self ! {self(), fib(N - 1)} end),
    B = fib(N - 2),
    receive {T, A} -> A + B end.

main() ->
    io:format("~w~n", [fib(28)]),
    halt().
