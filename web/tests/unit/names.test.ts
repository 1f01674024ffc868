import { expect, test } from "vitest";
import { clock, goalWords, moveWords } from "../../src/lib/names";
import type { Board, Puzzle } from "../../src/lib/types";
import { cube, grid } from "./boards";

test("a clock never says 60 seconds", () => {
  expect(clock(59_940)).toBe("59.9 s");
  expect(clock(59_960)).toBe("1:00.0");
  expect(clock(119_960)).toBe("2:00.0");
  expect(clock(119_994, 2)).toBe("1:59.99");
  expect(clock(59_600, 0)).toBe("1:00");
});

test("moves have directions on boards of rows, and numbers on others", () => {
  const board = grid(3, 4);
  const said = (from: number, to: number, on: Board = board): string => moveWords(on, { token: "13", from, to });
  expect(said(5, 6)).toBe("13 right");
  expect(said(6, 5)).toBe("13 left");
  expect(said(5, 9)).toBe("13 down");
  expect(said(9, 5)).toBe("13 up");
  // Over a side to the opposite one.
  const torus: Board = { ...board, family: "torus" };
  expect(said(7, 4, torus)).toBe("13 right");
  expect(said(4, 7, torus)).toBe("13 left");
  expect(said(9, 1, torus)).toBe("13 down");
  expect(said(1, 9, torus)).toBe("13 up");
  expect(said(1, 7, cube(3, 2))).toBe("13 from 1 to 7");
});

test("the usual goal of a grid has words, and no other", () => {
  const words = (board: Board, goal: (string | null)[]): string => goalWords({ board, goal } as Puzzle);
  const usual = ["1", "2", "3", "4", "5"];
  expect(words(grid(2, 3), [...usual, null])).toBe("in order, empty last");
  expect(words(grid(2, 3), [...usual, "0"])).toBe("in order, empty last");
  expect(words(grid(2, 3), ["0", ...usual])).toBe("");
  expect(words(grid(2, 3), ["2", "1", "3", "4", "5", null])).toBe("");
  expect(words(grid(2, 3), ["1", null, null, null, null, null])).toBe("");
  expect(words(cube(1, 1), ["1", null])).toBe("");
});
