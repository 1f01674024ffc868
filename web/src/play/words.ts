// What the play page says about a position, in sentences.

import { blockers, destinations, ways } from "../lib/rule";
import { AXES } from "../lib/board/layout";
import { leastName, type Least } from "../lib/least";
import { faceName, hasRows, inWords, moveWords, plainPlural, plural, sentence, vertexName } from "../lib/names";
import type { Board, Cells, Move } from "../lib/types";

const list = (words: string[]): string =>
  words.length < 2
    ? words.join("")
    : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;

/** A token and its place, which has a number only where one sees it. */
const tokenOn = (board: Board, cells: Cells, vertex: number): string =>
  hasRows(board) ? `${cells[vertex]}` : `${cells[vertex]} on ${vertex}`;

/** The axes of a face of a cube beyond the third, along which it joins two slices. */
function crossing(board: Board, face: number[]): string {
  if (board.family !== "cube") return "";
  const axes = AXES.filter((_, axis) => axis >= 3 && new Set(face.map((v) => (v >> axis) & 1)).size > 1);
  return axes.length ? `; it crosses ${list(axes)}` : "";
}

export interface Selected {
  /** The token and its vertex. */
  head: string;
  text: string;
  /** The tokens that block, where the token cannot move. */
  blocking: number[];
  faces: number[][];
}

/** Explains where a token can go, showing the free face with index `shown`. */
export function explainSelected(
  board: Board,
  cells: Cells,
  vertex: number,
  shown: number,
): Selected {
  const [face, corner] = [faceName(board), vertexName(board)];
  const head = tokenOn(board, cells, vertex);
  const free = ways(board, cells, vertex);
  const blocked = blockers(board, cells, vertex);
  const by = [...new Set(blocked.flatMap((one) => one.by))].sort((a, b) => a - b);
  const names = list(by.map((v) => cells[v] as string));
  if (!free.length) {
    if (!blocked.length)
      return { head, text: `cannot move: no ${face} passes through this ${corner}.`, blocking: [], faces: [] };
    if (hasRows(board)) return { head, text: "cannot move: no cell next to it is empty.", blocking: by, faces: [] };
    const each = blocked.length === 1 ? `the only ${face}` : `every ${face}`;
    return {
      head,
      text: `cannot move: ${each} through this ${corner} holds another token, ${names}.`,
      blocking: by,
      faces: [],
    };
  }
  const count = destinations(board, cells, vertex).length;
  const places = `${inWords(count)} ${count === 1 ? corner : plainPlural(corner)}`;
  let text = `can reach ${places}`;
  if (board.family === "cube" && (board.k ?? 1) > 1) {
    const now = free[shown % free.length];
    text += ` over ${inWords(free.length)} free ${free.length === 1 ? face : plainPlural(face)}. `;
    text += free.length > 1 ? `Number ${(shown % free.length) + 1} is shown: ` : "It is shown: ";
    text += `${now.join(" · ")}${crossing(board, now)}.`;
  } else text += ".";
  if (blocked.length && board.family !== "grid")
    text += ` ${names} ${by.length === 1 ? "blocks" : "block"} ${inWords(blocked.length)} ${blocked.length === 1 ? face : plainPlural(face)}.`;
  return { head, text, blocking: [], faces: free };
}

/** Explains which of the faces through a token's vertex are blocked, and by what. */
export function explainBlocked(
  board: Board,
  cells: Cells,
  vertex: number,
): { text: string; blocking: number[] } {
  const face = faceName(board);
  const head = tokenOn(board, cells, vertex);
  const blocked = blockers(board, cells, vertex);
  const all = board.faces.filter((one) => one.includes(vertex)).length;
  if (!blocked.length) return { text: `Nothing blocks ${head}.`, blocking: [] };
  const by = [...new Set(blocked.flatMap((one) => one.by))].sort((a, b) => a - b);
  const names = list(by.map((v) => tokenOn(board, cells, v)));
  const verb = by.length === 1 ? "blocks" : "block";
  const which =
    blocked.length === all
      ? all === 1
        ? `the only ${face}`
        : `all ${inWords(all)} ${plainPlural(face)}`
      : `${inWords(blocked.length)} of its ${inWords(all)} ${plainPlural(face)}`;
  return { text: `${head}: ${names} ${verb} ${which}.`, blocking: by };
}

/** Says which tokens can slide to an empty vertex. */
export function explainReach(board: Board, cells: Cells, able: number[], to: number): string {
  const there = hasRows(board) ? "there" : `to ${to}`;
  if (!able.length) return `No ${hasRows(board) ? "tile" : "token"} can slide ${there} now.`;
  return `${list(able.map((from) => tokenOn(board, cells, from)))} can slide ${there}. Tap one of them.`;
}

/**
 * Explains why a token cannot slide to a vertex, or beside the board, with the vertices of those that
 * block.
 */
export function explainRefusal(
  board: Board,
  cells: Cells,
  from: number,
  to: number | null,
): { text: string; blocking: number[] } {
  const [face, corner] = [faceName(board), vertexName(board)];
  if (to === null)
    return { text: `${cells[from]} stays where it was: no ${corner} was near enough.`, blocking: [] };
  const head = `${cells[from]} cannot slide ${hasRows(board) ? "there" : `from ${from} to ${to}`}`;
  if (cells[to] !== null) return { text: `${head}: ${cells[to]} is there.`, blocking: [to] };
  const shared = board.faces.filter((one) => one.includes(from) && one.includes(to));
  if (!shared.length) {
    const apart = face === "edge" ? "the two places are not adjacent" : `no ${face} holds both ${plainPlural(corner)}`;
    return { text: `${head}: ${apart}.`, blocking: [] };
  }
  const by = [...new Set(shared.flat())]
    .filter((vertex) => vertex !== from && cells[vertex] !== null)
    .sort((a, b) => a - b);
  if (!by.length) return { text: `${head}: the two places are not adjacent.`, blocking: [] };
  const names = list(by.map((vertex) => tokenOn(board, cells, vertex)));
  const which = shared.length === 1 ? `the ${face} with both` : `every ${face} with both`;
  return { text: `${head}: ${which} holds another token, ${names}.`, blocking: by };
}

/** What the live region says after a move where the labels are hidden. */
export const announceHidden = (board: Board, { from, to }: Omit<Move, "token">, moves: number): string =>
  `${moveWords(board, { token: "A tile", from, to })}. ${sentence(plural(moves, "move"))}`;

/** What the live region says after a move. */
export function announce(
  board: Board,
  cells: Cells,
  move: Move,
  moves: number,
  least: Least | null,
  solved: boolean,
): string {
  const free = destinations(board, cells, move.to).length;
  const count = `${moves} ${moves === 1 ? "move" : "moves"}`;
  const compared = least === null ? "" : `, ${leastName(least.proven)} ${least.moves}`;
  if (solved) return `${moveWords(board, move)}. Solved in ${count}${compared}.`;
  return `${moveWords(board, move)}. ${free} free ${free === 1 ? "target" : "targets"}. ${count}${compared}.`;
}
