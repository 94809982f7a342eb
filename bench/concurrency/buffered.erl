%% SPDX-License-Identifier: MIT
%% One producer, one consumer, and at most 128 ints under way: the consumer
%% gives back credit for every 64 it has taken.
-module(buffered).
-export([main/0]).

-define(N, 16000000).
-define(WINDOW, 128).
-define(STEP, 64).

produce(To, ?N, _) -> To ! done;
produce(To, I, 0) -> receive {credit, C} -> produce(To, I, C) end;
produce(To, I, Credit) ->
    To ! {item, I},
    produce(To, I + 1, Credit - 1).

consume(From, ?STEP, Sum) ->
    From ! {credit, ?STEP},
    consume(From, 0, Sum);
consume(From, Taken, Sum) ->
    receive
        {item, V} -> consume(From, Taken + 1, Sum + V);
        done -> Sum
    end.

main() ->
    Self = self(),
    Producer = spawn(fun() -> produce(Self, 0, ?WINDOW) end),
    io:format("~w~n", [consume(Producer, 0, 0)]),
    halt().
