import { beforeEach, describe, expect, test, vi } from "vitest";
import { buildPuzzle, parsePuzzle } from "../../src/lib/notation";
import { groupOf, keepSolve, perSecond, solves, forgetSolves, summaries, trimmedMean } from "../../src/lib/stats";
import { explainBlocked } from "../../src/play/words";
import { cube, grid } from "./boards";

const eight = buildPuzzle(
  parsePuzzle("grid:3:3 1,2,3,4,5,6,0,7,8 -> 1,2,3,4,5,6,7,8,0"),
  grid(3, 3),
);

describe("personal statistics", () => {
  beforeEach(() => {
    const kept = new Map<string, string>();
    vi.stubGlobal("localStorage", {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => kept.set(name, value),
      removeItem: (name: string) => kept.delete(name),
    });
    return () => vi.unstubAllGlobals();
  });

  test("averages leave the best and the worst out", () => {
    expect(trimmedMean([10, 1, 4, 100, 7])).toBe(7);
    // Of fifty the three best and the three worst, of a hundred five of each.
    const fifty = [1, 2, 3, ...Array<number>(44).fill(20), 900, 900, 900];
    expect(trimmedMean(fifty)).toBe(20);
    const hundred = [...Array<number>(5).fill(0), ...Array<number>(90).fill(30), ...Array<number>(5).fill(999)];
    expect(trimmedMean(hundred)).toBe(30);
  });

  test("moves per second leave the first move out, with which the clock starts", () => {
    expect(perSecond(21, 4000)).toBe(5);
    expect(perSecond(2, 500)).toBe(2);
    expect(perSecond(1, 500)).toBe(null);
    expect(perSecond(0, 0)).toBe(null);
    // Tiles that slide together take no time.
    expect(perSecond(2, 0)).toBe(null);
  });

  test("are kept by board and control", () => {
    const clicked = groupOf(eight, "click", false);
    expect(clicked.name).toBe("3 × 3 grid");
    for (const seconds of [9, 3, 5, 4, 20, 6])
      keepSolve({ ...clicked, ms: seconds * 1000, stm: 30, mtm: 20 });
    keepSolve({ ...groupOf(eight, "keys", true), ms: 1000, stm: 31, mtm: 25 });
    const [blind, mouse] = summaries(solves());
    expect([blind.control, blind.solves, blind.time.averages[0].now]).toEqual(["keys, blind", 1, null]);
    expect(mouse.solves).toBe(6);
    expect(mouse.time).toMatchObject({ last: 6000, best: 3000 });
    expect(mouse.time.averages.slice(0, 2)).toEqual([
      { of: 5, now: 5000, best: 5000 },
      { of: 12, now: null, best: null },
    ]);
    expect(mouse.tps?.best).toBeCloseTo(29 / 3);
    expect(mouse.mtm?.best).toBe(20);
    forgetSolves();
    expect(solves()).toEqual([]);
  });

  test("tell boards of the same kind apart by their tokens", () => {
    const tesseract = buildPuzzle(parsePuzzle("cube:4:2 r=13,p=7 -> p=1,r=0"), cube(4, 2));
    const mine = groupOf(tesseract, "touch", false);
    expect(mine.name).toBe("Tesseract, k = 2, two tokens");
    expect(mine.group).toBe("cube:4:2 face 2 touch");
  });
});

test("what blocks a token is told also when a face is free", () => {
  const puzzle = buildPuzzle(parsePuzzle("cube:3:2 a=0,b=3 -> a=7,b=3"), cube(3, 2));
  expect(explainBlocked(puzzle.board, puzzle.start, 0)).toEqual({
    text: "a on 0: b on 3 blocks one of its three squares.",
    blocking: [3],
  });
  const free = buildPuzzle(parsePuzzle("cube:3:2 a=0 -> a=7"), cube(3, 2));
  expect(explainBlocked(free.board, free.start, 0).blocking).toEqual([]);
});
