// The argument of parity on a grid with one empty vertex, for the numbers of one puzzle.

type Cells = (string | null)[];

export interface Parity {
  /** How many swaps of two entries turn the start into the goal, the empty vertex counted as one. */
  swaps: number;
  /** The number of steps from the empty vertex of the start to that of the goal. */
  steps: number;
  /** Whether the two agree, which every sequence of moves needs. */
  agrees: boolean;
}

/** How many swaps of two entries turn `start` into `goal`, the empty vertex counted as an entry. */
export function transpositions(start: Cells, goal: Cells): number {
  const from = goal.map((label) => start.indexOf(label));
  if (from.includes(-1)) throw new RangeError("The start and the goal have different tokens.");
  const seen = new Set<number>();
  let swaps = 0;
  for (let first = 0; first < from.length; first++) {
    for (let at = first; !seen.has(at); at = from[at]) {
      seen.add(at);
      if (from[at] !== first) swaps++;
    }
  }
  return swaps;
}

/** Null when the argument does not apply: no grid, several empty vertices, or a goal that leaves
 * something open. */
export function parity(start: Cells, goal: Cells, columns: number | undefined): Parity | null {
  const wanted = goal.map((label) => (label === "0" ? null : label));
  const empties = (cells: Cells) => cells.filter((label) => label === null).length;
  if (!columns || empties(start) !== 1 || empties(wanted) !== 1) return null;
  if (new Set(start).size !== start.length || wanted.some((label) => !start.includes(label))) {
    return null;
  }
  const [a, b] = [start.indexOf(null), wanted.indexOf(null)];
  const steps =
    Math.abs(Math.floor(a / columns) - Math.floor(b / columns)) +
    Math.abs((a % columns) - (b % columns));
  const swaps = transpositions(start, wanted);
  return { swaps, steps, agrees: swaps % 2 === steps % 2 };
}
