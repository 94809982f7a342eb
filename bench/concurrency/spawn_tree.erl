%% SPDX-License-Identifier: MIT
%% A binary tree of processes: each node starts two and adds up what they give;
%% each leaf gives 1.
-module(spawn_tree).
-export([main/0]).

tree(0) -> 1;
tree(Depth) ->
    Left = start(Depth - 1),
    Right = start(Depth - 1),
    await(Left) + await(Right).

start(Depth) ->
    Self = self(),
    spawn(fun() -> Self ! {self(), tree(Depth)} end).

await(Pid) -> receive {Pid, Sum} -> Sum end.

main() ->
    io:format("~w~n", [tree(18)]),
    halt().
