%% SPDX-License-Identifier: MIT
%% The concurrent prime sieve: a chain of processes, one for each prime, that
%% lets through what its prime does not divide. Each asks the one before it
%% for a number, so that nothing piles up, as over unbuffered channels.
-module(sieve).
-export([main/0]).

-define(COUNT, 2500).

numbers(I) ->
    receive {more, To} -> To ! {number, I}, numbers(I + 1) end.

next(From) ->
    From ! {more, self()},
    receive {number, N} -> N end.

filter(From, Prime) ->
    N = next(From),
    if
        N rem Prime =/= 0 -> receive {more, To} -> To ! {number, N} end;
        true -> ok
    end,
    filter(From, Prime).

primes(_, 0, Prime, Sum) -> {Prime, Sum};
primes(From, Left, _, Sum) ->
    P = next(From),
    Filter = spawn(fun() -> filter(From, P) end),
    primes(Filter, Left - 1, P, Sum + P).

main() ->
    Numbers = spawn(fun() -> numbers(2) end),
    {Prime, Sum} = primes(Numbers, ?COUNT, 0, 0),
    io:format("~w ~w~n", [Prime, Sum]),
    halt().
