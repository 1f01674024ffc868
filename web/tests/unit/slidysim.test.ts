import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readTiles } from "../../src/lib/notation";
import { play } from "../../src/lib/rule";
import { isSlidysimLink, lineOf, readSlidysim, type SlidysimSolve } from "../../src/lib/slidysim";
import type { Cells } from "../../src/lib/types";
import { grid } from "./boards";

const pack = (value: unknown): string =>
  encodeURIComponent(deflateSync(typeof value === "string" ? value : JSON.stringify(value)).toString("base64"));
const link = (value: unknown): string => `https://slidysim.github.io/replay?r=${pack(value)}`;
const data = (text: string): string => deflateSync(text).toString("base64");

/** Plays a solve by our own rule, and returns where it ends. */
function end({ rows, columns, start, solution, ms }: SlidysimSolve): Cells {
  const board = grid(rows, columns);
  let cells: Cells = start.map((tile) => (tile ? String(tile) : null));
  const moves = readTiles(solution, board, cells);
  expect(ms.length).toBe(moves.length);
  for (const move of moves) cells = play(cells, move);
  return cells;
}
const goal = (count: number): Cells => Array.from({ length: count }, (_, i) => (i + 1 < count ? String(i + 1) : null));

// The record of 4x4 solves as slidysim's own page shares it: 26 moves in 0.909 s.
const RECORD =
  "https://slidysim.github.io/replay?r=eNqFUl1v2jAU%2FSuRXxcRE6CBCJAADW0t38lKo1JVN7EhBieOYic0dP3vc6CqtqfJD%2FY9537Y5%2Fj5HZ0ZUTFy2yaKKTvE6nrkFAjNQwE58auMIhcpllBkokikKhdcamQuCllDB0joXJA6yVOQEl2jUcJkxqH6rP6LSHX6lHFFc42TLCZJqlEoD5ymyG2at0luD%2FdMlIiS6lH2HcZYE1l97t7h1i1JKkgyXeK0HaeDm01stzsmkoKX9JWAglcogXEIuW6n8oKaqGSECs7Skx4dK93PtaxKFKpohNSCxWUxTbv79fysL8TklobI3QOX9MNE9P7Mj758WF%2B%2Bz8eTb3i%2Bz2ZvBc6fNjxaPc0swN46yGIVH5tVz1mVZTrDGFqt6v6XYl04FZ63bY6OXo9Ox5ul5MsHbz2BYDLGSxEFW%2FtxjWEUr5zAaZGAcIdIOV7YXW8bOGzz49HH0BntWx1rgX%2FSy3owQOa7vqKfF1JRcnveh3nTpq0X6ssMUiPiIOVgh4BnMeiIRadajh0a9lly%2BKJpIo5shwyZRzpiCRyovOkS0gaLhKaAK00FovA1Zlx1NL7krfv9M2%2B7WY01%2BLzdvBh9q6aGXm2LEVbGzfJ%2BmA997aGxGhu%2FjetX0ruN7U4Ddxo2%2FqzSRvzHp%2BvTkFkL8PIHntDrWw%3D%3D";

describe("slidysim's replay links", () => {
  test("a solve of the leaderboard, with the time of every move", async () => {
    expect(isSlidysimLink(RECORD)).toBe(true);
    const [solve, ...others] = await readSlidysim(RECORD);
    expect(others).toEqual([]);
    expect([solve.rows, solve.columns, solve.ms.length]).toEqual([4, 4, 26]);
    expect(solve.ms.reduce((sum, ms) => sum + ms)).toBe(909);
    expect(solve.ms.slice(0, 5)).toEqual([0, 5, 23, 49, 31]);
    expect(end(solve)).toEqual(goal(16));
    expect(lineOf(solve)).toMatch(/^grid:4:4 [\d,]+ -> 1,2,3,.*,15,0$/);
  });

  test("a replay that somebody made, with and without times", async () => {
    const [timed] = await readSlidysim(link(["LU", 5000, "1 2 3/4 0 5/7 8 6", [0, 310.4]]));
    expect(timed.start).toEqual([1, 2, 3, 4, 0, 5, 7, 8, 6]);
    expect(timed.ms).toEqual([0, 310]);
    const [plain] = await readSlidysim(link(["LU", 5000, "1 2 3/4 0 5/7 8 6", -1]));
    expect(plain.ms).toEqual([0, 0]);
    // Grids that are wider than high.
    const [wide] = await readSlidysim(link(["L2", 5000, "1 2 3/0 4 5", -1]));
    expect(end(wide)).toEqual(goal(6));
  });

  test("averages and relays have several solves", async () => {
    const facts = { gameMode: "Standard", avglen: 2 };
    const average = await readSlidysim(link([facts, data("LU,U2;1.0,0.5;2,2;2,4;-1;[0,400;0,500]"), {}, 1, 3, 3]));
    expect(average.map(({ ms }) => ms)).toEqual([[0, 400], [0, 500]]);
    for (const solve of average) expect(end(solve)).toEqual(goal(9));
    const relay = { gameMode: "2-N relay", avglen: 1 };
    const both = await readSlidysim(link([relay, data("LU,LU;1.0,0.5;2,2;2,4;-1;[0,400;0,500]"), {}, 1, 3, 3]));
    expect(both.map(({ rows, columns }) => [rows, columns])).toEqual([[3, 3], [2, 2]]);
    for (const solve of both) expect(end(solve)).toEqual(goal(solve.rows * solve.columns));
  });

  test.each([
    ["https://slidysim.github.io/replay?r=%25%25", "base64"],
    ["https://slidysim.github.io/replay?r=eNqFUl1v2jAU", "unpacked"],
    [link("no replay"), "does not hold a replay"],
    [link({ solution: "U" }), "does not hold a replay"],
    [link(["LUX", 1, "1 2/3 0", -1]), "no solution"],
    [link(["LU", 1, "nothing", -1]), "no start"],
    [link(["LU", 1, "1 2 3/4 0", -1]), "different lengths"],
    [link([{}, data("U9;1;1;1;-1;[0]"), {}, 1, 3, 3]), "leaves a grid of 3 by 3"],
    [link([{}, data("-1;1.2;3;4;-1"), {}, 1, 3, 3]), "no solution"],
    [link([{}, data("U;1;1;1;-1"), {}, 1, 20, 20]), "20 by 20"],
  ])("what cannot be read is refused with the reason: %s", async (text, reason) => {
    await expect(readSlidysim(text)).rejects.toThrow(reason);
  });

  test("other texts are no such links", () => {
    for (const text of ["grid:3:3 1,2,3", "https://example.org/", "R2ULD", ""]) expect(isSlidysimLink(text)).toBe(false);
  });
});
