// Plays, best results and the names of puzzles, kept in the browser.

import { api } from "./api";
import { continues } from "./notation";
import { read, write } from "./storage";
import type { Level, Levels, RandomPuzzle } from "./types";

interface Made {
  /** The moves, as in a link. */
  moves: string;
  /** Whether some of the moves were found with help. */
  helped?: boolean;
  /** Whether the player made none of the moves. */
  foreign?: boolean;
}

interface Kept extends Made {
  cursor: number;
  elapsed: number;
  /** Other plays of the puzzle, such as those of other tabs, which are the player's own too. */
  others?: Made[];
}

export interface Best {
  moves: number;
  ms: number;
}

export interface Known {
  title: string;
  minimum: number | null;
  published: string | null;
  note: string | null;
  id: string;
  daily?: { number: number; date: string };
  /** How far from the goal a puzzle was drawn, when that was asked for. */
  drawnAt?: number;
}

const MOST = 60;

/** Writes an entry of a list that forgets its oldest entries. */
function put<T>(list: string, name: string, value: T | null): void {
  const entries = read<[string, T][]>(list, []).filter(([other]) => other !== name);
  if (value !== null) entries.unshift([name, value]);
  write(list, entries.slice(0, MOST));
}

const get = <T>(list: string, name: string): T | null =>
  read<[string, T][]>(list, []).find(([other]) => other === name)?.[1] ?? null;

const MOST_OTHERS = 4;

export const keptPlay = (puzzle: string): Kept | null => get("plays", puzzle);

/** Keeps the play of a puzzle, or that there is none. */
export function keepPlay(puzzle: string, play: Omit<Kept, "others"> | null): void {
  const now = play ?? { moves: "", cursor: 0, elapsed: 0 };
  const before = keptPlay(puzzle);
  const others = [before, ...(before?.others ?? [])]
    .flatMap((other) => (other && !continues(now.moves, other.moves) ? [{ moves: other.moves, helped: other.helped, foreign: other.foreign }] : []))
    .slice(0, MOST_OTHERS);
  put("plays", puzzle, play || others.length ? { ...now, others } : null);
}

/** The play of this browser that the moves of a link are, or begin. */
export function madeHere(puzzle: string, moves: string): Made | null {
  const kept = keptPlay(puzzle);
  return [kept, ...(kept?.others ?? [])].find((made) => made && continues(made.moves, moves)) ?? null;
}

/** Whether a solution of the puzzle was played to the player here: later plays count as helped. */
export const wasShown = (puzzle: string): boolean => get("shown", puzzle) !== null;
export const keepShown = (puzzle: string): void => put("shown", puzzle, 1);

/** All best results, by puzzle. */
export const bests = (): Record<string, Best> => read("bests", {});

/** Keeps a result if it is the best so far, and returns the best before it. */
export function keepBest(puzzle: string, result: Best): Best | null {
  const all = bests();
  const before = all[puzzle] ?? null;
  if (
    !before ||
    result.moves < before.moves ||
    (result.moves === before.moves && result.ms < before.ms)
  )
    write("bests", { ...all, [puzzle]: result });
  return before;
}

/** The puzzles of the days that were opened here, with their minima. */
type Days = Record<string, { puzzle: string; minimum: number | null }>;

/** Remembers what a level is called, for when its puzzle is shown. */
export function keepKnown(puzzle: string, known: Known): void {
  put("known", puzzle, known);
  if (known.daily)
    write("days", { ...read<Days>("days", {}), [known.daily.date]: { puzzle, minimum: known.minimum } });
}
export const known = (puzzle: string): Known | null => get("known", puzzle);

/** The best results of daily puzzles that were opened here, by their dates. */
export function dailyBests(): Map<string, Best & { least: boolean }> {
  const all = bests();
  const found = new Map<string, Best & { least: boolean }>();
  for (const [date, { puzzle, minimum }] of Object.entries(read<Days>("days", {}))) {
    const best = all[puzzle];
    if (best) found.set(date, { ...best, least: minimum !== null && best.moves <= minimum });
  }
  return found;
}

/** Remembers how far from the goal a puzzle was drawn. */
export const keepDrawn = (board: string, { puzzle, distance }: RandomPuzzle): void => {
  if (distance !== null)
    keepKnown(puzzle, {
      title: `${board}, ${distance} from the goal`,
      minimum: distance,
      published: null,
      note: null,
      id: "",
      drawnAt: distance,
    });
};

export const knownOf = ({ title, minimum, published, note, id }: Level): Known => ({
  title,
  minimum,
  published,
  note,
  id,
});

export const keepLevel = (level: Level): void => keepKnown(level.puzzle, knownOf(level));

let levels: Promise<Levels> | null = null;

/** The levels, asked for once; none while the server is away. */
export function ladder(): Promise<Levels> {
  levels ??= api.levels().catch(() => {
    levels = null;
    return { groups: [] };
  });
  return levels;
}

export const lastPuzzle = (): string | null => read("last", null);
export const keepLast = (puzzle: string): void => void write("last", puzzle);
