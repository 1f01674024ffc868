// Plays that people agree to have kept: with the program's server only, under a random name.

import { ApiError, isStatic, post, request } from "./api";
import { dropAllBegun } from "./begun";
import { read, write } from "./storage";
import type { Cells, Move, Puzzle, TimedMove } from "./types";
import { isLegal, play as slide } from "./rule";

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

export type Kind = "explore" | "timed" | "fewest";

export interface KeptPlay {
  id: string;
  name: string;
  /** The policy that made it, when the person does not exist. */
  simulated: string | null;
  puzzle: string;
  board: string;
  tokens: number;
  kind: Kind;
  control: string;
  blind: boolean;
  moves: string;
  length: number;
  multi: number | null;
  ms: number;
  /** Its place among the plays of its person, from 1. */
  number: number;
  solved: boolean;
  helped: boolean;
  /** The day on which it was kept, in UTC. */
  day: string;
}

/** Everything the server keeps about a person. */
export interface Everything {
  name: string;
  /** The code of the person in exports. */
  code: string;
  /** The version of the text that the person agreed to, and the day on which that was. */
  consent: number;
  day: string;
  /** The starts that were issued and not used. */
  starts: { start: string; puzzle: string; kind: Kind; blind: boolean; issued_ms: number }[];
  /** The last one first. */
  plays: KeptPlay[];
}

/** How people solved a puzzle. */
export interface People {
  people: number;
  /** The numbers of moves of all solutions, ascending. */
  lengths: number[];
  best: KeptPlay[];
}

/** Ranked plays that are compared with each other. */
export interface Group {
  board: string;
  tokens: number;
  kind: Kind;
  control: string;
  blind: boolean;
}

export interface GroupCount extends Group {
  plays: number;
  simulated: number;
}

export interface Standing {
  name: string;
  simulated: string | null;
  solves: number;
  play: string;
  length: number;
  multi: number | null;
  ms: number;
  averages: (number | null)[];
  most_per_second: number;
}

export interface Standings {
  people: number;
  simulated: number;
  averages: number[];
  best: Standing[];
}

export interface Start {
  start: string;
  puzzle: string;
  inspection_ms: number;
}

export interface Spread {
  counts: { value: number; count: number }[];
  median: number | null;
  low: number | null;
  high: number | null;
  lower_quartile: number | null;
  upper_quartile: number | null;
}

export interface Loss {
  number: number;
  plays: number;
  mean: number;
  error: number | null;
}

export interface Solvers {
  people: number;
  lengths: Spread;
  tenths: Spread;
  losses: Loss[] | null;
  looked_at: number;
}

export interface AlgorithmRuns {
  algorithm: string;
  settings: string;
  experiment: string;
  revision: string;
  of_random_puzzles: boolean;
  runs: number;
  solved: number;
  lengths: Spread;
  cpu_s: number;
}

export interface Comparison {
  puzzle: string;
  minimum: number | null;
  proven: boolean;
  people: Solvers;
  simulated: Solvers;
  algorithms: AlgorithmRuns[];
  best: KeptPlay[];
}

export interface Losses {
  distances: number[];
  losses: number[];
  source: "table" | "search";
}

const secretOf = ({ secret }: Pick<Person, "secret">): Record<string, string> => ({
  "X-Person-Secret": secret,
});

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

/** Moves with their times, as the server writes them; ends before the first that is not legal. */
export function readTimed({ board, start }: Puzzle, text: string): TimedMove[] {
  let cells: Cells = start;
  const moves: TimedMove[] = [];
  for (const word of text.split(" ").filter(Boolean)) {
    const [from, to, ms] = word.split(/[-@]/).map(Number);
    const token = cells[from];
    if (!token || !isLegal(board, cells, from, to)) break;
    moves.push({ token, from, to, ms });
    cells = slide(cells, { from, to });
  }
  return moves;
}

/** A word under which a play is sent: when no answer comes, it may be sent again and is kept once. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export const keepPlay = (
  me: Person,
  play: { puzzle: string; moves: string; control: string; helped: boolean; key?: string },
): Promise<KeptPlay> => post("plays", play, secretOf(me));

export const issueStart = (
  me: Person,
  wanted: { board: string; tokens?: number; kind: Kind; blind: boolean },
): Promise<Start> => post("starts", wanted, secretOf(me));

export const keepRanked = (
  me: Person,
  play: { start: string; moves: string; control: string },
): Promise<KeptPlay> => post("plays", play, secretOf(me));

const query = (values: Record<string, string | number | boolean>): string =>
  new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)])).toString();

export const peopleOf = (puzzle: string): Promise<People> => request(`plays?${query({ puzzle })}`);

export const playOf = (id: string): Promise<KeptPlay> => request(`plays/${encodeURIComponent(id)}`);

export const rankedGroups = (): Promise<GroupCount[]> => request("ranks");

export const standingsOf = ({ board, tokens, kind, control, blind }: Group): Promise<Standings> =>
  request(`ranks/list?${query({ board, tokens, kind, control, blind })}`);

export const comparisonOf = (puzzle: string): Promise<Comparison> =>
  request(`comparison?${query({ puzzle })}`);

export const lossesOf = (puzzle: string, moves: string): Promise<Losses> =>
  post("losses", { puzzle, moves });

/** Fetches everything the server keeps about a person. */
export async function everything(me: Pick<Person, "secret">): Promise<Everything> {
  const part = (path: string): Promise<Everything> => request(path, { headers: secretOf(me) });
  const first = await part("people/me");
  const plays = [...first.plays];
  for (let last = plays.at(-1); last; ) {
    const more = (await part(`people/me?${query({ after: last.id })}`)).plays;
    plays.push(...more);
    last = more.at(-1);
  }
  return { ...first, plays: plays.sort((a, b) => b.number - a.number) };
}

/** The secret in what somebody wrote: the secret itself, or the link that holds it. */
export function readSecret(text: string): string {
  const written = text.trim();
  const secret = new URLSearchParams(written.split("#")[1]).get("s") ?? written;
  if (/^\w+$/.test(secret)) return secret;
  throw new Error("This is no secret: copy the secret link from “Your plays” on the other device.");
}

/** People of this browser whose secrets are put aside, the last one first. */
export const former = (): Person[] => read("former", []);

export const forgetFormer = (secret: string): void =>
  void write("former", former().filter((one) => one.secret !== secret));

/** Keeps a secret for later: it cannot be replaced. */
function putAside(one: Person): void {
  write("former", [one, ...former().filter(({ secret }) => secret !== one.secret)].slice(0, 8));
}

/** Uses a secret in this browser, once the server knows it. */
export async function becomes(secret: string): Promise<Person> {
  const { name } = await request<{ name: string }>("people/me", { headers: secretOf({ secret }) });
  const before = person();
  if (before && before.secret !== secret) putAside(before);
  write("person", { name, secret });
  forgetFormer(secret);
  return { name, secret };
}

/** Whether a request failed because the server does not know the secret. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "unknown-secret";

/**
 * Leaves the person of this browser where a request failed because the server does not know the
 * secret, as after a database was made anew; returns whether that is so. The secret stays in this
 * browser, since it cannot be replaced, and the right database may return.
 */
export function leftBehind(error: unknown): boolean {
  if (!isUnknown(error)) return false;
  const me = person();
  if (me) putAside(me);
  leave();
  return true;
}

/** Leaves what is kept on the server, and forgets the secret here. */
export function leave(): void {
  write("person", undefined);
  dropAllBegun();
}

/** Deletes everything that is kept of a person, here and on the server. */
export async function forget(me: Person): Promise<number> {
  const init = { method: "DELETE", headers: secretOf(me) };
  const { plays } = await request<{ plays: number }>("people/me", init);
  leave();
  return plays;
}
