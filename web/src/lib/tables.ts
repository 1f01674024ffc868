// Exact distances on a static copy: a byte for each way to place the tokens of a puzzle, in the order
// that crates/server/src/site.rs writes.

import { legalMoves, play } from "./rule";
import type { Board, Cells, Move } from "./types";

/** What a table has for a position from which the goal cannot be reached. */
const UNREACHABLE = 255;

/**
 * The number of a position: the first token, in the order of the labels, has the number of its vertex,
 * each later one the number of its vertex among those that the earlier ones leave free, and the first
 * is the most significant.
 */
export function rank(labels: string[], cells: Cells): number {
  const taken: number[] = [];
  let number = 0;
  for (const label of labels) {
    const vertex = cells.indexOf(label);
    const digit = vertex - taken.filter((other) => other < vertex).length;
    number = number * (cells.length - taken.length) + digit;
    taken.push(vertex);
  }
  return number;
}

/** The position with a number. */
export function unrank(labels: string[], vertices: number, number: number): Cells {
  const digits: number[] = [];
  for (let token = labels.length - 1; token >= 0; token--) {
    digits.push(number % (vertices - token));
    number = Math.floor(number / (vertices - token));
  }
  const cells: Cells = Array<string | null>(vertices).fill(null);
  const free = cells.map((_, vertex) => vertex);
  for (const label of labels) {
    const [vertex] = free.splice(digits.pop() as number, 1);
    cells[vertex] = label;
  }
  return cells;
}

export class Table {
  constructor(
    readonly board: Board,
    readonly labels: string[],
    readonly bytes: Uint8Array,
  ) {}

  /** The number of moves to the goal; null when it cannot be reached. */
  distance(cells: Cells): number | null {
    const byte = this.bytes[rank(this.labels, cells)];
    return byte === UNREACHABLE ? null : byte;
  }

  /** All moves that lead nearer to the goal. */
  nearer(cells: Cells): Move[] {
    const distance = this.distance(cells);
    if (distance === null) return [];
    return legalMoves(this.board, cells).filter(
      (move) => this.distance(play(cells, move)) === distance - 1,
    );
  }

  /** A shortest way to the goal. */
  solution(cells: Cells): Move[] {
    const moves: Move[] = [];
    for (let [move] = this.nearer(cells); move; [move] = this.nearer(cells)) {
      moves.push(move);
      cells = play(cells, move);
    }
    return moves;
  }

  /** The number of positions at every distance. */
  counts(): number[] {
    const counts: number[] = [];
    for (const byte of this.bytes)
      if (byte !== UNREACHABLE) counts[byte] = (counts[byte] ?? 0) + 1;
    return Array.from(counts, (count) => count ?? 0);
  }

  /** A position drawn uniformly from those at a distance, or from all from which the goal can be reached. */
  draw(distance: number | null, random: () => number): Cells | null {
    const fits = (byte: number) =>
      distance === null ? byte !== UNREACHABLE : byte === distance;
    const count = this.bytes.reduce((sum, byte) => sum + Number(fits(byte)), 0);
    let place = Math.floor(random() * count);
    const number = this.bytes.findIndex((byte) => fits(byte) && place-- === 0);
    return number < 0 ? null : unrank(this.labels, this.board.vertices, number);
  }
}
