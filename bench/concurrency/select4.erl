%% SPDX-License-Identifier: MIT
%% Four processes, each of which waits until its message was taken, as over an
%% unbuffered channel; a receive takes from all.
-module(select4).
-export([main/0]).

-define(N, 500000).

feed(_, _, _, ?N) -> ok;
feed(To, Name, First, I) ->
    To ! {Name, self(), First + I},
    receive taken -> feed(To, Name, First, I + 1) end.

collect(0, A, B, C, D) -> {A, B, C, D};
collect(Left, A, B, C, D) ->
    receive
        {a, P, V} -> P ! taken, collect(Left - 1, A + V, B, C, D);
        {b, P, V} -> P ! taken, collect(Left - 1, A, B + V, C, D);
        {c, P, V} -> P ! taken, collect(Left - 1, A, B, C + V, D);
        {d, P, V} -> P ! taken, collect(Left - 1, A, B, C, D + V)
    end.

main() ->
    Self = self(),
    [spawn(fun() -> feed(Self, Name, First, 0) end)
        || {Name, First} <- [{a, 0}, {b, 1}, {c, 2}, {d, 3}]],
    {A, B, C, D} = collect(4 * ?N, 0, 0, 0, 0),
    io:format("~w ~w ~w ~w~n", [A, B, C, D]),
    halt().
