%% SPDX-License-Identifier: MIT
%% A million processes each sleep a time of their own, below a second, and are
%% counted when they wake. Erlang's clock for this goes in milliseconds. Needs
%% erl +P 2000000.
-module(million_sleepers).
-export([main/0]).

-define(N, 1000000).

nap(Main, Us) ->
    timer:sleep(Us div 1000),
    Main ! {done, 1}.

start(?N, _) -> ok;
start(I, Main) ->
    spawn(fun() -> nap(Main, I * 7919 rem 1000000) end),
    start(I + 1, Main).

count(0, Count) -> Count;
count(Left, Count) -> receive {done, C} -> count(Left - 1, Count + C) end.

main() ->
    process_flag(message_queue_data, off_heap),  % many will be waiting
    start(0, self()),
    io:format("~w~n", [count(?N, 0)]),
    halt().
