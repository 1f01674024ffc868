// Where the vertices of a graph are drawn, and of a board that is given by its faces.

import type { Board } from "../types";
import { toHull, toSegment } from "./hull";
import { usual } from "./usual";
import type { Point } from "./layout";

type Pair = [number, number];

/** Random numbers that are the same every time (Numerical Recipes, chapter 7). */
function randomNumbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The distances in a graph; what cannot be reached is a little farther than all the rest. */
function distancesOf(n: number, neighbours: number[][]): number[][] {
  const distances = Array.from({ length: n }, (_, start) => {
    const found = Array<number>(n).fill(Infinity);
    found[start] = 0;
    const queue = [start];
    for (const v of queue)
      for (const w of neighbours[v])
        if (found[w] === Infinity) {
          found[w] = found[v] + 1;
          queue.push(w);
        }
    return found;
  });
  const most = Math.max(1, ...distances.flat().filter(Number.isFinite));
  return distances.map((row) => row.map((one) => (one === Infinity ? most + 1 : one)));
}

/**
 * Moves points until their distances are about those in the graph: stress majorisation (Gansner, Koren and
 * North, Graph drawing by stress majorization, 2004).
 */
function relax(points: Point[], distances: number[][], rounds: number): Point[] {
  let places = points;
  for (let round = 0; round < rounds; round++)
    places = places.map((here, v) => {
      let [x, y, weights] = [0, 0, 0];
      places.forEach((there, w) => {
        if (v === w) return;
        const wanted = distances[v][w];
        const weight = 1 / (wanted * wanted);
        const [dx, dy] = [here.x - there.x, here.y - there.y];
        const away = wanted / Math.max(Math.sqrt(dx * dx + dy * dy), 1e-6);
        x += weight * (there.x + dx * away);
        y += weight * (there.y + dy * away);
        weights += weight;
      });
      return weights ? { x: x / weights, y: y / weights } : here;
    });
  return places;
}

/** Cycles of a graph, short ones first: those of its first vertices in their order, and others. */
function cyclesOf(n: number, neighbours: number[][]): number[][] {
  const joined = neighbours.map((list) => new Set(list));
  const cycles: number[][] = [];
  for (let length = 3; length <= n; length++) {
    const first = Array.from({ length }, (_, v) => v);
    if (first.every((v) => joined[v].has((v + 1) % length))) cycles.push(first);
  }
  /** The steps that may still be taken to find others. */
  let left = 20_000;
  const grow = (path: number[], length: number): void => {
    for (const next of neighbours[path[path.length - 1]]) {
      if (left-- < 0) return;
      if (next < path[0] || path.includes(next)) continue;
      const longer = [...path, next];
      if (longer.length < length) grow(longer, length);
      // Each cycle is found in one of its two directions.
      else if (joined[next].has(path[0]) && longer[1] < next) cycles.push(longer);
    }
  };
  for (let length = 3; length <= n && left > 0; length++)
    for (let v = 0; v < n && left > 0; v++) grow([v], length);
  return cycles;
}

/**
 * A cycle as a regular polygon and the other vertices on rings inside it, each in the direction of its
 * neighbours on the rings before.
 */
function onRings(n: number, neighbours: number[][], cycle: number[]): Point[] | null {
  const { length } = cycle;
  const turn = -Math.PI / 2 + (length % 2 ? 0 : Math.PI / length);
  const places: Point[] = Array.from({ length: n });
  const rings = [cycle];
  cycle.forEach((v, i) => {
    const angle = turn + (2 * Math.PI * i) / length;
    places[v] = { x: Math.cos(angle), y: Math.sin(angle) };
  });
  const seen = new Set(cycle);
  while (seen.size < n) {
    const ring = [...new Set(rings[rings.length - 1].flatMap((v) => neighbours[v]))].filter((v) => !seen.has(v));
    if (!ring.length) return null;
    for (const v of ring) seen.add(v);
    rings.push(ring);
  }
  const last = rings[rings.length - 1].length === 1 ? rings.length - 1 : rings.length;
  // The first ring is well inside the polygon, and a last vertex alone in the middle.
  const radiusOf = (ring: number): number => Math.cos(Math.PI / length) * (1 - (ring - 0.4) / (last - 0.4));
  rings.slice(1).forEach((ring, i) => {
    const before = new Set(rings[i]);
    const radius = radiusOf(i + 1);
    for (const v of ring) {
      let [x, y] = [0, 0];
      for (const w of neighbours[v]) if (before.has(w)) [x, y] = [x + places[w].x, y + places[w].y];
      const far = Math.hypot(x, y);
      places[v] = far > 1e-6 ? { x: (x / far) * radius, y: (y / far) * radius } : { x: 0, y: 0 };
    }
  });
  return places;
}

/** By how many turns, a whole one included, a picture around the origin comes to lie on itself. */
function turnsOf(places: Point[], neighbours: number[][], most: number): number {
  for (let order = most; order > 1; order--) {
    if (most % order) continue;
    const [cos, sin] = [Math.cos((2 * Math.PI) / order), Math.sin((2 * Math.PI) / order)];
    const image = places.map(({ x, y }) => {
      const to = { x: x * cos - y * sin, y: x * sin + y * cos };
      return places.findIndex((other) => Math.hypot(other.x - to.x, other.y - to.y) < 1e-3);
    });
    if (image.includes(-1)) continue;
    if (neighbours.every((list, v) => list.every((w) => neighbours[image[v]].includes(image[w])))) return order;
  }
  return 1;
}

/** How many pairs of edges cross. */
function crossingsOf(places: Point[], edges: Pair[]): number {
  const side = (a: number, b: number, c: number): number =>
    (places[b].x - places[a].x) * (places[c].y - places[a].y) -
    (places[b].y - places[a].y) * (places[c].x - places[a].x);
  let count = 0;
  edges.forEach(([a, b], i) => {
    for (const [c, d] of edges.slice(i + 1)) {
      if (a === c || a === d || b === c || b === d) continue;
      if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) count += 1;
    }
  });
  return count;
}

/** How near two vertices are to each other, and a vertex to an edge or a face that is not its own. */
function roomOf(places: Point[], edges: Pair[], faces: number[][]): { vertices: number; others: number } {
  let [vertices, others] = [Infinity, Infinity];
  places.forEach((point, v) => {
    for (const other of places.slice(v + 1))
      vertices = Math.min(vertices, Math.hypot(point.x - other.x, point.y - other.y));
    for (const [a, b] of edges)
      if (a !== v && b !== v) others = Math.min(others, toSegment(point, places[a], places[b]));
    for (const face of faces)
      if (!face.includes(v)) others = Math.min(others, toHull(point, face.map((w) => places[w])));
  });
  return { vertices, others };
}

/** How many times as long as the shortest edge the longest is. */
function unevenness(places: Point[], pairs: Pair[]): number {
  const lengths = pairs.map(([a, b]) => Math.hypot(places[a].x - places[b].x, places[a].y - places[b].y));
  return lengths.length ? Math.max(...lengths) / Math.max(Math.min(...lengths), 1e-6) : 1;
}

/** The points with the larger of their width and height being 1. */
function toUnit(points: Point[]): Point[] {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const extent = Math.max(Math.max(...xs) - left, Math.max(...ys) - top, 1e-6);
  return points.map(({ x, y }) => ({ x: (x - left) / extent, y: (y - top) / extent }));
}

/** Turns a picture so that as many edges as possible are level or upright, and it is wide rather than high. */
function upright(places: Point[], pairs: Pair[]): Point[] {
  let best = { places, cost: Infinity };
  for (const [a, b] of pairs) {
    const angle = Math.atan2(places[b].y - places[a].y, places[b].x - places[a].x);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const turned = places.map(({ x, y }) => ({ x: x * cos + y * sin, y: y * cos - x * sin }));
    const slanted = pairs.filter(([c, d]) => {
      const [dx, dy] = [Math.abs(turned[c].x - turned[d].x), Math.abs(turned[c].y - turned[d].y)];
      return Math.min(dx, dy) > 0.05 * Math.max(dx, dy);
    }).length;
    const spread = (of: number[]): number => Math.max(...of) - Math.min(...of);
    const height = spread(turned.map(({ y }) => y)) / Math.max(spread(turned.map(({ x }) => x)), 1e-6);
    const cost = slanted + Math.min(height, 10) / 100;
    if (cost < best.cost - 1e-6) best = { places: turned, cost };
  }
  return best.places;
}

/** How near two vertices may be, in widths of the picture. */
const NEAR = 0.045;

export interface Placed {
  /** The larger of their width and height is 1. */
  places: Point[];
  /** How far apart two vertices are at least. */
  apart: number;
  /** How far a vertex is at least from an edge or face that is not its own. */
  clear: number;
}

/** What was placed before: a board is often shown in two sizes. */
const placed = new WeakMap<Board, Placed>();

/** Places the vertices of a graph, or of faces without edges, the same every time. */
export function place(board: Board): Placed {
  const found = placed.get(board) ?? bestOf(board);
  placed.set(board, found);
  return found;
}

/**
 * The usual picture of a graph that is known by name. For others, of pictures on rings and of those with about the
 * right distances, the one with the fewest crossings, of which those that turns bring onto each other count once.
 */
function bestOf(board: Board): Placed {
  const n = board.vertices;
  const edges = board.edges ?? [];
  const faces = board.edges ? [] : board.faces;
  const known = usual(board);
  if (known) {
    const places = toUnit(known);
    const { vertices, others } = roomOf(places, edges, faces);
    return { places, apart: vertices, clear: others };
  }
  // The vertices of a face hold together as if all of them were neighbours.
  const pairs = board.edges
    ? edges
    : faces.flatMap((face) => face.flatMap((a, i) => face.slice(i + 1).map((b): Pair => [a, b])));
  const neighbours = Array.from({ length: n }, () => new Set<number>());
  for (const [a, b] of pairs) {
    neighbours[a].add(b);
    neighbours[b].add(a);
  }
  const lists = neighbours.map((set) => [...set].sort((a, b) => a - b));
  const distances = distancesOf(n, lists);

  let least: Placed & { cost: number } = { places: [], apart: 0, clear: 0, cost: Infinity };
  const consider = (points: Point[], turns: number): void => {
    const places = toUnit(points);
    const { vertices, others } = roomOf(places, edges, faces);
    const cost =
      crossingsOf(places, edges) / turns -
      // Symmetry is worth a crossing.
      (turns > 2 ? 1 : 0) +
      (vertices < NEAR ? 1000 : 0) +
      (others < 0.4 * Math.min(vertices, 0.12) ? 20 : 0) +
      // Of pictures without crossings those are good whose tokens are large and whose edges are alike.
      0.02 / Math.max(vertices, 0.001) +
      0.1 * unevenness(places, pairs);
    if (cost < least.cost - 1e-9) least = { places, apart: vertices, clear: others, cost };
  };

  const rings = board.edges
    ? cyclesOf(n, lists).flatMap((cycle) => {
        const places = onRings(n, lists, cycle);
        return places ? [{ places, turns: turnsOf(places, lists, cycle.length) }] : [];
      })
    : [];
  for (const { places, turns } of rings) if (turns > 1) consider(places, turns);
  // Only symmetry makes it so small; no other picture is better.
  if (least.cost < 0) return least;
  const random = randomNumbers();
  const circle = Array.from({ length: n }, (_, i) => {
    const angle = -Math.PI / 2 + (i * 2 * Math.PI) / n;
    return { x: Math.cos(angle), y: Math.sin(angle) };
  });
  // Nothing is on anything else on a circle, whatever becomes of the others.
  consider(circle, 1);
  const [starts, rounds] = n > 40 ? [6, 120] : n > 20 ? [16, 200] : [32, 300];
  for (let start = 0; start < starts; start++) {
    const [ring] = rings.splice(Math.floor(random() * rings.length), 1);
    const anywhere = circle.map(() => ({ x: random() * 2 - 1, y: random() * 2 - 1 }));
    const from = start === 0 ? circle : start % 2 && ring ? ring.places : anywhere;
    consider(upright(relax(from, distances, rounds), pairs), 1);
  }
  return least;
}
