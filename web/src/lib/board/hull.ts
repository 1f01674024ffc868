// The convex hull of points, and outlines around it.

import type { Point } from "./layout";

/** The convex hull of points, in order. */
export function hull(points: Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const turn = (o: Point, a: Point, b: Point): number =>
    (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
  const half = (list: Point[]): Point[] => {
    const chain: Point[] = [];
    for (const point of list) {
      while (chain.length > 1 && turn(chain[chain.length - 2], chain[chain.length - 1], point) <= 0)
        chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  if (sorted.length < 3) return sorted;
  return [...half(sorted), ...half(sorted.reverse())];
}

/** How far a point is from a segment. */
export function toSegment(point: Point, a: Point, b: Point): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const along = ((point.x - a.x) * dx + (point.y - a.y) * dy) / Math.max(dx * dx + dy * dy, 1e-12);
  const t = Math.max(0, Math.min(1, along));
  return Math.hypot(point.x - a.x - t * dx, point.y - a.y - t * dy);
}

/** How far a point is from the convex hull of others; 0 inside it. */
export function toHull(point: Point, others: Point[]): number {
  const around = hull(others);
  const sides = around.map((a, i) => [a, around[(i + 1) % around.length]]);
  const inside =
    around.length > 2 &&
    sides.every(([a, b]) => (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x) >= 0);
  return inside ? 0 : Math.min(...sides.map(([a, b]) => toSegment(point, a, b)));
}

/** A path around points, everywhere as far from their hull as `radius`. */
export function outline(points: Point[], radius: number): string {
  const around = hull(points);
  const corner = (from: Point, by: Point): string => `${(from.x + by.x).toFixed(1)} ${(from.y + by.y).toFixed(1)}`;
  const arc = `A${radius} ${radius} 0 0 1 `;
  if (around.length === 1) {
    const [left, right] = [corner(around[0], { x: -radius, y: 0 }), corner(around[0], { x: radius, y: 0 })];
    return `M${left}${arc}${right}${arc}${left}Z`;
  }
  const sides = around.map((a, i) => {
    const b = around[(i + 1) % around.length];
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    const out = { x: ((b.y - a.y) * radius) / length, y: ((a.x - b.x) * radius) / length };
    return { begin: corner(a, out), end: corner(b, out) };
  });
  return `M${sides[sides.length - 1].end}${sides.map(({ begin, end }) => `${arc}${begin}L${end}`).join("")}Z`;
}
