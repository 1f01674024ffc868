// What is sent when a result is shared.

import { expect, test } from "vitest";

import { resultText } from "../../src/lib/share";

const least = { moves: 6, proven: true };
const result = { heading: "Hyperslide daily 12", moves: 6, ms: 7_400, least, link: "https://example.org/?page=daily#d=2026-11-01" };
const second = (change: Partial<Parameters<typeof resultText>[0]>): string =>
  resultText({ ...result, ...change }).split("\n")[1];

test("a result is three lines", () => {
  expect(resultText(result).split("\n")).toEqual([
    "Hyperslide daily 12",
    "6 moves (minimum 6) in 7.4 s ★",
    "https://example.org/?page=daily#d=2026-11-01",
  ]);
});

test("stars are for one's own moves, the full one for a proven minimum", () => {
  expect(second({ moves: 8 })).toMatch(/^8 moves .* ☆$/);
  expect(second({ least: { moves: 6, proven: false } })).toBe("6 moves (shortest known 6) in 7.4 s ☆");
  expect(second({ helped: true })).toBe("6 moves (minimum 6) in 7.4 s, with hints");
  expect(second({ helped: true, foreign: true })).toBe("6 moves (minimum 6) in 7.4 s");
  expect(second({ moves: 1, least: null })).toBe("1 move in 7.4 s");
});
