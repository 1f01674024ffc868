// The usual pictures of graphs that are known by name, which are not those with the fewest crossings.

import { graphOf } from "../graph-names";
import type { Board } from "../types";
import type { Point } from "./layout";

/** The longest row that is drawn in a line: in longer ones tokens would be tiny. */
const MOST_IN_LINE = 9;

const points = (count: number, place: (i: number) => Point): Point[] => Array.from({ length: count }, (_, i) => place(i));

/** A regular polygon around the origin, or, with less than one turn, the beginning of one. */
const ring = (count: number, radius: number, start = -0.25, turns = 1, steps = count): Point[] =>
  points(count, (i) => {
    const angle = 2 * Math.PI * (start + (turns * i) / steps);
    return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
  });

const line = (count: number, width: number, y: number): Point[] =>
  points(count, (i) => ({ x: count > 1 ? width * (i / (count - 1) - 0.5) : 0, y }));

const lattice = (rows: number, columns: number): Point[] =>
  points(rows * columns, (i) => ({ x: i % columns, y: Math.floor(i / columns) }));

/** A path to and fro, so that it fills a square. */
function meander(count: number): Point[] {
  const columns = Math.ceil(Math.sqrt(count));
  return points(count, (i) => {
    const [row, at] = [Math.floor(i / columns), i % columns];
    return { x: row % 2 ? columns - 1 - at : at, y: row };
  });
}

function bipartite(first: number, second: number): Point[] {
  const [few, many] = [Math.min(first, second), Math.max(first, second)];
  if (many <= MOST_IN_LINE)
    return [...line(first, first === many ? 1 : 0.7, 0), ...line(second, second === many ? 1 : 0.7, 0.6)];
  const inner = ring(few, few > MOST_IN_LINE ? 0.66 : 0.42, -0.25 + 0.5 / many);
  return first === many ? [...ring(first, 1), ...inner] : [...inner, ...ring(second, 1)];
}

/** Two rows, bent to rings that do not close where they are long. */
function ladder(rungs: number): Point[] {
  if (rungs <= MOST_IN_LINE) return [...line(rungs, rungs - 1, 0), ...line(rungs, rungs - 1, 1)];
  const row = (radius: number): Point[] => ring(rungs, radius, 0.29, 0.92, rungs - 1);
  return [...row(1), ...row(0.74)];
}

/** The two longest paths as a polygon, and the third straight across. */
function theta(paths: number[]): Point[] | null {
  // Short ones have larger tokens otherwise.
  if (paths[0] + paths[1] + paths[2] <= 12) return null;
  const [a, b, across] = [0, 1, 2].sort((i, j) => paths[j] - paths[i]);
  const around = ring(paths[a] + paths[b] + 2, 1, 0.5);
  const [from, to] = [around[0], around[paths[a] + 1]];
  const drawn: Point[][] = [];
  drawn[a] = around.slice(1, paths[a] + 1);
  drawn[b] = around.slice(paths[a] + 2).reverse();
  drawn[across] = points(paths[across], (i) => {
    const part = (i + 1) / (paths[across] + 1);
    return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
  });
  return [from, to, ...drawn.flat()];
}

/** Five pentagons around five pentagrams, so that all vertices are about as far apart. */
function hoffmanSingleton(): Point[] {
  const around = (radius: number, start: number): Point[] =>
    ring(5, radius, start).flatMap((centre, part) =>
      ring(5, 0.22, start + part / 5 + 0.1).map(({ x, y }) => ({ x: centre.x + x, y: centre.y + y })),
    );
  return [...around(1, -0.25), ...around(0.6, -0.15)];
}

/** The usual picture of a board, if it is a graph that has one. */
export function usual(board: Board): Point[] | null {
  const known = board.family === "graph" ? graphOf(board.board) : null;
  if (!known) return null;
  const [first, second] = known.numbers;
  switch (known.name) {
    case "hoffman-singleton":
      return hoffmanSingleton();
    case "complete":
      return ring(first, 1);
    case "complete-bipartite":
      return bipartite(first, second);
    case "wheel":
      return [{ x: 0, y: 0 }, ...ring(first, 1)];
    case "path":
      return first <= MOST_IN_LINE ? line(first, first - 1, 0) : meander(first);
    case "ladder":
      return ladder(first);
    case "theta":
      return theta(known.numbers);
    case "knight":
    case "king":
      return lattice(first, second);
    default:
      return null;
  }
}
