%% SPDX-License-Identifier: MIT
%% Two processes send a number back and forth.
-module(pingpong).
-export([main/0]).

-define(TRIPS, 2000000).

pong() ->
    receive
        {From, V} -> From ! {self(), V + 1}, pong();
        stop -> ok
    end.

ping(_, ?TRIPS, V) -> V;
ping(Pong, I, V) ->
    Pong ! {self(), V},
    receive {Pong, W} -> ping(Pong, I + 1, W) end.

main() ->
    Pong = spawn(fun pong/0),
    io:format("~w~n", [ping(Pong, 0, 0)]),
    Pong ! stop,
    halt().
