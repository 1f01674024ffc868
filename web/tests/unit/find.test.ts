import { expect, test } from "vitest";
import { isFound } from "../../src/levels/find";
import type { Level } from "../../src/lib/types";

const level = (title: string, board: string, minimum: number | null): Level => ({
  id: "slide-7",
  title,
  board,
  minimum,
  puzzle: "",
  tokens: 5,
  published: null,
  note: null,
  source: "",
});

test("levels are found by what a keyboard can type", () => {
  const grid = level("3 × 3 grid, the farthest", "grid:3:3", 31);
  for (const wanted of ["3x3", "3 x 3", "3 × 3", "minimum 31", "grid:3", "GRID farthest", "slide-7", "minimum", ""])
    expect(isFound(grid, wanted), wanted).toBe(true);
  for (const wanted of ["3x4", "minimum 3", "minimum 1", "k=2", "4d"]) expect(isFound(grid, wanted), wanted).toBe(false);

  const cube = level("4-cube, k = 2: level 3", "cube:4:2", 3);
  for (const wanted of ["k=2", "k = 2", "4d", "level 3", "4d k=2 minimum 3", "minimum  3"])
    expect(isFound({ ...cube, title: "4-cube, k = 2, level 3" }, wanted), wanted).toBe(true);
  expect(isFound(cube, "k=3")).toBe(false);
  const first = { ...level("Tesseract, level 0, k = 2", "cube:4:2", 4), id: "d4-level0" };
  expect(isFound(first, "level 0")).toBe(true);
  for (const wanted of ["level 4", "level 2"]) expect(isFound(first, wanted), wanted).toBe(false);
  expect(isFound(grid, "3")).toBe(true);
  expect(isFound(level("One without", "cube:4:2", null), "minimum 3")).toBe(false);
});
