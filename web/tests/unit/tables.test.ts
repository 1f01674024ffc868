import { describe, expect, it } from "vitest";
import { legalMoves, play } from "../../src/lib/rule";
import { rank, Table, unrank } from "../../src/lib/tables";
import type { Board, Cells } from "../../src/lib/types";

const board: Board = {
  board: "cube:2:1",
  metric: "face",
  family: "cube",
  dimension: 2,
  k: 1,
  vertices: 4,
  faces: [
    [0, 1],
    [0, 2],
    [1, 3],
    [2, 3],
  ],
  edges: [
    [0, 1],
    [0, 2],
    [1, 3],
    [2, 3],
  ],
};

describe("numbers of positions", () => {
  it("are those that the server writes", () => {
    // The same example as in crates/server/src/site.rs.
    const cells: Cells = [null, null, null, null, "b", null, null, "a"];
    expect(rank(["a", "b"], cells)).toBe(7 * 7 + 4);
  });

  it("lead back to the positions", () => {
    const labels = ["x", "y", "z"];
    for (let number = 0; number < 6 * 5 * 4; number++)
      expect(rank(labels, unrank(labels, 6, number))).toBe(number);
  });
});

describe("a table", () => {
  const labels = ["a", "b"];
  const goal: Cells = ["a", "b", null, null];

  /** Distances by a plain search from the goal. */
  const bytes = new Uint8Array(4 * 3).fill(255);
  const queue: [Cells, number][] = [[goal, 0]];
  for (let entry = queue.shift(); entry; entry = queue.shift()) {
    const [cells, distance] = entry;
    const number = rank(labels, cells);
    if (bytes[number] !== 255) continue;
    bytes[number] = distance;
    for (const move of legalMoves(board, cells)) queue.push([play(cells, move), distance + 1]);
  }
  const table = new Table(board, labels, bytes);

  it("leads to the goal on a shortest way", () => {
    const start: Cells = [null, null, "a", "b"];
    expect(table.distance(start)).toBe(2);
    let cells = start;
    const moves = table.solution(start);
    for (const move of moves) cells = play(cells, move);
    expect(moves).toHaveLength(2);
    expect(cells).toEqual(goal);
  });

  it("counts every position once", () => {
    expect(table.counts().reduce((sum, count) => sum + count, 0)).toBe(
      bytes.filter((byte) => byte !== 255).length,
    );
  });

  it("draws positions at a distance, and none where there are none", () => {
    for (const place of [0, 0.5, 0.999]) {
      const drawn = table.draw(2, () => place);
      expect(drawn && table.distance(drawn)).toBe(2);
    }
    expect(table.draw(99, () => 0)).toBeNull();
  });
});
