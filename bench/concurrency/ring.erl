%% SPDX-License-Identifier: MIT
%% 503 processes in a ring send a token on; it counts down, and the process
%% that gets the zero tells its number.
-module(ring).
-export([main/0]).

-define(SIZE, 503).
-define(HOPS, 4000000).

node(Id, Next, Main) ->
    receive
        0 -> Main ! {done, Id};
        Token -> Next ! Token - 1, node(Id, Next, Main)
    end.

%% Starts numbers Id down to 2, each before the one it sends to is known to
%% anybody else; number 1 sends to the last of them.
build(1, Next, _) -> Next;
build(Id, Next, Main) ->
    build(Id - 1, spawn(fun() -> node(Id, Next, Main) end), Main).

main() ->
    Main = self(),
    First = spawn(fun() ->
        receive {next, Next} -> node(1, Next, Main) end
    end),
    First ! {next, build(?SIZE, First, Main)},
    First ! ?HOPS,
    receive {done, Id} -> io:format("~w~n", [Id]) end,
    halt().
