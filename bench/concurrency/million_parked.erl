%% SPDX-License-Identifier: MIT
%% A million processes wait for a message: how much memory each one takes.
%% Then all are let go, and their numbers added up. Needs erl +P 2000000.
-module(million_parked).
-export([main/0]).

-define(N, 1000000).

%% A line of this process's memory figures, in bytes.
memory(Name) ->
    {ok, File} = file:open("/proc/self/status", [read, raw, binary]),
    {ok, Text} = file:read(File, 65536),
    ok = file:close(File),
    {match, [Kilobytes]} = re:run(Text, Name ++ ":\\s*(\\d+)",
                                  [{capture, all_but_first, list}]),
    list_to_integer(Kilobytes) * 1024.

wait(Main, I) ->
    Main ! ready,
    receive go -> Main ! {result, I} end.

start(?N, Pids, _) -> Pids;
start(I, Pids, Main) ->
    Pid = spawn(fun() -> wait(Main, I) end),
    receive ready -> start(I + 1, [Pid | Pids], Main) end.

add(0, Sum) -> Sum;
add(Left, Sum) -> receive {result, I} -> add(Left - 1, Sum + I) end.

main() ->
    Before = memory("VmRSS"),
    Pids = start(0, [], self()),
    Peak = memory("VmHWM"),
    [Pid ! go || Pid <- Pids],
    io:format("~w~n", [add(?N, 0)]),
    io:format("bytes per goroutine: ~w~n", [(Peak - Before) div ?N]),
    halt().
