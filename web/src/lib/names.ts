// Boards and puzzles in words.

import { graphName } from "./graph-names";
import type { Board, Move, Puzzle } from "./types";

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

export const inWords = (count: number): string => NUMBERS[count] ?? String(count);

/** A small number in words, with what it counts. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${inWords(count)} ${count === 1 ? one : many}`;

/** A number in digits with what it counts, for lists and running counters. */
export const counted = (count: number, one: string): string =>
  `${count || "no"} ${one}${count === 1 ? "" : "s"}`;

/** What cubes are called, by their dimension. */
export const CUBES = ["", "Segment", "Square", "Cube", "Tesseract", "5-cube", "6-cube"];
const FACES = ["corner", "edge", "square", "cube", "tesseract", "5-cube", "6-cube"];

export function boardName(board: Board): string {
  switch (board.family) {
    case "grid":
      return `${board.rows} × ${board.columns} grid`;
    case "cylinder":
      return `${board.rows} × ${board.columns} cylinder`;
    case "torus":
      return `${board.rows} × ${board.columns} torus`;
    case "cube":
      return CUBES[board.dimension ?? 0];
    case "graph":
      return graphName(board.board) ?? `Graph of ${board.vertices} vertices`;
    case "faces":
      return `Board of ${plural(board.faces.length, "face")}`;
  }
}

/** Whether the vertices are numbered row by row, and drawn as tiles. */
export const hasRows = (board: Board): boolean =>
  board.family === "grid" || board.family === "cylinder" || board.family === "torus";

/** A move in words: by its direction on boards whose cells have no numbers that one sees. */
export function moveWords(board: Board, { token, from, to }: Move): string {
  if (!hasRows(board)) return `${token} from ${from} to ${to}`;
  const columns = board.columns ?? 1;
  const [right, down] = [(to % columns) - (from % columns), Math.floor(to / columns) - Math.floor(from / columns)];
  // A step of more than one cell leads over a side to the opposite one.
  const forward = (by: number): boolean => by === 1 || by < -1;
  const way = right ? (forward(right) ? "right" : "left") : forward(down) ? "down" : "up";
  return `${token} ${way}`;
}

/** What a face of this board is called. */
export function faceName(board: Board): string {
  if (board.family === "cube") return FACES[board.k ?? 0];
  return board.family === "faces" ? "face" : "edge";
}

/** What a vertex of this board is called. */
export function vertexName(board: Board): string {
  if (hasRows(board)) return "cell";
  return board.family === "cube" ? "corner" : "vertex";
}

/** A title whose "k = 2" and "7 moves" each stay on one line. */
export const unbroken = (title: string): string =>
  title.replaceAll(" = ", "\u00a0=\u00a0").replace(/(\d) (moves?)\b/g, "$1\u00a0$2");

/** A clause of the server as a sentence. */
export function sentence(clause: string): string {
  const text = clause.trim();
  if (!text) return "";
  return text[0].toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");
}

export const plainPlural = (word: string): string => (word === "vertex" ? "vertices" : `${word}s`);

/** A sentence that explains the rule for this board. */
export function ruleSentence(board: Board): string {
  if (board.family === "grid") return "A tile may slide to an empty neighbouring cell.";
  if (board.family === "torus")
    return "A tile may slide to an empty neighbouring cell, also over a dashed side to the opposite one.";
  if (board.family === "cylinder")
    return "A tile may slide to an empty neighbouring cell, also over the dashed left or right side to the other.";
  if (board.family === "graph") return "A token may slide along an edge to an empty vertex.";
  const prefix = board.family === "cube" ? `k = ${board.k}: ` : "";
  if (board.k === 1 && board.family === "cube")
    return `${prefix}a token may slide along an edge to an empty corner.`;
  const [vertex, face] = [vertexName(board), faceName(board)];
  const whose = `${face} whose other ${plainPlural(vertex)} are all empty`;
  const sentence =
    board.metric === "edge"
      ? `a token may slide to a neighbouring ${vertex} when both are on a ${whose}.`
      : `a token may slide to any ${vertex} of a ${whose}.`;
  return prefix ? prefix + sentence : sentence[0].toUpperCase() + sentence.slice(1);
}

/** A description of the goal of most grids; empty for other goals. */
export function goalWords({ board, goal }: Puzzle): string {
  const last = goal.length - 1;
  const inOrder = goal.every((label, cell) => (cell === last ? label === null || label === "0" : label === String(cell + 1)));
  return hasRows(board) && last > 0 && inOrder ? "in order, empty last" : "";
}

/** A name for a puzzle that has none. */
export function puzzleName({ board, start }: Puzzle): string {
  const tokens = start.filter((cell) => cell !== null).length;
  if (hasRows(board) && tokens === board.vertices - 1) return boardName(board);
  return `${boardName(board)}, ${plural(tokens, "token")}`;
}

/** Milliseconds as 1:02.5, or as 14.23 s below a minute. */
export function clock(ms: number, places = 1): string {
  // Rounded first, so that nothing says 60 seconds.
  const seconds = Number((ms / 1000).toFixed(places));
  if (seconds < 60) return `${seconds.toFixed(places)} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds - minutes * 60).toFixed(places);
  return `${minutes}:${rest.padStart(places ? 3 + places : 2, "0")}`;
}
