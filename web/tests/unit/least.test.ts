import { expect, test } from "vitest";
import { besideLeast, leastName } from "../../src/lib/least";
import { buildPuzzle, parsePuzzle } from "../../src/lib/notation";
import { announce } from "../../src/play/words";
import { grid } from "./boards";

test("only what is proven is called the minimum", () => {
  expect([leastName(true), leastName(false)]).toEqual(["minimum", "shortest known"]);
  const proven = { moves: 11, proven: true };
  expect(besideLeast(11, proven)).toBe("the minimum");
  expect(besideLeast(13, proven)).toBe("2 more than the minimum");
  expect(besideLeast(12.5, proven)).toBe("1.5 more than the minimum");
  const known = { moves: 11, proven: false };
  expect(besideLeast(11, known)).toBe("as short as the shortest known");
  expect(besideLeast(14, known)).toBe("3 more than the shortest known");
  expect(besideLeast(9, known)).toBe("2 shorter than the shortest known");
});

test("a move is announced with what its number is compared with", () => {
  const { board, goal } = buildPuzzle(
    parsePuzzle("grid:3:3 1,2,3,4,5,6,7,0,8 -> 1,2,3,4,5,6,7,8,0"),
    grid(3, 3),
  );
  const cells = goal.map((label) => (label === "0" ? null : label));
  const said = (moves: number, least: Parameters<typeof announce>[4], solved: boolean): string =>
    announce(board, cells, { token: "8", from: 8, to: 7 }, moves, least, solved);
  expect(said(2, { moves: 2, proven: true }, true)).toBe("8 left. Solved in 2 moves, minimum 2.");
  expect(said(1, { moves: 3, proven: false }, false)).toBe("8 left. 1 free target. 1 move, shortest known 3.");
  expect(said(1, null, true)).toBe("8 left. Solved in 1 move.");
});
