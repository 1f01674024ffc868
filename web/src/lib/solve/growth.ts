// The layout of the picture of a growing search: across the distance from the start, g; down the
// estimate of what is left, h; the colour is their sum f. Searches that have no estimate are spread
// over the whole height.

import type { Cells, Expansion } from "../types";
import { stateKey } from "./sample";

export interface Extent {
  /** The columns are g = 0 to `columns` - 1. */
  columns: number;
  /** The rows are h = 0 to `rows` - 1; 1 when nothing has an estimate. */
  rows: number;
  leastF: number;
  mostF: number;
  /** Where states reached from the goal are at home: their column is `total` - g. */
  total: number;
}

/** How much room all given searches need, so that several pictures can share one scale. */
export function extentOf(expansions: Expansion[], length: number | null): Extent {
  let g = length ?? 0;
  let backward = 0;
  let h = 0;
  let leastF = Infinity;
  let mostF = 0;
  for (const expansion of expansions) {
    if (expansion.end === "goal") backward = Math.max(backward, expansion.g);
    else g = Math.max(g, expansion.g);
    h = Math.max(h, expansion.h ?? 0);
    const f = expansion.g + (expansion.h ?? 0);
    leastF = Math.min(leastF, f);
    mostF = Math.max(mostF, f);
  }
  const total = length ?? g + backward;
  return {
    columns: Math.max(g, total, backward) + 1,
    rows: h + 1,
    leastF: leastF === Infinity ? 0 : leastF,
    mostF: Math.max(mostF, 1),
    total,
  };
}

/** The extent of a search that is drawn next to another one: on the same scale where both have
 * estimates, and otherwise with the same columns. */
export function besides(own: Extent, other: Extent): Extent {
  const columns = Math.max(own.columns, other.columns);
  if (own.rows === 1 || other.rows === 1) return { ...own, columns };
  return {
    ...own,
    columns,
    rows: Math.max(own.rows, other.rows),
    leastF: Math.min(own.leastF, other.leastF),
    mostF: Math.max(own.mostF, other.mostF),
  };
}

/** Where a state is inside its cell, both from 0 to 1. The points of successive numbers fill the
 * cell evenly and are the same every time (the additive recurrence of M. Roberts, R2). */
export function jitter(n: number): [number, number] {
  return [(0.5 + 0.7548776662466927 * n) % 1, (0.5 + 0.5698402909980532 * n) % 1];
}

/** The same for a narrow and tall cell, in which the points of the recurrence would form lines: across
 * they lie at random, by a hash of the number. */
export function scattered(n: number): [number, number] {
  let hash = Math.imul(n + 1, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca77);
  return [((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32, jitter(n)[1]];
}

export function columnOf(expansion: Expansion, extent: Extent): number {
  return expansion.end === "goal" ? Math.max(0, extent.total - expansion.g) : expansion.g;
}

/** The place of each dot as shares of the width and the height: [x0, y0, x1, y1, ...]. */
export function layout(expansions: Expansion[], extent: Extent): Float32Array {
  const places = new Float32Array(expansions.length * 2);
  const inCell = new Map<number, number>();
  expansions.forEach((expansion, index) => {
    const column = columnOf(expansion, extent);
    const row = extent.rows === 1 ? 0 : (expansion.h ?? 0);
    const cell = column * extent.rows + row;
    const n = inCell.get(cell) ?? 0;
    inCell.set(cell, n + 1);
    // Each cell begins elsewhere in the sequence, so that no pattern runs across them.
    const from = n + ((cell * 7919) % 1009);
    const [x, y] = extent.rows === 1 ? scattered(from) : jitter(from);
    places[2 * index] = (column + 0.05 + 0.9 * x) / extent.columns;
    // The states that seem closest to the goal are at the bottom.
    places[2 * index + 1] = 1 - (row + 0.05 + 0.9 * y) / extent.rows;
  });
  return places;
}

/** The dot nearest to a point, given in shares like the places, at most `reach` pixels away;
 * -1 when there is none. */
export function nearest(
  places: Float32Array,
  count: number,
  x: number,
  y: number,
  width: number,
  height: number,
  reach = 24,
): number {
  let best = -1;
  let least = reach * reach;
  for (let index = 0; index < count; index++) {
    const dx = (places[2 * index] - x) * width;
    const dy = (places[2 * index + 1] - y) * height;
    const distance = dx * dx + dy * dy;
    if (distance <= least) {
      least = distance;
      best = index;
    }
  }
  return best;
}

/** The share of the colour scale of f, 0 for the least and 1 for the greatest. */
export function shade(f: number, extent: Extent): number {
  const span = extent.mostF - extent.leastF;
  return span <= 0 ? 0 : (f - extent.leastF) / span;
}

/** Numbers for an axis of the given count, at most about `most` of them, evenly spaced. */
export function ticks(count: number, most: number): number[] {
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
  const step = steps.find((s) => count / s <= most) ?? 2000;
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step);
}

/** Where the states of a solution are drawn: on their dots, and those that have no dot in the middle
 * of their cells, with estimates that lie evenly between those that are known. Without any estimate
 * the height means nothing, and the line is straight. */
export function pathPlaces(
  positions: Cells[],
  expansions: Expansion[],
  places: Float32Array,
  extent: Extent,
): [number, number][] {
  const dots = new Map<string, number>();
  const estimates = new Map<string, number | null>();
  expansions.forEach((expansion, index) => {
    const key = stateKey(expansion.cells);
    estimates.set(key, expansion.h);
    // Another search, or a way that is not shortest, may have come to the same state elsewhere.
    dots.set(`${columnOf(expansion, extent)} ${key}`, index);
  });
  const last = positions.length - 1;
  const rows = positions.map((cells, g) =>
    g === last ? 0 : (estimates.get(stateKey(cells)) ?? null),
  );
  return positions.map((cells, g) => {
    if (extent.rows === 1) return [(g + 0.5) / extent.columns, 0.5];
    const index = dots.get(`${g} ${stateKey(cells)}`);
    if (index !== undefined) return [places[2 * index], places[2 * index + 1]];
    return [(g + 0.5) / extent.columns, 1 - (between(rows, g) + 0.5) / extent.rows];
  });
}

/** The known value at an index, or one that lies evenly between the known values around it. */
function between(values: (number | null)[], at: number): number {
  let before = at;
  while (before > 0 && values[before] === null) before--;
  let after = at;
  while (after < values.length - 1 && values[after] === null) after++;
  const [low, high] = [values[before] ?? values[after] ?? 0, values[after] ?? 0];
  return after === before ? low : low + ((high - low) * (at - before)) / (after - before);
}

/** The colours of f from the least to the greatest, on a light and on a dark ground. */
const SCALES = {
  light: ["#33449c", "#0a7f86", "#7d8b1f", "#cf6a17"],
  dark: ["#93a5ff", "#4fc3c9", "#cfd063", "#ff9d57"],
};

/** The colour at a share of the scale of f. */
export function colour(share: number, ground: "light" | "dark"): string {
  const scale = SCALES[ground];
  const place = Math.max(0, Math.min(1, share)) * (scale.length - 1);
  const index = Math.min(Math.floor(place), scale.length - 2);
  const [from, to] = [channels(scale[index]), channels(scale[index + 1])];
  const mixed = from.map((value, i) => Math.round(value + (to[i] - value) * (place - index)));
  return `rgb(${mixed.join(" ")})`;
}

const channels = (hex: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
