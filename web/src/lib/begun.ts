// Ranked plays of this browser that have no answer of the server yet. Each is kept from the moment its start was
// drawn, so that a page that is loaded again continues it, or sends it where it is finished. The server keeps one
// play for a start, however often that is sent.

import type { Group, Start } from "./people";
import { names, read, write } from "./storage";

export interface Begun {
  start: Start;
  /** The name of the person to whom the start was issued. */
  name: string;
  group: Group;
  /** When the time to look is over, in milliseconds since 1970. */
  until: number;
  /** When its clock started, in milliseconds since 1970; null before that. */
  began: number | null;
  /** Milliseconds on its clock when it was kept. */
  elapsed: number;
  /** The moves that are played, with their times. */
  moves: string;
  /** Whether it is at its end and only has to be sent. */
  finished: boolean;
}

const LIST = "ranked-play.";
/** After this time the server does not rank a timed play any more, in milliseconds. */
const MAX_TIMED = 6 * 3_600_000;

/** Keeps a play as it is now; returns whether the browser did. */
export const keepBegun = (play: Begun): boolean => write(LIST + play.start.start, play);

export const dropBegun = (start: string): void => void write(LIST + start, undefined);

/** Forgets all plays that were begun, whoever began them. */
export const dropAllBegun = (): void => names(LIST).forEach((name) => write(name, undefined));

/** The plays that a person has begun: finished ones first, then those that were drawn last. */
export function allBegun(person: string): Begun[] {
  const plays: Begun[] = [];
  for (const name of names(LIST)) {
    const play = read<Begun | null>(name, null);
    const late = play?.group.kind === "timed" && Date.now() > play.until + MAX_TIMED;
    if (!play || late) write(name, undefined);
    else if (play.name === person) plays.push(play);
  }
  return plays.sort((a, b) => Number(b.finished) - Number(a.finished) || b.until - a.until);
}

/** How long a page that is loaded again waits for the one that it replaces, in milliseconds. */
const WAIT = 400;

/**
 * Takes a play for this tab, until what is returned is called; null where another tab plays it. Without locks,
 * which browsers have on secure pages only, every tab may.
 */
export function takeBegun(start: string): Promise<(() => void) | null> {
  if (!("locks" in navigator)) return Promise.resolve(() => {});
  return new Promise((resolve) => {
    const hold = () => new Promise<void>((release) => resolve(release));
    const signal = AbortSignal.timeout(WAIT);
    navigator.locks.request(`hyperslide.${LIST}${start}`, { signal }, hold).catch(() => resolve(null));
  });
}
