// Boards on which plays are ranked, and what a group of plays is called.

import { boardName, CUBES, plural } from "../lib/names";
import type { Group } from "../lib/people";
import type { Board } from "../lib/types";

export interface RankedBoard {
  board: string;
  tokens: number;
  name: string;
}

/** The boards that are offered: those that speed-solvers have, and one for each rule of the cubes. */
export const BOARDS: RankedBoard[] = [
  ...[
    [3, 3],
    [4, 4],
    [5, 5],
    [6, 6],
  ].map(([rows, columns]) => ranked(`grid:${rows}:${columns}`, rows * columns - 1)),
  ranked("cube:3:1", 7),
  ranked("cube:3:2", 4),
  ranked("cube:4:1", 15),
  ranked("cube:4:2", 8),
  ranked("cube:4:3", 5),
  ranked("cube:5:1", 31),
];

function ranked(board: string, tokens: number): RankedBoard {
  return { board, tokens, name: nameOf(board, tokens) };
}

/** A board and its number of tokens in words. */
export function nameOf(board: string, tokens: number): string {
  const [spec, metric] = board.split(" ");
  const [family, first, second] = spec.split(":");
  const neighbours = metric === "edge" ? ", to neighbours" : "";
  if (family === "grid") {
    const all = Number(first) * Number(second) - 1;
    return `${first} × ${second} grid${tokens === all ? "" : `, ${plural(tokens, "token")}`}`;
  }
  if (family === "cube")
    return `${CUBES[Number(first)]}, k = ${second}, ${plural(tokens, "token")}${neighbours}`;
  const shown = { board, family, vertices: Number(first), faces: [], edges: [], metric: "face" };
  return `${boardName(shown as Board)}, ${plural(tokens, "token")}`;
}

export const CONTROL_NAMES: Record<string, string> = {
  keys: "Keyboard",
  click: "Mouse, clicking",
  hover: "Mouse, hovering",
  touch: "Touch",
  typed: "Typed moves",
};

export const KIND_NAMES: Record<string, string> = { timed: "Fastest", fewest: "Fewest moves" };

export const groupName = ({ board, tokens, kind, control, blind }: Group): string =>
  [
    nameOf(board, tokens),
    KIND_NAMES[kind].toLowerCase(),
    CONTROL_NAMES[control].toLowerCase(),
    blind ? "blind" : "",
  ]
    .filter(Boolean)
    .join(" · ");

export const sameGroup = (a: Group, b: Group): boolean =>
  a.board === b.board &&
  a.tokens === b.tokens &&
  a.kind === b.kind &&
  a.control === b.control &&
  a.blind === b.blind;
