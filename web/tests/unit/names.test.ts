import { expect, test } from "vitest";
import { clock, moveWords } from "../../src/lib/names";
import type { Board } from "../../src/lib/types";
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
