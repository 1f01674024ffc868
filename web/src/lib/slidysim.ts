// Replay links of slidysim: what a leaderboard of sliding-puzzle solves shows, with the time of every
// move. There is no description of the format but the pages that read it
// (slidysim/slidysim.github.io, modules/replayGeneration.js).
//
// The parameter `r` of the address is base64 of a zlib stream of a JSON array. A replay that somebody
// made has [solution, 1000 times the moves per second, scramble, times of moves or -1]. One of the
// leaderboard has [facts, data, event, tps, width, height, ...], whose data are base64 of another zlib
// stream: `solutions;times;moves;tps;blind times;[times of moves]`, solves separated by commas, and the
// times of different solves by semicolons. Times of moves are milliseconds since the first one.

import { NotationError } from "./notation";

/** A solve on a grid whose goal is the usual one. */
export interface SlidysimSolve {
  rows: number;
  columns: number;
  /** The tiles row by row, 0 for the empty cell. */
  start: number[];
  /** The directions of the tiles, with numbers for repetitions. */
  solution: string;
  /** Milliseconds since the move before, one for each move. */
  ms: number[];
}

const fail = (message: string): never => {
  throw new NotationError(message);
};

/** The most characters that a link may unpack to. */
const MOST = 4_000_000;

export const isSlidysimLink = (text: string): boolean => /^https?:\/\/\S*[?&]r=[\w%+/=-]+\s*$/.test(text.trim());

async function inflate(base64: string): Promise<string> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = Uint8Array.from(atob(base64.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  } catch {
    return fail("This replay link is damaged: what follows r= is not base64.");
  }
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
      if (text.length > MOST) break;
    }
  } catch {
    return fail("This replay link is damaged or cut off: it cannot be unpacked.");
  }
  void reader.cancel();
  return fail("This replay link is larger than any solve.");
}

/** The directions of a solution, one letter for each move. */
function lettersOf(solution: string): string {
  if (!/^([ULDR]\d*)+$/.test(solution)) return fail("This replay has no solution in letters U, L, D, R.");
  let letters = "";
  for (const [, letter, times] of solution.matchAll(/([ULDR])(\d*)/g)) {
    letters += letter.repeat(times === "" ? 1 : Math.min(Number(times), 1000));
    if (letters.length > 20_000) return fail("This replay has more than 20,000 moves.");
  }
  return letters;
}

/** The state that a solution leads to the usual goal from: the tiles go back from there. */
function startOf(letters: string, rows: number, columns: number): number[] {
  const cells = Array.from({ length: rows * columns }, (_, i) => (i + 1) % (rows * columns));
  let empty = cells.length - 1;
  for (const letter of [...letters].reverse()) {
    const [row, column] = [Math.floor(empty / columns), empty % columns];
    // The tile that slid up stands above the empty cell now.
    const [r, c] = { U: [row - 1, column], D: [row + 1, column], L: [row, column - 1], R: [row, column + 1] }[
      letter as "U" | "D" | "L" | "R"
    ];
    if (r < 0 || r >= rows || c < 0 || c >= columns)
      return fail(`This replay's solution leaves a grid of ${rows} by ${columns}.`);
    [cells[empty], cells[r * columns + c]] = [cells[r * columns + c], 0];
    empty = r * columns + c;
  }
  return cells;
}

/** The differences of times since the first move; a move without a time takes none. */
function intervals(times: number[] | null, moves: number): number[] {
  if (times?.length !== moves) return Array.from({ length: moves }, () => 0);
  return times.map((time, i) => Math.max(0, Math.round(time - (i ? times[i - 1] : times[0]))));
}

function solve(solution: string, rows: number, columns: number, start: number[] | null, times: number[] | null): SlidysimSolve {
  if (!(rows >= 2 && columns >= 2 && rows <= 8 && columns <= 8))
    return fail(`This replay is of a grid of ${rows} by ${columns}, and grids have 2 to 8 rows and columns here.`);
  const letters = lettersOf(solution);
  return { rows, columns, start: start ?? startOf(letters, rows, columns), solution, ms: intervals(times, letters.length) };
}

/** The sizes of the grids of a relay, in the order in which they are solved. */
function relay(mode: string, columns: number, rows: number): [number, number][] | null {
  const down = (from: number): number[] => Array.from({ length: Math.max(0, from - 1) }, (_, i) => from - i);
  switch (mode) {
    case "2-N relay":
      return down(Math.min(rows, columns)).map((n) => [n, n]);
    case "Width relay":
      return down(columns).map((n) => [rows, n]);
    case "Height relay":
      return down(rows).map((n) => [n, columns]);
    case "Everything-up-to relay":
      return down(rows).flatMap((r) => down(columns).map((c): [number, number] => [r, c]));
    default:
      return null;
  }
}

const numbers = (text: string): number[] => text.split(",").map(Number);

/** Reads a replay link: one solve, or all those of an average, a marathon or a relay. */
export async function readSlidysim(link: string): Promise<SlidysimSolve[]> {
  const parameter = new URL(link.trim()).searchParams.get("r") ?? "";
  // A plus sign of base64 that was not escaped reads as a space.
  let data: unknown;
  try {
    data = JSON.parse(await inflate(parameter.replace(/ /g, "+")));
  } catch (error) {
    if (error instanceof NotationError) throw error;
    return fail("This replay link does not hold a replay.");
  }
  if (!Array.isArray(data)) return fail("This replay link does not hold a replay.");
  if (typeof data[0] === "string") {
    const [solution, , scramble, times] = data as [string, unknown, unknown, unknown];
    if (typeof scramble !== "string" || !/^[\d\s]+(\/[\d\s]+)+$/.test(scramble))
      return fail("This replay link has no start in the form 1 2 3/4 5 6/7 8 0.");
    const lines = scramble.split("/").map((line) => line.trim().split(/\s+/).map(Number));
    if (lines.some(({ length }) => length !== lines[0].length))
      return fail("The rows of this replay's start have different lengths.");
    const known = Array.isArray(times) ? times.map(Number) : null;
    return [solve(solution, lines.length, lines[0].length, lines.flat(), known)];
  }
  const [facts, packed, , , columns, rows] = data as [{ gameMode?: string; avglen?: number } | null, unknown, unknown, unknown, unknown, unknown];
  if (typeof packed !== "string" || typeof columns !== "number" || typeof rows !== "number")
    return fail("This replay link does not hold a replay.");
  const text = await inflate(packed);
  const bracket = /\[(.*?)\]/.exec(text);
  const times = bracket?.[1] ? bracket[1].split(";").map(numbers) : [];
  const solutions = (bracket ? text.replace(bracket[0], "") : text).split(";")[0].split(",").filter(Boolean);
  if (!solutions.length || solutions[0] === "-1") return fail("This replay has times and no solution.");
  const sizes = facts?.avglen === 1 ? relay(facts.gameMode ?? "", columns, rows) : null;
  return solutions.map((solution, i) => {
    const [r, c] = sizes?.[i] ?? [rows, columns];
    return solve(solution, r, c, null, times[i] ?? null);
  });
}

/** The puzzle line of a solve. */
export function lineOf({ rows, columns, start }: SlidysimSolve): string {
  const goal = start.map((_, i) => (i + 1) % start.length);
  return `grid:${rows}:${columns} ${start.join(",")} -> ${goal.join(",")}`;
}
