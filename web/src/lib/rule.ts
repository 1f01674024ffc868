// The one rule: a token on v may slide to w when some face contains both and every other vertex of
// that face is empty. In the edge metric w must also be a neighbour of v.

import type { Board, Cells, Move } from "./types";

interface Index {
  facesOf: number[][][];
  neighbours: Set<number>[] | null;
}

const indexes = new WeakMap<Board, Index>();

function indexOf(board: Board): Index {
  let index = indexes.get(board);
  if (!index) {
    const facesOf: number[][][] = Array.from({ length: board.vertices }, () => []);
    for (const face of board.faces) for (const vertex of face) facesOf[vertex].push(face);
    let neighbours: Set<number>[] | null = null;
    if (board.edges) {
      neighbours = Array.from({ length: board.vertices }, () => new Set<number>());
      for (const [a, b] of board.edges) {
        neighbours[a].add(b);
        neighbours[b].add(a);
      }
    }
    index = { facesOf, neighbours };
    indexes.set(board, index);
  }
  return index;
}

/** The vertices of a face to which its metric lets a token on `from` slide. */
function targets(board: Board, face: number[], from: number): number[] {
  const { neighbours } = indexOf(board);
  const others = face.filter((vertex) => vertex !== from);
  return board.metric === "edge"
    ? others.filter((vertex) => neighbours?.[from].has(vertex) ?? false)
    : others;
}

/** The free faces through `from` that allow a move: all other vertices of each are empty. */
export function ways(board: Board, cells: Cells, from: number): number[][] {
  return indexOf(board).facesOf[from].filter(
    (face) =>
      face.every((vertex) => vertex === from || cells[vertex] === null) &&
      targets(board, face, from).length > 0,
  );
}

/** The vertices to which the token on `from` may slide, ascending. */
export function destinations(board: Board, cells: Cells, from: number): number[] {
  if (cells[from] === null) return [];
  const found = new Set<number>();
  for (const face of ways(board, cells, from))
    for (const vertex of targets(board, face, from)) found.add(vertex);
  return [...found].sort((a, b) => a - b);
}

/** The faces through `from` that are not free, each with the occupied vertices that block it. */
export function blockers(
  board: Board,
  cells: Cells,
  from: number,
): { face: number[]; by: number[] }[] {
  return indexOf(board)
    .facesOf[from].map((face) => ({
      face,
      by: face.filter((vertex) => vertex !== from && cells[vertex] !== null),
    }))
    .filter(({ by }) => by.length > 0);
}

/** The legal moves, each once, ascending by `(from, to)`. */
export function legalMoves(board: Board, cells: Cells): Move[] {
  return cells.flatMap((token, from) =>
    token === null
      ? []
      : destinations(board, cells, from).map((to) => ({ token, from, to })),
  );
}

export function isLegal(board: Board, cells: Cells, from: number, to: number): boolean {
  return destinations(board, cells, from).includes(to);
}

/** The vertices of the tokens that may slide to a vertex, ascending. */
export const ableToReach = (board: Board, cells: Cells, to: number): number[] =>
  [...cells.keys()].filter((from) => isLegal(board, cells, from, to));

/** The cells after a move, which the caller knows to be legal. */
export function play(cells: Cells, move: { from: number; to: number }): Cells {
  const next = cells.slice();
  next[move.to] = cells[move.from];
  next[move.from] = null;
  return next;
}

/** The cells before the first move and after each, of moves that the caller knows to be legal. */
export function positionsOf(start: Cells, moves: { from: number; to: number }[]): Cells[] {
  let cells = start;
  return [start, ...moves.map((move) => (cells = play(cells, move)))];
}

/** Whether every vertex with a wanted label holds it, and every "0" vertex is empty. */
export function isSolved(goal: Cells, cells: Cells): boolean {
  return goal.every(
    (wanted, vertex) =>
      wanted === null || (wanted === "0" ? cells[vertex] === null : cells[vertex] === wanted),
  );
}

/** The empty vertex where there is exactly one, otherwise null. */
export function soleEmpty(cells: Cells): number | null {
  const empty = cells.indexOf(null);
  return empty >= 0 && cells.indexOf(null, empty + 1) < 0 ? empty : null;
}

/** The empty vertex of a grid that has exactly one, otherwise null. */
export const onlyEmpty = (board: Board, cells: Cells): number | null =>
  board.family === "grid" ? soleEmpty(cells) : null;

/**
 * The moves that bring the empty vertex of a grid with one empty vertex to `vertex`, which lies in
 * its row or column; empty when it does not.
 */
export function slideTo(board: Board, cells: Cells, vertex: number): Move[] {
  const empty = onlyEmpty(board, cells);
  const columns = board.columns ?? 1;
  if (empty === null || vertex === empty) return [];
  const sameRow = Math.floor(empty / columns) === Math.floor(vertex / columns);
  if (!sameRow && empty % columns !== vertex % columns) return [];
  const step = (sameRow ? 1 : columns) * Math.sign(vertex - empty);
  const moves: Move[] = [];
  for (let to = empty; to !== vertex; to += step)
    moves.push({ token: cells[to + step] as string, from: to + step, to });
  return moves;
}
