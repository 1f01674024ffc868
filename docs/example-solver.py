"""Solves grid puzzles with one empty vertex by greedy best-first search: a program for
hyperslide compare --solver 'exec:python3 docs/example-solver.py'.

It reads the puzzle's line from standard input, and writes the moves as pairs of vertices, the one
that a token leaves and the one that it goes to.
"""

import heapq
import sys


def solve(rows, columns, start, goal):
    target = {token: divmod(vertex, columns) for vertex, token in enumerate(goal)}

    def distance(state):
        """The sum of the tokens' Manhattan distances."""
        places = (divmod(vertex, columns) + target[token]
                  for vertex, token in enumerate(state) if token != "0")
        return sum(abs(row - to_row) + abs(column - to_column)
                   for row, column, to_row, to_column in places)

    parents = {start: None}
    queue = [(distance(start), start)]
    while queue:
        _, state = heapq.heappop(queue)
        if state == goal:
            return path(parents, state)
        empty = state.index("0")
        row, column = divmod(empty, columns)
        for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= r < rows and 0 <= c < columns:
                token = r * columns + c
                after = list(state)
                after[empty], after[token] = state[token], "0"
                after = tuple(after)
                if after not in parents:
                    parents[after] = (state, (token, empty))
                    heapq.heappush(queue, (distance(after), after))
    sys.exit("there is no solution")


def path(parents, state):
    moves = []
    while parents[state]:
        state, move = parents[state]
        moves.append(move)
    return moves[::-1]


board, start, _, goal = sys.stdin.read().split()
kind, rows, columns = board.split(":")
if kind != "grid":
    sys.exit(f"{board}: only grids can be solved")
moves = solve(int(rows), int(columns), tuple(start.split(",")), tuple(goal.split(",")))
print(" ".join(f"{token}-{empty}" for token, empty in moves))
