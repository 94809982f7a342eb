%% SPDX-License-Identifier: MIT
%% Starts processes: first one after the other, each waited for at once, then
%% in batches that are all there before the first is waited for.
-module(spawn).
-export([main/0]).

-define(SINGLE, 800000).
-define(BATCHES, 800).
-define(BATCH, 1000).

work(N) -> N rem 7.

start(N) ->
    Self = self(),
    spawn(fun() -> Self ! {self(), work(N)} end).

await(Pid) -> receive {Pid, R} -> R end.

one_by_one(?SINGLE, Sum) -> Sum;
one_by_one(I, Sum) -> one_by_one(I + 1, Sum + await(start(I))).

in_batches(?BATCHES, Sum) -> Sum;
in_batches(B, Sum) ->
    Pids = [start(B + I) || I <- lists:seq(0, ?BATCH - 1)],
    in_batches(B + 1, Sum + lists:sum([await(P) || P <- Pids])).

main() ->
    io:format("one by one ~w~n", [one_by_one(0, 0)]),
    io:format("in batches ~w~n", [in_batches(0, 0)]),
    halt().
