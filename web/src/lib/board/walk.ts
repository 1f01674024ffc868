// Where the arrow keys lead the focus.

import type { Layout } from "./layout";

/** The direction of an arrow key, right and down. */
export const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** How far aside a vertex may lie in proportion to how far it lies in the direction of the key. Where there is
 * none, any vertex on that side will do: otherwise some could not be reached. */
const ASIDE = [1, Infinity];

/** The vertex next to one in a direction: the next of its row or column, or the nearest that way. */
export function neighbour({ rows, wraps, points }: Layout, vertex: number, [dx, dy]: [number, number]): number {
  if (rows) {
    const row = rows.findIndex((line) => line.includes(vertex));
    const column = rows[row].indexOf(vertex);
    const [r, c] = [row + dy, column + dx];
    if (!wraps) return rows[r]?.[c] ?? vertex;
    const line = rows[(r + rows.length) % rows.length];
    return line[(c + line.length) % line.length];
  }
  const here = points[vertex];
  let best = vertex;
  let least = Infinity;
  for (const widest of ASIDE) {
    points.forEach((point, v) => {
      const along = (point.x - here.x) * dx + (point.y - here.y) * dy;
      const aside = Math.abs((point.x - here.x) * dy) + Math.abs((point.y - here.y) * dx);
      if (v === vertex || along < 1 || aside > along * widest) return;
      if (along + 2 * aside < least) [least, best] = [along + 2 * aside, v];
    });
    if (best !== vertex) break;
  }
  return best;
}
