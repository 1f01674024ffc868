import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { LESSON_GRID, LESSON_TESSERACT } from "../../src/lib/solve/examples";

it("the lessons of the page are those that a static copy holds", () => {
  const ladder = readFileSync(new URL("../../../levels/ladder.toml", import.meta.url), "utf8");
  const held = [...ladder.matchAll(/\[\[lesson\]\]\npuzzle = "(.*)"/g)].map(([, line]) => line);
  expect(held).toEqual([LESSON_GRID, LESSON_TESSERACT]);
});
