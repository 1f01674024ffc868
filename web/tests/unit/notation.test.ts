import { describe, expect, test } from "vitest";
import {
  buildPuzzle,
  decodePlay,
  encodePlay,
  multiTileCount,
  parsePuzzle,
  parseTypedMove,
  readTiles,
  tileFor,
  writeGridState,
  writeMoves,
  writePuzzle,
  writeTiles,
} from "../../src/lib/notation";
import { legalMoves, play } from "../../src/lib/rule";
import type { Board, Cells, Puzzle, TimedMove } from "../../src/lib/types";
import { cube, grid } from "./boards";

const built = (line: string, board: Board): Puzzle => buildPuzzle(parsePuzzle(line), board);

describe("puzzle lines", () => {
  test.each([
    ["cube:3:2 b=5,g=6,p=1,r=4 -> b=6,g=4,p=1,r=5", cube(3, 2)],
    ["cube:3:2 a=0+1,b=2 -> a=6+7,b=*", cube(3, 2)],
    ["cube:3:2 a=0+1,b=2 -> a=6+*,b=*,0=0+1", cube(3, 2)],
    ["grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,2,3,4,5,6,7,8,0", grid(3, 3)],
    ["grid:2:2 1,0,0,2 -> *,1,0,*", grid(2, 2)],
    ["cube:3:2 edge 2=5,10=6 -> 2=6,10=5", { ...cube(3, 2), metric: "edge" as const }],
  ])("%s is read and written", (line, board) => {
    const { start, goal } = built(line, board);
    expect(writePuzzle(board, start, goal)).toBe(line);
  });

  test("a goal without free tokens leaves all other vertices empty", () => {
    expect(built("cube:3:2 b=5 -> b=6", cube(3, 2)).goal.filter((cell) => cell === "0").length).toBe(7);
    expect(built("cube:3:2 a=5,b=1 -> b=6,a=*", cube(3, 2)).goal.filter((c) => c !== null)).toEqual(["b"]);
  });

  test.each(["", "cube:3:2", "nothing here -> there", "cube:3:2 b=x -> b=1", "cube:3:2 b=1 -> b=2 -> b=3"])(
    "%j is refused in a sentence",
    (line) => expect(() => parsePuzzle(line)).toThrow(/\.$/),
  );

  test.each(["grid:2:2", "cylinder:3:3", "torus:3:3", "cube:2:1", "graph:petersen", "faces:4:0-1-2,1-2-3"])(
    "%s is a board",
    (board) => expect(parsePuzzle(`${board} a=0 -> a=1`).board).toBe(board),
  );

  test("a vertex off the board is refused", () => {
    expect(() => built("cube:3:2 b=8 -> b=1", cube(3, 2))).toThrow("Vertex 8");
  });
});

describe("typed moves", () => {
  const board = cube(3, 2);
  const cells: Cells = ["b", null, null, "r", null, null, null, null];

  test.each(["b 6", "b:0-6", "0-6", " b  to 6 "])("%j slides b to 6", (text) => {
    expect(parseTypedMove(text, board, cells)).toEqual([{ token: "b", from: 0, to: 6 }]);
  });

  test.each([
    ["b 7", "b on 0 cannot slide to 7."],
    ["x 1", "There is no token x on this board."],
    ["1-2", "Vertex 1 is empty."],
    ["b 99", "Vertex 99 is not on this board"],
    ["jump", "is not a move"],
    ["U", "need a grid"],
  ])("%j is refused", (text, reason) => {
    expect(() => parseTypedMove(text, board, cells)).toThrow(reason);
  });

  test("a tile in line with the empty cell brings those between along", () => {
    const tiles: Cells = ["1", "2", "3", null];
    expect(parseTypedMove("2", grid(2, 2), tiles)).toEqual([{ token: "2", from: 1, to: 3 }]);
  });
});

describe("directions of tiles", () => {
  const board = grid(3, 3);
  const start: Cells = ["1", "2", "3", "4", "5", "6", "7", "8", null];

  test("the letter is the direction of the tile, and a number repeats it", () => {
    const moves = readTiles("D2R U", board, start);
    expect(moves.map(({ token }) => token)).toEqual(["6", "3", "2", "5"]);
    expect(writeTiles(board, moves)).toBe("D2RU");
    expect(writeMoves(moves.slice(0, 1))).toBe("6:5-8");
  });

  test("a tile that is not there is refused", () => {
    expect(() => readTiles("U", board, start)).toThrow("Move 1 (U)");
    expect(() => readTiles("DX", board, start)).toThrow('"X" is not a direction');
  });

  test("tiles that slide together count once", () => {
    expect(multiTileCount(board, start, readTiles("D2RU", board, start))).toBe(3);
    expect(multiTileCount(board, start, readTiles("DUD", board, start))).toBe(3);
    expect(multiTileCount(board, start, [])).toBe(0);
  });

  test("states have slashes between rows", () => {
    expect(writeGridState(board, start)).toBe("1 2 3/4 5 6/7 8 0");
  });
});

describe("plays in a link", () => {
  test("are read as they were written", () => {
    const board = cube(4, 2);
    const start: Cells = Array.from({ length: 16 }, (_, v) => (v < 5 ? "abcde"[v] : null));
    let cells = start;
    const moves: TimedMove[] = [];
    for (let i = 0; i < 200; i++) {
      const legal = legalMoves(board, cells);
      const move = legal[(i * 7919) % legal.length];
      moves.push({ ...move, ms: (i * 104729) % 300_000 });
      cells = play(cells, move);
    }
    const text = encodePlay(board, start, moves);
    expect(text).toMatch(/^[\w-]+$/);
    expect(decodePlay(board, start, text)).toEqual(moves);
  });

  test("damaged ones are refused", () => {
    const board = grid(2, 2);
    const start: Cells = ["1", "2", "3", null];
    expect(() => decodePlay(board, start, "!!")).toThrow("damaged");
    expect(() => decodePlay(board, start, "gA")).toThrow("cut off");
    expect(() => decodePlay(board, start, "CQA")).toThrow("not legal");
    expect(decodePlay(board, start, "")).toEqual([]);
  });
});

describe("the tile that an arrow key moves", () => {
  const cells: Cells = [null, "1", "2", "3", "4", "5", "6", "7", "8"];

  test.each([
    ["grid", { U: 3, L: 1, D: null, R: null }],
    ["cylinder", { U: 3, L: 1, D: null, R: 2 }],
    ["torus", { U: 3, L: 1, D: 6, R: 2 }],
  ] as const)("on a %s", (family, expected) => {
    for (const [direction, from] of Object.entries(expected))
      expect(tileFor(grid(3, 3, family), cells, direction as "U"), direction).toBe(from);
  });

  test("is none where two cells are empty", () => {
    expect(tileFor(grid(3, 3), cells.with(8, null), "U")).toBe(null);
  });
});
