// Plays that people agree to have kept: with the program's server only, under a random name.

import { isStatic, post, request } from "./api";
import { read, write } from "./storage";
import type { Move, TimedMove } from "./types";

export interface Consent {
  /** Whether this server keeps plays. */
  kept: boolean;
  version: number;
  text: string;
}

/** Who agreed in this browser; the secret reads and deletes what is kept. */
export interface Person {
  name: string;
  secret: string;
}

export interface KeptPlay {
  id: string;
  name: string;
  length: number;
  ms: number;
}

/** How people solved a puzzle. */
export interface People {
  people: number;
  /** The numbers of moves of all solutions, ascending. */
  lengths: number[];
  best: KeptPlay[];
}

export const person = (): Person | null => read<Person | null>("person", null);

/** What is to be agreed to; null where no plays are kept. */
export async function consent(): Promise<Consent | null> {
  if (isStatic) return null;
  const found = await request<Consent>("consent");
  return found.kept ? found : null;
}

export async function agree(version: number): Promise<Person> {
  const { name, secret } = await post<Person>("people", { consent: version });
  write("person", { name, secret });
  return { name, secret };
}

/** Moves with their times, as the server reads them. */
export const writeTimed = (moves: TimedMove[]): string =>
  moves.map(({ from, to, ms }: Move & { ms: number }) => `${from}-${to}@${Math.round(ms)}`).join(" ");

export const keepPlay = (
  { secret }: Person,
  play: { puzzle: string; moves: string; control: string; helped: boolean },
): Promise<KeptPlay> => post("plays", play, { "X-Person-Secret": secret });

export const peopleOf = (puzzle: string): Promise<People> =>
  request(`plays?${new URLSearchParams({ puzzle }).toString()}`);

/** Deletes everything that is kept of a person, here and on the server. */
export async function forget({ secret }: Person): Promise<number> {
  const init = { method: "DELETE", headers: { "X-Person-Secret": secret } };
  const { plays } = await request<{ plays: number }>("people/me", init);
  write("person", undefined);
  return plays;
}
