// The rule against vectors that the Rust side wrote: legal moves, counts of move sequences, and a
// random walk with its end.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { buildPuzzle, multiTileCount, parsePuzzle, writePuzzle } from "../../src/lib/notation";
import {
  blockers,
  destinations,
  isLegal,
  isSolved,
  legalMoves,
  play,
  positionsOf,
  slideTo,
  ways,
} from "../../src/lib/rule";
import type { Board, Cells, Move } from "../../src/lib/types";
import { cube, grid } from "./boards";

interface Vector {
  puzzle: string;
  board: Board;
  legal: [number, number][];
  perft: number[];
  walk: Move[];
  multi: number | null;
  end: Cells;
  end_line: string;
}

const FILE = new URL("../vectors.json", import.meta.url);

/** Sequences of each length, the last ones only where there are few enough to count here. */
function perft(board: Board, start: Cells, lengths: number, most: number): number[] {
  const count = (cells: Cells, left: number): number =>
    left === 0
      ? 1
      : legalMoves(board, cells).reduce((sum, move) => sum + count(play(cells, move), left - 1), 0);
  const counts = [1];
  while (counts.length < lengths && counts[counts.length - 1] < most)
    counts.push(count(start, counts.length));
  return counts;
}

const vectors = JSON.parse(readFileSync(FILE, "utf8")) as Vector[];
test("there are vectors", () => expect(vectors.length).toBeGreaterThan(5));

describe.each(vectors)("$puzzle", ({ puzzle, board, legal, perft: counts, walk, multi, end, end_line }) => {
  const { start, goal } = buildPuzzle(parsePuzzle(puzzle), board);

  test("the line is written as it was read", () => {
    expect(writePuzzle(board, start, goal)).toBe(puzzle);
  });

  test("tiles that slide together are counted as often", () => {
    expect(multiTileCount(board, start, walk)).toBe(multi);
  });

  test("the legal moves are the same", () => {
    expect(legalMoves(board, start).map(({ from, to }) => [from, to])).toEqual(legal);
  });

  test("as many sequences of moves are legal", () => {
    const mine = perft(board, start, counts.length, 2000);
    expect(mine).toEqual(counts.slice(0, mine.length));
  });

  test("a walk is legal and ends where it should", () => {
    let cells = start;
    for (const { from, to } of walk) {
      expect(isLegal(board, cells, from, to)).toBe(true);
      cells = play(cells, { from, to });
    }
    expect(cells).toEqual(end);
    expect(writePuzzle(board, cells, goal)).toBe(end_line);
  });
});

describe("the k-rule", () => {
  const board = cube(3, 2);
  const cells: Cells = ["b", null, null, "r", null, null, null, null];

  test("a token slides over free squares only", () => {
    expect(ways(board, cells, 0)).toEqual([
      [0, 1, 4, 5],
      [0, 2, 4, 6],
    ]);
    expect(destinations(board, cells, 0)).toEqual([1, 2, 4, 5, 6]);
    expect(destinations(board, cells, 1)).toEqual([]);
  });

  test("the tokens that block are named", () => {
    expect(blockers(board, cells, 0)).toEqual([{ face: [0, 1, 2, 3], by: [3] }]);
  });

  test("the edge metric allows neighbours only", () => {
    expect(destinations({ ...board, metric: "edge" }, cells, 0)).toEqual([1, 2, 4]);
  });

  test("moves can be taken back", () => {
    for (const move of legalMoves(board, cells)) {
      const after = play(cells, move);
      expect(isLegal(board, after, move.to, move.from)).toBe(true);
      expect(play(after, { from: move.to, to: move.from })).toEqual(cells);
    }
  });
});

test("a goal asks for its labels and its empty vertices only", () => {
  expect(isSolved(["a", "0", null], ["a", null, "x"])).toBe(true);
  expect(isSolved(["a", "0", null], ["a", "b", null])).toBe(false);
  expect(isSolved(["a", "0", null], [null, null, "a"])).toBe(false);
});

test("a solution leads through its positions, from the start on", () => {
  const start: Cells = ["1", null, "2"];
  const moves = [
    { from: 2, to: 1 },
    { from: 1, to: 2 },
    { from: 0, to: 1 },
  ];
  expect(positionsOf(start, moves)).toEqual([start, ["1", "2", null], start, [null, "1", "2"]]);
  expect(positionsOf(start, [])).toEqual([start]);
});

test("several tiles slide together toward the empty cell", () => {
  const cells: Cells = ["1", "2", "3", "4", "5", "6", "7", "8", null];
  expect(slideTo(grid(3, 3), cells, 6)).toEqual([
    { token: "8", from: 7, to: 8 },
    { token: "7", from: 6, to: 7 },
  ]);
  expect(slideTo(grid(3, 3), cells, 4)).toEqual([]);
});
