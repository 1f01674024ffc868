// The rows of the comparison: people, simulated people, and each algorithm.

import { algorithmName } from "../lib/algorithms";
import type { AlgorithmRuns, Comparison, Solvers, Spread } from "../lib/people";

export interface Band {
  key: string;
  name: string;
  simulated: boolean;
  /** People, or runs. */
  count: number;
  solved: number;
  spread: Spread;
  cpu: number | null;
  /** Where it is recorded. */
  record: string;
  /** Whether it is of random puzzles of the same kind, whose minima are others. */
  random: boolean;
}

/** Those that the comparison is about come first, the others after them by name. */
const ORDER = [
  "astar",
  "evolution",
  "reinforcement",
  "hybrid",
  "local-value-iteration",
  "anytime",
];

function place({ algorithm }: AlgorithmRuns): number {
  const found = ORDER.indexOf(algorithm);
  return found < 0 ? ORDER.length : found;
}

const nameOf = ({ algorithm, settings }: AlgorithmRuns): string =>
  algorithmName(algorithm) +
  (settings.includes("profile=published") ? ", as published" : "");

const person = (who: Solvers, simulated: boolean, spread: Spread): Band[] =>
  who.people
    ? [
        {
          key: simulated ? "simulated" : "people",
          name: simulated ? "Players" : "People",
          simulated,
          count: who.people,
          solved: who.people,
          spread,
          cpu: null,
          record: "",
          random: false,
        },
      ]
    : [];

export function bandsOf({ people, simulated, algorithms }: Comparison): Band[] {
  const ordered = algorithms
    // An algorithm that two experiments ran is shown by the runs of the first.
    .filter(
      (one, i) => algorithms.findIndex((other) => nameOf(other) === nameOf(one)) === i,
    )
    .toSorted((a, b) => place(a) - place(b) || nameOf(a).localeCompare(nameOf(b)));
  return [
    ...person(people, false, people.lengths),
    ...person(simulated, true, simulated.lengths),
    ...ordered.map((one) => ({
      key: `${one.algorithm} ${one.settings}`,
      name: nameOf(one),
      simulated: false,
      count: one.runs,
      solved: one.solved,
      spread: one.lengths,
      cpu: one.cpu_s,
      record: `${one.experiment}, ${one.revision.slice(0, 7)}`,
      random: one.of_random_puzzles,
    })),
  ];
}

/**
 * Bars about `step` apart at the places of their values: values that would share one are added, and stand
 * where they are on average, so that a value of its own stands exactly where the axis says. Bars that are
 * closer for that reason are narrower.
 */
export function barsOf(
  counts: Spread["counts"],
  x: (value: number) => number,
  step: number,
): { at: number; width: number; share: number }[] {
  const bins = new Map<number, { count: number; sum: number }>();
  for (const { value, count } of counts) {
    const bin = Math.round(x(value) / step);
    const { count: before, sum } = bins.get(bin) ?? { count: 0, sum: 0 };
    bins.set(bin, { count: before + count, sum: sum + count * x(value) });
  }
  const highest = Math.max(1, ...[...bins.values()].map(({ count }) => count));
  const bars = [...bins.values()]
    .map(({ count, sum }) => ({ at: sum / count, share: count / highest }))
    .sort((a, b) => a.at - b.at);
  return bars.map((bar, i) => {
    const room = Math.min(step, bar.at - (bars[i - 1]?.at ?? -Infinity), (bars[i + 1]?.at ?? Infinity) - bar.at);
    return { ...bar, width: Math.max(1.5, 0.84 * room) };
  });
}

/** Tenths of a second, as seconds; a time below the first tenth counts as one of them. */
function inSeconds(spread: Spread): Spread {
  const of = (tenths: number): number => Math.max(1, tenths) / 10;
  const maybe = (tenths: number | null): number | null => (tenths === null ? null : of(tenths));
  return {
    counts: spread.counts.map(({ value, count }) => ({ value: of(value), count })),
    median: maybe(spread.median),
    low: maybe(spread.low),
    high: maybe(spread.high),
    lower_quartile: maybe(spread.lower_quartile),
    upper_quartile: maybe(spread.upper_quartile),
  };
}

export const timeBandsOf = ({ people, simulated }: Comparison): Band[] => [
  ...person(people, false, inSeconds(people.tenths)),
  ...person(simulated, true, inSeconds(simulated.tenths)),
];
