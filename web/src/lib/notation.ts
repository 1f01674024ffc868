// The notation of puzzles and moves, and the notations of other sliding-tile programs.

import { hasRows } from "./names";
import { legalMoves, destinations, onlyEmpty, play, slideTo, soleEmpty } from "./rule";
import { labelsOf } from "./tokens";
import type { Board, Cells, Metric, Move, Puzzle, TimedMove } from "./types";

/** What is wrong with a text, in a sentence for the reader. */
export class NotationError extends Error {}

const fail = (message: string): never => {
  throw new NotationError(message);
};

// --- Puzzle lines -----------------------------------------------------------------------------

/** An arrangement as written: by vertex, or by label. */
export type Entries =
  | { by: "vertex"; cells: string[] }
  | { by: "label"; labels: { label: string; vertices: number[]; othersAnywhere: boolean }[] };

export interface PuzzleLine {
  board: string;
  metric: Metric;
  start: Entries;
  goal: Entries | null;
}

function parseEntries(text: string): Entries {
  const words = (text.includes(",") ? text.split(",") : text.split(/[\s/]+/)).map((w) => w.trim());
  if (words.some((word) => word === "")) fail("An entry between two commas is empty.");
  if (!text.includes("="))
    return { by: "vertex", cells: words.map((word) => (word === "." ? "0" : word)) };
  const labels = words.map((word) => {
    const [label, places] = word.split("=");
    if (!label || !places) fail(`"${word}" does not say where a token is: write it as r=13.`);
    const vertices: number[] = [];
    let othersAnywhere = false;
    for (const place of places.split("+")) {
      if (place === "*") othersAnywhere = true;
      else if (/^\d+$/.test(place)) vertices.push(Number(place));
      else fail(`"${place}" is not the number of a vertex.`);
    }
    return { label, vertices, othersAnywhere };
  });
  return { by: "label", labels };
}

/** Reads `BOARD [face|edge] START [-> GOAL]`; whether it fits the board is not checked. */
export function parsePuzzle(line: string): PuzzleLine {
  const words = /^\s*(\S+)(?:\s+(face|edge)(?=\s))?\s+(.+)$/s.exec(line);
  if (!words) return fail("A puzzle is written as BOARD START -> GOAL.");
  const [, board, metric, rest] = words;
  if (!/^(grid|cylinder|torus|cube|graph|faces):/.test(board))
    fail(`"${board}" is not a board: write for example grid:4:4 or cube:4:2.`);
  const parts = rest.split("->").map((part) => part.trim());
  if (parts.length > 2) fail("A puzzle has one goal, and this line has two.");
  return {
    board,
    metric: (metric as Metric | undefined) ?? "face",
    start: parseEntries(parts[0]),
    goal: parts[1] ? parseEntries(parts[1]) : null,
  };
}

function cellsOf(entries: Entries, board: Board, open: string | null): Cells {
  if (entries.by === "vertex") {
    if (entries.cells.length !== board.vertices)
      fail(`${board.board} has ${board.vertices} vertices, and ${entries.cells.length} are listed.`);
    return entries.cells.map((cell) => (cell === "*" ? null : cell));
  }
  const cells: Cells = Array.from({ length: board.vertices }, () => open);
  for (const { label, vertices } of entries.labels)
    for (const vertex of vertices) {
      if (vertex >= board.vertices)
        fail(`Vertex ${vertex} is not on ${board.board}, whose last is ${board.vertices - 1}.`);
      cells[vertex] = label;
    }
  return cells;
}

/** Builds a puzzle from a line whose board is known, without the server's checks. */
export function buildPuzzle(line: PuzzleLine, board: Board): Puzzle {
  const start = cellsOf(line.start, board, null).map((cell) => (cell === "0" ? null : cell));
  if (!line.goal) return fail("This line has no goal, and only the server knows the usual one.");
  const free = line.goal.by === "label" && line.goal.labels.some((entry) => entry.othersAnywhere);
  const goal = cellsOf(line.goal, board, line.goal.by === "label" && !free ? "0" : null);
  const puzzle = writePuzzle(board, start, goal);
  return {
    puzzle,
    board,
    labels: labelsOf(start, goal),
    start,
    goal,
    goal_text: puzzle.split("-> ")[1],
  };
}

function writeByLabel(cells: Cells, start: Cells): string {
  const entries = labelsOf(start, cells).map((label) => {
    const vertices = cells.flatMap((cell, vertex) => (cell === label ? [String(vertex)] : []));
    const tokens = start.filter((cell) => cell === label).length;
    return { label, vertices, free: vertices.length < tokens };
  });
  const written = entries.map(
    ({ label, vertices, free }) => `${label}=${[...vertices, ...(free ? ["*"] : [])].join("+")}`,
  );
  const empty = cells.flatMap((cell, vertex) => (cell === "0" ? [String(vertex)] : []));
  if (entries.some(({ free }) => free) && empty.length) written.push(`0=${empty.join("+")}`);
  return written.join(",");
}

/** Writes a puzzle line: by vertex on boards of rows, by label on others. */
export function writePuzzle(board: Board, start: Cells, goal: Cells): string {
  const grid = hasRows(board);
  const from = grid ? start.map((cell) => cell ?? "0").join(",") : writeByLabel(start, start);
  const to = grid ? goal.map((cell) => cell ?? "*").join(",") : writeByLabel(goal, start);
  return `${board.board} ${board.metric === "edge" ? "edge " : ""}${from} -> ${to}`;
}

// --- Moves ------------------------------------------------------------------------------------

/** Writes moves as `b:13-9 r:0-1`. */
export const writeMoves = (moves: Move[]): string =>
  moves.map(({ token, from, to }) => `${token}:${from}-${to}`).join(" ");

const DIRECTIONS = ["U", "R", "D", "L"] as const;
type Direction = (typeof DIRECTIONS)[number];

const step = (board: Board, direction: Direction): number =>
  ({ U: -(board.columns ?? 0), D: board.columns ?? 0, L: -1, R: 1 })[direction];

/**
 * The vertex of the tile that slides in this direction on a grid, a cylinder or a torus with one empty
 * vertex. Open sides lead to the opposite ones.
 */
export function tileFor(board: Board, cells: Cells, direction: Direction): number | null {
  const empty = soleEmpty(cells);
  const { columns, rows } = board;
  if (empty === null || !columns || !rows) return null;
  let [row, column] = [Math.floor(empty / columns), empty % columns];
  if (direction === "U" || direction === "D") row += direction === "U" ? 1 : -1;
  else column += direction === "L" ? 1 : -1;
  if (board.family === "torus") row = (row + rows) % rows;
  if (board.family !== "grid") column = (column + columns) % columns;
  if (row < 0 || row >= rows || column < 0 || column >= columns) return null;
  const from = row * columns + column;
  return destinations(board, cells, from).includes(empty) ? from : null;
}

function oneMove(board: Board, cells: Cells, token: string, from: number, to: number): Move {
  if (cells[from] !== token) fail(`There is no ${token} on ${from}.`);
  if (!(to >= 0 && to < cells.length))
    fail(`Vertex ${to} is not on this board, whose last is ${cells.length - 1}.`);
  if (!destinations(board, cells, from).includes(to))
    fail(`${token} on ${from} cannot slide to ${to}.`);
  return { token, from, to };
}

/**
 * Reads typed moves, played from `cells`: `b 9` (a token and a vertex), `b:13-9`, `13-9`, or the
 * directions of tiles, `ULDR2`, on a grid with one empty vertex.
 */
export function parseTypedMove(text: string, board: Board, cells: Cells): Move[] {
  const typed = text.trim();
  const full = /^(?:([\p{L}\p{N}_]+)\s*:\s*)?(\d+)\s*(?:-|->|→|to)\s*(\d+)$/u.exec(typed);
  if (full) {
    const from = Number(full[2]);
    const token = full[1] ?? cells[from];
    if (!token) return fail(`Vertex ${from} is empty.`);
    return [oneMove(board, cells, token, from, Number(full[3]))];
  }
  const short = /^([\p{L}\p{N}_]+)\s+(?:to\s+)?(\d+)$/u.exec(typed);
  if (short) {
    const [, token, to] = short;
    const places = cells.flatMap((cell, vertex) => (cell === token ? [vertex] : []));
    if (!places.length) return fail(`There is no token ${token} on this board.`);
    const able = places.filter((from) => destinations(board, cells, from).includes(Number(to)));
    if (able.length > 1)
      return fail(`${token} on ${able.join(" and ")} can slide to ${to}: write ${able[0]}-${to}.`);
    return [oneMove(board, cells, token, able[0] ?? places[0], Number(to))];
  }
  if (/^[ULDRuldr\d\s]+$/.test(typed) && /^[a-z]/i.test(typed)) return readTiles(typed, board, cells);
  if (onlyEmpty(board, cells) !== null && cells.includes(typed)) {
    const moves = slideTo(board, cells, cells.indexOf(typed));
    return moves.length ? moves : fail(`${typed} is not in line with the empty vertex.`);
  }
  return fail(`"${typed}" is not a move: write a token and a vertex, as in "b 9".`);
}

// --- Other programs ---------------------------------------------------------------------------

/** The cells of a grid row by row with slashes, `1 2 3/4 5 6/7 8 0`. */
export function writeGridState(board: Board, cells: Cells): string {
  const { rows = 0, columns = 0 } = board;
  return Array.from({ length: rows }, (_, row) =>
    cells
      .slice(row * columns, (row + 1) * columns)
      .map((cell) => cell ?? "0")
      .join(" "),
  ).join("/");
}

/** Writes moves on a grid as the directions of the tiles, `URDL2UR2`. */
export function writeTiles(board: Board, moves: Move[]): string {
  const runs: { letter: string; times: number }[] = [];
  for (const { from, to } of moves) {
    const letter = DIRECTIONS.find((direction) => to - from === step(board, direction));
    if (!letter) return fail(`The move from ${from} to ${to} has no direction.`);
    const last = runs.at(-1);
    if (last?.letter === letter) last.times += 1;
    else runs.push({ letter, times: 1 });
  }
  return runs.map(({ letter, times }) => letter + (times > 1 ? times : "")).join("");
}

/** Reads the directions of tiles, `URDL2UR2`, played from `cells`. */
export function readTiles(text: string, board: Board, cells: Cells): Move[] {
  if (onlyEmpty(board, cells) === null)
    fail("Directions such as URDL2 need a grid with exactly one empty vertex.");
  const moves: Move[] = [];
  let now = cells;
  for (const [, letter, times] of text.toUpperCase().replace(/\s+/g, "").matchAll(/([A-Z])(\d*)/g)) {
    if (!DIRECTIONS.includes(letter as Direction))
      fail(`"${letter}" is not a direction: write U, R, D or L.`);
    for (let left = times === "" ? 1 : Number(times); left > 0; left--) {
      const from = tileFor(board, now, letter as Direction);
      if (from === null)
        return fail(`Move ${moves.length + 1} (${letter}): no tile can slide that way.`);
      const move = { token: now[from] as string, from, to: onlyEmpty(board, now) as number };
      moves.push(move);
      now = play(now, move);
    }
  }
  return moves;
}

/**
 * The number of moves where tiles that slide together in one line count once (MTM). It is null where
 * they cannot: the board is not a grid, or several vertices are empty.
 */
export function multiTileCount(board: Board, cells: Cells, moves: Move[]): number | null {
  if (onlyEmpty(board, cells) === null) return null;
  return moves.filter(({ from, to }, i) => {
    const before = moves[i - 1];
    return !before || before.to - before.from !== to - from || before.from !== to;
  }).length;
}

// --- Plays in a link --------------------------------------------------------------------------

const bytesToText = (bytes: number[]): string =>
  btoa(bytes.map((byte) => String.fromCharCode(byte)).join(""))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");

function textToBytes(text: string): number[] {
  try {
    return [...atob(text.replace(/-/g, "+").replace(/_/g, "/"))].map((c) => c.charCodeAt(0));
  } catch {
    return fail("The moves in this link are damaged.");
  }
}

/**
 * Writes a play as base64url of two varints for each move: its index among the legal moves, and the
 * milliseconds since the move before it.
 */
export function encodePlay(board: Board, start: Cells, moves: TimedMove[]): string {
  const bytes: number[] = [];
  const put = (value: number): void => {
    for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
    bytes.push(value);
  };
  let cells = start;
  for (const move of moves) {
    const index = legalMoves(board, cells).findIndex(
      ({ from, to }) => from === move.from && to === move.to,
    );
    if (index < 0) return fail(`${move.token} on ${move.from} cannot slide to ${move.to}.`);
    put(index);
    put(Math.max(0, Math.round(move.ms)));
    cells = play(cells, move);
  }
  return bytesToText(bytes);
}

/** Whether a play that `encodePlay` wrote is another one, or goes on from it, times included. */
export function continues(play: string, beginning: string): boolean {
  try {
    const [bytes, first] = [textToBytes(play), textToBytes(beginning)];
    return first.every((byte, i) => bytes[i] === byte);
  } catch {
    return false;
  }
}

/** Reads a play that `encodePlay` wrote. */
export function decodePlay(board: Board, start: Cells, text: string): TimedMove[] {
  const bytes = textToBytes(text);
  let at = 0;
  const take = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? fail("The moves in this link are cut off.");
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  const moves: TimedMove[] = [];
  let cells = start;
  while (at < bytes.length) {
    const move = legalMoves(board, cells)[take()];
    if (!move) return fail(`Move ${moves.length + 1} of this link is not legal.`);
    moves.push({ ...move, ms: take() });
    cells = play(cells, move);
  }
  return moves;
}

