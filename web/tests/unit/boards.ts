// Boards for tests, made here so that the tests need no server.

import type { Board } from "../../src/lib/types";

const bits = (n: number): number => n.toString(2).replaceAll("0", "").length;

function facesOf(d: number, k: number): number[][] {
  const faces: number[][] = [];
  for (let mask = 0; mask < 1 << d; mask++)
    for (let base = 0; bits(mask) === k && base < 1 << d; base++) {
      if (base & mask) continue;
      faces.push(Array.from({ length: 1 << d }, (_, v) => v).filter((v) => (v & ~mask) === base));
    }
  return faces;
}

export const cube = (dimension: number, k: number): Board => ({
  board: `cube:${dimension}:${k}`,
  metric: "face",
  family: "cube",
  dimension,
  k,
  vertices: 1 << dimension,
  faces: facesOf(dimension, k),
  edges: facesOf(dimension, 1) as [number, number][],
});

/** A grid, or a board of rows that lead round. */
export function grid(rows: number, columns: number, family: "grid" | "cylinder" | "torus" = "grid"): Board {
  const edges: [number, number][] = [];
  for (let v = 0; v < rows * columns; v++) {
    if ((v + 1) % columns) edges.push([v, v + 1]);
    else if (family !== "grid") edges.push([v, v + 1 - columns]);
    if (v + columns < rows * columns) edges.push([v, v + columns]);
    else if (family === "torus") edges.push([v, v % columns]);
  }
  return {
    board: `${family}:${rows}:${columns}`,
    metric: "face",
    family,
    rows,
    columns,
    vertices: rows * columns,
    faces: edges,
    edges,
  };
}
