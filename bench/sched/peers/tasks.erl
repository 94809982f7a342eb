%% SPDX-License-Identifier: MIT
%% The programs of tasks.c (../) with processes and messages. `erl +S` sets the
%% workers.
%%   erl ... -s tasks main WORKLOAD WORKERS SIZE
-module(tasks).
-export([main/1]).

-define(RING, 503).

%% A process for each part, which sends what it gives.
start(Part) ->
    Self = self(),
    spawn(fun() -> Self ! {self(), Part()} end).

await(Pid) -> receive {Pid, Sum} -> Sum end.

fib(N) when N < 2 -> N;
fib(N) ->
    A = start(fun() -> fib(N - 1) end),
    B = start(fun() -> fib(N - 2) end),
    await(A) + await(B).

skynet(Number, 1) -> Number;
skynet(Number, Size) ->
    Part = Size div 10,
    Kids = [start(fun() -> skynet(Number + I * Part, Part) end)
            || I <- lists:seq(0, 9)],
    lists:sum([await(Kid) || Kid <- Kids]).

node(Id, Next, Main) ->
    receive
        0 -> Main ! {done, Id};
        Token -> Next ! Token - 1
    end,
    node(Id, Next, Main).

%% Starts numbers Id down to 2; number 1 sends to the last of them.
build(1, Next, _) -> Next;
build(Id, Next, Main) ->
    build(Id - 1, spawn(fun() -> node(Id, Next, Main) end), Main).

ring() ->
    Main = self(),
    First = spawn(fun() ->
        receive {next, Next} -> node(1, Next, Main) end
    end),
    First ! {next, build(?RING, First, Main)},
    First.

pong() -> receive {From, V} -> From ! {self(), V + 1}, pong() end.

ping(_, 0, V) -> V;
ping(Pong, Trips, V) ->
    Pong ! {self(), V},
    receive {Pong, W} -> ping(Pong, Trips - 1, W) end.

fib_of(0, A, _) -> A;
fib_of(N, A, B) -> fib_of(N - 1, B, A + B).

%% What to do, what it must give, and of how many things it consists.
prepare("fib", Size) ->
    {fun() -> await(start(fun() -> fib(Size) end)) end,
     fib_of(Size, 0, 1), 2 * fib_of(Size + 1, 0, 1) - 1};
prepare("skynet", Size) ->
    {fun() -> await(start(fun() -> skynet(0, Size) end)) end,
     Size * (Size - 1) div 2, Size + (Size - 1) div 9};
prepare("ring", Size) ->
    First = ring(),
    {fun() -> First ! Size, receive {done, Id} -> Id end end,
     Size rem ?RING + 1, Size};
prepare("pingpong", Size) ->
    Pong = spawn(fun pong/0),
    {fun() -> ping(Pong, Size, 0) end, Size, Size}.

measure(Work, Expected) ->
    Began = erlang:monotonic_time(nanosecond),
    Result = Work(),
    Took = erlang:monotonic_time(nanosecond) - Began,
    case Result of
        Expected -> Took;
        _ ->
            io:format(standard_error, "tasks: gave ~w, not ~w~n",
                      [Result, Expected]),
            halt(1)
    end.

main(Args) ->
    [Name, Workers, SizeText] = [atom_to_list(Arg) || Arg <- Args],
    case erlang:system_info(schedulers_online) =:= list_to_integer(Workers) of
        true -> ok;
        false -> halt(2)
    end,
    {Work, Expected, Count} = prepare(Name, list_to_integer(SizeText)),
    measure(Work, Expected),
    Took = measure(Work, Expected),
    io:format("value ~s.~s ~.2f~n", [Name, Workers, Took / Count]),
    halt(0).
