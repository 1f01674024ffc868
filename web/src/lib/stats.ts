// Personal statistics: solves without help, of puzzles not seen before, kept in this browser only.

import { boardName, plural } from "./names";
import { read, write } from "./storage";
import type { Puzzle } from "./types";

export const CONTROLS = ["hover", "click", "keys", "touch"] as const;
export type Control = (typeof CONTROLS)[number];

export interface Solve {
  /** Solves of the same board, number of tokens, control and blindness are compared. */
  group: string;
  /** The board in words. */
  name: string;
  control: Control;
  blind: boolean;
  ms: number;
  /** Single-tile moves. */
  stm: number;
  /** Moves where tiles that slide together count once; null where the board is not a grid. */
  mtm: number | null;
}

/** The numbers of solves of the averages. */
export const AVERAGES = [5, 12, 50, 100] as const;

/** What the averages are, in a sentence. */
export const AVERAGES_EXPLAINED =
  "An average of 5 (Ao5) or 12 leaves the best and the worst out; one of 50 leaves out three of each, one of 100 five.";

/** How moves are counted, by the short names that speed-solvers use. */
export const METRICS = {
  STM: "STM, the single-tile metric: each tile that slides counts as one move",
  MTM: "MTM, the multi-tile metric: tiles that slide together count as one move",
} as const;

/** The average of the last solves and the best one of any in a row; null while they are too few. */
export interface Average {
  of: number;
  now: number | null;
  best: number | null;
}

export interface Row {
  last: number;
  best: number;
  averages: Average[];
}

export interface Summary {
  name: string;
  control: string;
  solves: number;
  time: Row;
  stm: Row;
  mtm: Row | null;
  /** Null where no solve has a speed. */
  tps: Row | null;
}

const MOST = 2000;

export const solves = (): Solve[] => read("solves", []);

export function keepSolve(solve: Solve): void {
  write("solves", [...solves(), solve].slice(-MOST));
}

export const forgetSolves = (): void => void write("solves", undefined);

/** The group and the name under which solves of a puzzle are kept. */
export function groupOf(
  { board, start }: Puzzle,
  control: Control,
  blind: boolean,
): Pick<Solve, "group" | "name" | "control" | "blind"> {
  const tokens = start.filter((cell) => cell !== null).length;
  const whole = board.family === "grid" && tokens === board.vertices - 1;
  const name = [
    boardName(board),
    board.family === "cube" ? `k = ${board.k}` : "",
    board.metric === "edge" ? "to neighbours" : "",
    whole ? "" : plural(tokens, "token"),
  ];
  return {
    group: [board.board, board.metric, tokens, control, blind ? "blind" : ""].join(" ").trim(),
    name: name.filter(Boolean).join(", "),
    control,
    blind,
  };
}

/**
 * The mean of values without the best and the worst twentieth, rounded up, as speed-solvers count it:
 * without one of each of 5 and of 12, three of 50, five of 100.
 */
export function trimmedMean(values: number[]): number {
  const out = Math.ceil(values.length / 20);
  const inner = values.toSorted((a, b) => a - b).slice(out, -out);
  return inner.reduce((sum, value) => sum + value, 0) / inner.length;
}

export function row(values: number[], more: boolean): Row {
  const best = (all: number[]): number =>
    all.reduce((one, other) => (more ? Math.max(one, other) : Math.min(one, other)));
  const average = (of: number): Average => {
    const all = values.slice(of - 1).map((_, i) => trimmedMean(values.slice(i, i + of)));
    return { of, now: all.at(-1) ?? null, best: all.length ? best(all) : null };
  };
  return { last: values[values.length - 1], best: best(values), averages: AVERAGES.map(average) };
}

/** Moves a second without the first, with which the clock starts; null where there is no speed. */
export const perSecond = (length: number, ms: number): number | null =>
  length > 1 && ms > 0 ? (1000 * (length - 1)) / ms : null;

/** What solves of one group, oldest first, amount to. */
export function summarise(group: Solve[]): Summary {
  const { name, control, blind } = group[0];
  const speeds = group.flatMap(({ stm, ms }) => perSecond(stm, ms) ?? []);
  const multi = group.flatMap(({ mtm }) => (mtm === null ? [] : [mtm]));
  return {
    name,
    control: blind ? `${control}, blind` : control,
    solves: group.length,
    time: row(group.map(({ ms }) => ms), false),
    stm: row(group.map(({ stm }) => stm), false),
    mtm: multi.length === group.length ? row(multi, false) : null,
    tps: speeds.length ? row(speeds, true) : null,
  };
}

/** The summaries of all groups, the one played last first. */
export function summaries(all: Solve[]): Summary[] {
  const groups = new Map<string, Solve[]>();
  for (const solve of all) {
    const group = groups.get(solve.group) ?? [];
    groups.delete(solve.group);
    groups.set(solve.group, [...group, solve]);
  }
  return [...groups.values()].map(summarise).reverse();
}
