// A person's bests, from all plays that are kept.

import type { KeptPlay } from "../lib/people";
import { row, type Row } from "../lib/stats";

export interface OwnBest {
  key: string;
  timed: boolean;
  count: number;
  /** The best single play. */
  play: KeptPlay;
  /** Its measure over all plays of the group, in the order in which they were made. */
  row: Row;
}

/** The best of each group of ranked plays, the group with the most plays first. */
export function bestsOf(plays: KeptPlay[]): OwnBest[] {
  const groups = new Map<string, KeptPlay[]>();
  for (const play of plays) {
    if (play.kind === "explore") continue;
    const key = [play.board, play.tokens, play.kind, play.control, play.blind].join(" ");
    groups.set(key, [...(groups.get(key) ?? []), play]);
  }
  return [...groups]
    .map(([key, group]) => {
      const timed = group[0].kind === "timed";
      const value = (play: KeptPlay): number => (timed ? play.ms : play.length);
      const inOrder = group.toSorted((a, b) => a.number - b.number);
      const best = group.reduce((one, other) => (value(other) < value(one) ? other : one));
      return { key, timed, count: group.length, play: best, row: row(inOrder.map(value), false) };
    })
    .toSorted((a, b) => b.count - a.count);
}
