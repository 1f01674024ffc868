import { describe, expect, test } from "vitest";
import { hull } from "../../src/lib/board/hull";
import { faceOutline, layoutOf, viewsOf } from "../../src/lib/board/layout";
import { balanced, petrie, project, turnAxes, turnRows, type Rotation } from "../../src/lib/board/projection";
import { neighbour, STEPS } from "../../src/lib/board/walk";
import type { Board } from "../../src/lib/types";
import { cube, grid } from "./boards";

const product = (a: number[], b: number[]): number => a.reduce((sum, x, i) => sum + x * b[i], 0);

function expectRotation(rotation: Rotation): void {
  rotation.forEach((row, i) =>
    rotation.forEach((other, j) => expect(product(row, other)).toBeCloseTo(i === j ? 1 : 0, 9)),
  );
}

const nearest = (points: { x: number; y: number }[]): number =>
  Math.min(
    ...points.flatMap((a, i) => points.slice(i + 1).map((b) => Math.hypot(a.x - b.x, a.y - b.y))),
  );

describe("rotations", () => {
  test.each([3, 4, 5, 6])("the resting view in dimension %i is one", (d) => {
    expect(balanced(d).length).toBe(d);
    expectRotation(balanced(d));
  });

  test("turning keeps them rotations, and four quarters are the whole", () => {
    let rotation = turnRows(balanced(4), 0, 3, 0.3);
    expectRotation(rotation);
    const before = rotation;
    for (let i = 0; i < 4; i++) rotation = turnAxes(rotation, 1, 3, Math.PI / 2);
    rotation.forEach((row, i) => row.forEach((x, j) => expect(x).toBeCloseTo(before[i][j], 9)));
  });

  test("the Petrie view keeps all vertices of the tesseract apart", () => {
    expectRotation(petrie());
    const points = Array.from({ length: 16 }, (_, v) => project(petrie(), v));
    expect(nearest(points.map(([x, y]) => ({ x, y })))).toBeGreaterThan(0.2);
  });
});

describe("layouts", () => {
  const boards: [string, Board][] = [
    ...[1, 2, 3, 4, 5, 6].map((d): [string, Board] => [`cube ${d}`, cube(d, Math.min(2, d))]),
    ["grid 2x2", grid(2, 2)],
    ["grid 8x8", grid(8, 8)],
    ["graph", { ...cube(3, 1), family: "graph", board: "graph:8", dimension: undefined }],
    ["faces without edges", { ...cube(3, 2), family: "faces", board: "faces:8", edges: null }],
  ];

  test.each(boards)("%s: every token has room and is inside the picture", (_, board) => {
    for (const view of viewsOf(board))
      for (const mini of [false, true]) {
        const layout = layoutOf(board, view, mini, balanced(board.dimension ?? 0));
        expect(layout.points.length).toBe(board.vertices);
        if (view !== "projection" || board.dimension === 3 || board.dimension === 4)
          expect(nearest(layout.points)).toBeGreaterThan(layout.radius * 2);
        for (const { x, y } of layout.points) {
          expect(x).toBeGreaterThan(layout.radius * 0.9);
          expect(y).toBeGreaterThan(layout.radius * 0.9);
          expect(x).toBeLessThan(layout.width - layout.radius * 0.9);
          expect(y).toBeLessThan(layout.height - layout.radius * 0.9);
        }
      }
  });

  test.each(boards)("%s: the arrow keys lead to every vertex", (_, board) => {
    const rotations = board.dimension === 4 ? [balanced(4), petrie()] : [balanced(board.dimension ?? 0)];
    for (const view of viewsOf(board))
      for (const rotation of rotations) {
        const layout = layoutOf(board, view, false, rotation);
        const reached = new Set([0]);
        for (const vertex of reached)
          for (const step of Object.values(STEPS)) reached.add(neighbour(layout, vertex, step));
        expect(reached.size).toBe(board.vertices);
      }
  });

  test("edges of the flat tesseract join neighbouring tiles, with wrap", () => {
    const board = cube(4, 2);
    const { points } = layoutOf(board, "flat", true, []);
    const side = Math.min(...(board.edges ?? []).map(([a, b]) => Math.hypot(points[a].x - points[b].x, points[a].y - points[b].y)));
    for (const [a, b] of board.edges ?? []) {
      const [dx, dy] = [points[a].x - points[b].x, points[a].y - points[b].y].map((x) => Math.abs(x) / side);
      expect([dx, dy].sort()).toEqual([0, expect.toSatisfy((x: number) => x === 1 || x === 3)]);
    }
  });

  test("the outline of a face has a part for each slice", () => {
    const layout = layoutOf(cube(4, 2), "slices", false, []);
    expect(faceOutline(layout, [4, 5, 12, 13]).match(/M/g)?.length).toBe(2);
    expect(faceOutline(layout, [4, 5, 6, 7]).match(/M/g)?.length).toBe(1);
  });

  test("a hull leaves out what is inside", () => {
    const square = [
      { x: 0, y: 0 },
      { x: 2, y: 0 },
      { x: 2, y: 2 },
      { x: 0, y: 2 },
    ];
    expect(hull([...square, { x: 1, y: 1 }]).length).toBe(4);
  });
});
