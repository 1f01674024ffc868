import { describe, expect, test } from "vitest";
import { place } from "../../src/lib/board/graph";
import { outline, toHull, toSegment } from "../../src/lib/board/hull";
import { layoutOf } from "../../src/lib/board/layout";
import { graphName } from "../../src/lib/graph-names";
import type { Board } from "../../src/lib/types";

/** A board from its notation. */
function graph(spec: string): Board {
  const [, vertices, list] = spec.split(":");
  const edges = list.split(",").map((edge) => edge.split("-").map(Number) as [number, number]);
  return { board: spec, metric: "face", family: "graph", vertices: Number(vertices), faces: edges, edges };
}

const PETERSEN = "graph:10:0-1,0-4,0-5,1-2,1-6,2-3,2-7,3-4,3-8,4-9,5-7,5-8,6-8,6-9,7-9";
const DODECAHEDRON =
  "graph:20:0-1,0-10,0-19,1-2,1-8,2-3,2-6,3-4,3-19,4-5,4-17,5-6,5-15,6-7,7-8,7-14,8-9,9-10,9-13,10-11,11-12,11-18,12-13,12-16,13-14,14-15,15-16,16-17,17-18,18-19";
const ICOSAHEDRON =
  "graph:12:0-1,0-2,0-3,0-4,0-5,1-2,1-5,1-6,1-7,2-3,2-7,2-8,3-4,3-8,3-9,4-5,4-9,4-10,5-6,5-10,6-7,6-10,6-11,7-8,7-11,8-9,8-11,9-10,9-11,10-11";
const CUBE = "graph:8:0-1,0-2,0-4,1-3,1-5,2-3,2-6,3-7,4-5,4-6,5-7,6-7";
const THETA0 = "graph:7:0-1,0-5,0-6,1-2,2-3,3-4,3-6,4-5";
const FRUCHT = "graph:12:0-1,0-7,0-11,1-2,1-11,2-3,2-10,3-4,3-5,4-5,4-9,5-6,6-7,6-8,7-8,8-9,9-10,10-11";
const PATH = "graph:5:0-1,1-2,2-3,3-4";
const APART = "graph:4:0-1,2-3";

function crossings({ edges }: Board, points: { x: number; y: number }[]): number {
  const side = (a: number, b: number, c: number): number =>
    (points[b].x - points[a].x) * (points[c].y - points[a].y) - (points[b].y - points[a].y) * (points[c].x - points[a].x);
  let count = 0;
  for (const [a, b] of edges ?? [])
    for (const [c, d] of edges ?? [])
      if (new Set([a, b, c, d]).size === 4 && side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0)
        count += 1;
  return count / 2;
}

describe("graphs", () => {
  test.each([
    ["the Petersen graph", PETERSEN, 5],
    ["the dodecahedron", DODECAHEDRON, 0],
    ["the icosahedron", ICOSAHEDRON, 0],
    ["the cube", CUBE, 0],
    ["theta0", THETA0, 0],
    ["a path", PATH, 0],
    ["two parts", APART, 0],
  ])("%s is drawn without needless crossings, and no token lies on another or on an edge", (_, spec, least) => {
    const board = graph(spec);
    const { points, radius } = layoutOf(board, "flat", false, []);
    expect(crossings(board, points)).toBe(least);
    points.forEach((point, v) => {
      for (const other of points.slice(v + 1))
        expect(Math.hypot(point.x - other.x, point.y - other.y)).toBeGreaterThan(2 * radius);
      for (const [a, b] of board.edges ?? [])
        if (a !== v && b !== v) expect(toSegment(point, points[a], points[b])).toBeGreaterThan(radius);
    });
  });

  test("known graphs of many vertices have room between their tokens", () => {
    const all = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
    const joined = (n: number, rule: (a: number, b: number) => boolean): string =>
      `graph:${n}:${all(n).flatMap((a) => all(n).flatMap((b) => (a < b && rule(a, b) ? [`${a}-${b}`] : []))).join()}`;
    const ring = (n: number, step: number, a: number, b: number): boolean => [step, n - step].includes(Math.abs(a - b));
    const leap = (a: number, b: number): number =>
      (Math.floor(b / 10) - Math.floor(a / 10)) * Math.abs((b % 10) - (a % 10));
    // Robertson's construction.
    const hoffmanSingleton = joined(50, (a, b) => {
      const [p, q] = [Math.floor(a / 5), Math.floor(b / 5)];
      if (p === q) return ring(5, p < 5 ? 1 : 2, a % 5, b % 5);
      return p < 5 && q >= 5 && b % 5 === (p * (q - 5) + (a % 5)) % 5;
    });
    for (const [name, spec, least] of [
      ["Hoffman–Singleton graph", hoffmanSingleton, 12],
      ["Wheel with 49 spokes", joined(50, (a, b) => a === 0 || ring(49, 1, a, b)), 9],
      ["Complete bipartite graph of 25 and 25 vertices", joined(50, (a, b) => a < 25 && b >= 25), 9],
      ["Complete bipartite graph of 2 and 48 vertices", joined(50, (a, b) => a < 2 && b >= 2), 9],
      ["Complete graph of 50 vertices", joined(50, () => true), 9],
      ["Path of 50 vertices", joined(50, (a, b) => b === a + 1), 20],
      ["Ladder with 25 rungs", joined(50, (a, b) => b === a + 25 || (b === a + 1 && b !== 25)), 12],
      ["Knight’s moves on 5 × 10 squares", joined(50, (a, b) => leap(a, b) === 2), 15],
    ] as const) {
      const board = graph(spec);
      expect(graphName(spec)).toBe(name);
      const { points, radius } = layoutOf(board, "flat", false, []);
      expect(radius, name).toBeGreaterThanOrEqual(least);
      points.forEach(({ x, y }, v) => {
        for (const other of points.slice(v + 1))
          expect(Math.hypot(x - other.x, y - other.y), name).toBeGreaterThan(2 * radius);
      });
    }
  });

  test("no two vertices are on each other, whatever the graph", () => {
    // Complete bipartite, but numbered in another way than the one that is known by name.
    const edges = [];
    for (let a = 0; a < 50; a += 2) for (let b = 1; b < 50; b += 2) edges.push(`${Math.min(a, b)}-${Math.max(a, b)}`);
    const { points, radius } = layoutOf(graph(`graph:50:${edges.join()}`), "flat", false, []);
    points.forEach(({ x, y }, v) => {
      for (const other of points.slice(v + 1)) expect(Math.hypot(x - other.x, y - other.y)).toBeGreaterThan(2 * radius);
    });
  });

  test("the Petersen graph is a pentagon around a pentagram", () => {
    const { places } = place(graph(PETERSEN));
    const middle = { x: 0, y: 0 };
    for (const { x, y } of places) [middle.x, middle.y] = [middle.x + x / 10, middle.y + y / 10];
    const far = places.map(({ x, y }) => Math.hypot(x - middle.x, y - middle.y).toFixed(3));
    expect(far.filter((one) => one === far[0]).length).toBe(5);
    expect(new Set(far).size).toBe(2);
  });

  test("pictures are the same every time", () => {
    expect(place(graph(FRUCHT)).places).toEqual(place(graph(FRUCHT)).places);
  });
});

describe("faces without edges", () => {
  const faces = (vertices: number, sets: number[][]): Board => ({
    board: `faces:${vertices}:${sets.map((set) => set.join("-")).join(",")}`,
    metric: "face",
    family: "faces",
    vertices,
    faces: sets,
    edges: null,
  });

  test("each is outlined, around its own vertices only", () => {
    const sets = [[0, 1, 2], [2, 3, 4]];
    const { outlines, points, radius } = layoutOf(faces(5, sets), "flat", false, []);
    expect(outlines).toEqual(sets);
    for (const set of sets)
      points.forEach((point, v) => {
        const distance = toHull(point, set.map((w) => points[w]));
        if (set.includes(v)) expect(distance).toBe(0);
        else expect(distance).toBeGreaterThan(radius);
      });
  });

  test("an outline keeps its distance from the hull", () => {
    expect(outline([{ x: 5, y: 5 }], 2)).toBe("M3.0 5.0A2 2 0 0 1 7.0 5.0A2 2 0 0 1 3.0 5.0Z");
    // Above and below a segment.
    expect(outline([{ x: 0, y: 0 }, { x: 10, y: 0 }], 3)).toMatch(/0\.0 -3\.0L10\.0 -3\.0.*10\.0 3\.0L0\.0 3\.0/);
  });
});
