%% SPDX-License-Identifier: MIT
%% Four processes that only compute, each on its own.
-module(parallel).
-export([main/0]).

-define(WORKERS, 4).
-define(STEPS, 25000000).

work(_, ?STEPS, Sum) -> Sum;
work(X, I, Sum) ->
    Y = (X * 31 + I) rem 1000003,
    work(Y, I + 1, Sum + Y).

main() ->
    Self = self(),
    Pids = [spawn(fun() -> Self ! {self(), work(W, 0, 0)} end)
            || W <- lists:seq(0, ?WORKERS - 1)],
    [receive {Pid, Sum} -> io:format("~w~n", [Sum]) end || Pid <- Pids],
    halt().
