%% SPDX-License-Identifier: MIT
%% Fibonacci numbers with a process for each call, which hands its result over
%% when it is asked for it.
-module(fibchan).
-export([main/0]).

fib(N) -> spawn(fun() -> give(value(N)) end).

value(N) when N =< 2 -> 1;
value(N) -> take(fib(N - 1)) + take(fib(N - 2)).

give(V) -> receive {take, To} -> To ! {self(), V} end.

take(Pid) ->
    Pid ! {take, self()},
    receive {Pid, V} -> V end.

main() ->
    io:format("~w~n", [take(fib(29))]),
    halt().
