// The clock of a replayed search: the number of expansions at each moment.

import type { Progress } from "../types";

export interface Reading {
  seconds: number;
  expanded: number;
  lowerBound: number;
  length: number | null;
}

export interface Clock {
  readings: Reading[];
}

export const startClock = (): Clock => ({
  readings: [{ seconds: 0, expanded: 0, lowerBound: 0, length: null }],
});

/** The clock after a report of progress. Reports that go back in time are ignored. */
export function read(clock: Clock, progress: Omit<Progress, "bytes" | "generated">): Clock {
  const last = clock.readings[clock.readings.length - 1];
  if (progress.seconds < last.seconds || progress.expanded < last.expanded) return clock;
  const reading = {
    seconds: progress.seconds,
    expanded: progress.expanded,
    lowerBound: Math.max(last.lowerBound, progress.lower_bound),
    length: progress.length ?? last.length,
  };
  return { readings: [...clock.readings, reading] };
}

function between(
  readings: Reading[],
  from: "seconds" | "expanded",
  to: "seconds" | "expanded",
  value: number,
): number {
  if (value <= 0) return 0;
  for (let i = 1; i < readings.length; i++) {
    const [a, b] = [readings[i - 1], readings[i]];
    if (value > b[from]) continue;
    const share = b[from] === a[from] ? 1 : (value - a[from]) / (b[from] - a[from]);
    return a[to] + share * (b[to] - a[to]);
  }
  return readings[readings.length - 1][to];
}

/** The number of expansions at a moment, interpolated linearly between two reports. */
export const expandedAt = (clock: Clock, seconds: number): number =>
  Math.round(between(clock.readings, "seconds", "expanded", seconds));

export const secondsAt = (clock: Clock, expanded: number): number =>
  between(clock.readings, "expanded", "seconds", expanded);

/** The last report at or before a number of expansions: its bound and its best length were true then. */
export function readingAt(clock: Clock, expanded: number): Reading {
  let found = clock.readings[0];
  for (const reading of clock.readings) {
    if (reading.expanded > expanded) break;
    found = reading;
  }
  return found;
}
