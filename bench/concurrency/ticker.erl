%% SPDX-License-Identifier: MIT
%% How late a process wakes that sleeps 1 ms, a thousand times, while a
%% process that only computes keeps every scheduler busy.
-module(ticker).
-export([main/0]).

-define(NAPS, 1000).

hog(X) -> hog((X + 1) band 16#ffffff).

naps(0, Late) -> Late;
naps(Left, Late) ->
    Start = erlang:monotonic_time(nanosecond),
    timer:sleep(1),
    End = erlang:monotonic_time(nanosecond),
    naps(Left - 1, [End - Start - 1000000 | Late]).

main() ->
    [spawn(fun() -> hog(0) end)
        || _ <- lists:seq(1, erlang:system_info(schedulers_online))],
    Late = lists:sort(naps(?NAPS, [])),
    At = fun(Percent) ->
        lists:nth(?NAPS * Percent div 100 + 1, Late) div 1000
    end,
    io:format("done ~w~n", [length(Late)]),
    io:format("p50: ~w us~n", [At(50)]),
    io:format("p99: ~w us~n", [At(99)]),
    halt().
