// The sample of a search's expansions that the page holds, and the tree that they form.

import type { Expansion, Expansions, SolveResult } from "../types";

/** The most expansions that are drawn; beyond it every second one is dropped, as the server does. */
export const MOST_DOTS = 20_000;

export interface Sample {
  /** In ascending order of their numbers. */
  expansions: Expansion[];
  /** Only expansions whose number is a multiple of it are held. */
  stride: number;
  /** The number of expansions so far, held or not. */
  seen: number;
  /** Where the next request continues. */
  mark: number;
}

export const emptySample = (): Sample => ({ expansions: [], stride: 1, seen: 0, mark: 0 });

/** The sample after another answer of the server. Both hold multiples of the stride only, so that
 * what is kept stays evenly spread over the search. */
export function extend(sample: Sample, chunk: Expansions): Sample {
  let stride = Math.max(sample.stride, chunk.stride);
  const kept = (expansion: Expansion) => expansion.order % stride === 0;
  const fresh = chunk.expansions.filter(kept);
  const old = stride === sample.stride ? sample.expansions : sample.expansions.filter(kept);
  let expansions = fresh.length === 0 ? old : [...old, ...fresh];
  // Threads that search together may report a little out of order.
  if (old.length > 0 && fresh.length > 0 && fresh[0].order < old[old.length - 1].order) {
    expansions.sort((a, b) => a.order - b.order);
  }
  while (expansions.length > MOST_DOTS) {
    stride *= 2;
    expansions = expansions.filter(kept);
  }
  return { expansions, stride, seen: Math.max(sample.seen, chunk.seen), mark: chunk.mark };
}

/** The number of held expansions whose number is below `order`. */
export function countBefore(expansions: Expansion[], order: number): number {
  let low = 0;
  let high = expansions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (expansions[middle].order < order) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const stateKey = (cells: (string | null)[]): string => cells.map((c) => c ?? "").join(" ");

/** For each held expansion the index of the held expansion it was generated from, or -1 for roots
 * and where the sample leaves that one out. */
export function parents(expansions: Expansion[]): Int32Array {
  const latest = new Map<string, number>();
  const result = new Int32Array(expansions.length).fill(-1);
  expansions.forEach((expansion, index) => {
    const end = `${expansion.search}${expansion.end}`;
    if (expansion.parent) result[index] = latest.get(end + stateKey(expansion.parent)) ?? -1;
    latest.set(end + stateKey(expansion.cells), index);
  });
  return result;
}

/** Marks the frontier among the first `count` expansions: those from which no other of them was
 * expanded. */
export function frontier(parentOf: Int32Array, count: number): Uint8Array {
  const open = new Uint8Array(count).fill(1);
  for (let index = 0; index < count; index++) {
    const parent = parentOf[index];
    if (parent >= 0) open[parent] = 0;
  }
  return open;
}

/** Why no dot is drawn of a search that is over. */
export function withoutDots({ status, stats }: SolveResult): string {
  if (stats?.expanded) return "This search does not show the states that it expanded.";
  return status === "limit-reached" || status === "error"
    ? "The search ended before it expanded a state."
    : "No state was expanded: the answer follows without a search.";
}

/** How the dots were chosen. Some algorithms have parts that cannot be watched, so that the run may
 * have expanded more states than were seen. */
export function sampleSentence(sample: Sample, expanded = sample.seen, solved = false): string {
  const unseen = expanded - sample.seen;
  const rest =
    unseen > 0 ? ` This algorithm does not show ${unseen.toLocaleString("en")} others.` : "";
  return chosenSentence(sample, solved) + rest;
}

function chosenSentence(sample: Sample, solved: boolean): string {
  const seen = sample.seen.toLocaleString("en");
  if (sample.seen === 0) return "No expansion yet.";
  if (sample.seen === 1) return "The only expansion is drawn.";
  if (sample.stride === 1) return `All ${seen} expansions are drawn.`;
  const held = sample.expansions.length.toLocaleString("en");
  return `A sample: ${held} of ${seen} expansions, every ${ordinal(sample.stride)} in the order of the search.${solved ? " The solution is drawn evenly between those of its states that are among them." : ""}`;
}

function ordinal(n: number): string {
  const tens = n % 100;
  const unit = tens > 10 && tens < 14 ? 0 : n % 10;
  return `${n.toLocaleString("en")}${["th", "st", "nd", "rd"][unit] ?? "th"}`;
}
