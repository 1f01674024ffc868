import { describe, expect, it } from "vitest";
import { expandedAt, read, readingAt, secondsAt, startClock } from "../../src/lib/solve/clock";
import {
  besides,
  colour,
  columnOf,
  extentOf,
  layout,
  nearest,
  pathPlaces,
  shade,
  ticks,
} from "../../src/lib/solve/growth";
import {
  MOST_DOTS,
  countBefore,
  emptySample,
  extend,
  frontier,
  parents,
  sampleSentence,
  withoutDots,
} from "../../src/lib/solve/sample";
import type { Expansion } from "../../src/lib/types";

const dot = (order: number, more: Partial<Expansion> = {}): Expansion => ({
  order,
  search: 0,
  end: "start",
  g: 0,
  h: null,
  cells: [String(order), null],
  parent: null,
  ...more,
});
const dots = (count: number, stride = 1) =>
  Array.from({ length: count }, (_, i) => dot(i * stride));

describe("a sample", () => {
  it("drops what the server's stride leaves out", () => {
    let sample = extend(emptySample(), { mark: 4, stride: 1, seen: 4, expansions: dots(4) });
    sample = extend(sample, { mark: 5, stride: 2, seen: 5, expansions: [dot(4)] });
    expect(sample.expansions.map((e) => e.order)).toEqual([0, 2, 4]);
    expect(sample.mark).toBe(5);
    expect(sampleSentence(sample)).toContain("3 of 5 expansions, every 2nd");
  });
  it("says of a single dot that it is the only one", () => {
    const sample = extend(emptySample(), { mark: 1, stride: 1, seen: 1, expansions: dots(1) });
    expect(sampleSentence(sample)).toBe("The only expansion is drawn.");
  });
  it("says why a search that is over has no dots", () => {
    expect(withoutDots({ status: "unsolvable" })).toMatch(/^No state was expanded: the answer follows/);
    // What was stopped, or waited for too long, has no answer.
    expect(withoutDots({ status: "limit-reached", limit: "cancelled" })).toBe("The search ended before it expanded a state.");
    const stats = { expanded: 5, generated: 9, stored: 9, wall_s: 0, cpu_s: 0, peak_bytes: 0 };
    expect(withoutDots({ status: "solved", stats })).toBe("This search does not show the states that it expanded.");
  });
  it("never holds more than can be drawn", () => {
    const count = MOST_DOTS + 2;
    const sample = extend(emptySample(), {
      mark: count,
      stride: 1,
      seen: count,
      expansions: dots(count),
    });
    expect(sample.stride).toBe(2);
    expect(sample.expansions.length).toBeLessThanOrEqual(MOST_DOTS);
    expect(sample.expansions.every((e) => e.order % 2 === 0)).toBe(true);
  });
  it("is put in order when threads report out of order", () => {
    let sample = extend(emptySample(), { mark: 1, stride: 1, seen: 2, expansions: [dot(1)] });
    sample = extend(sample, { mark: 2, stride: 1, seen: 2, expansions: [dot(0)] });
    expect(sample.expansions.map((e) => e.order)).toEqual([0, 1]);
  });
  it("counts by number", () => {
    expect(countBefore(dots(10, 3), 7)).toBe(3);
    expect(countBefore(dots(10), 0)).toBe(0);
    expect(countBefore(dots(10), 99)).toBe(10);
  });
});

describe("the frontier", () => {
  it("is where nothing was expanded from", () => {
    const tree = [
      dot(0, { cells: ["a", null] }),
      dot(1, { cells: ["b", null], parent: ["a", null] }),
      dot(2, { cells: ["c", null], parent: ["b", null] }),
      dot(3, { cells: ["d", null], parent: ["missing", null] }),
    ];
    const parentOf = parents(tree);
    expect([...parentOf]).toEqual([-1, 0, 1, -1]);
    expect([...frontier(parentOf, 4)]).toEqual([0, 0, 1, 1]);
    expect([...frontier(parentOf, 2)]).toEqual([0, 1]);
  });
  it("keeps searches apart", () => {
    const tree = [
      dot(0, { cells: ["a", null] }),
      dot(1, { search: 1, cells: ["b", null], parent: ["a", null] }),
    ];
    expect([...parents(tree)]).toEqual([-1, -1]);
  });
});

describe("the layout of a growing search", () => {
  const tree = [dot(0, { g: 0, h: 3 }), dot(1, { g: 1, h: 2 }), dot(2, { g: 1, h: 2 })];
  const extent = extentOf(tree, 3);
  it("has a column for each distance and a row for each estimate", () => {
    expect(extent).toEqual({ columns: 4, rows: 4, leastF: 3, mostF: 3, total: 3 });
    const places = layout(tree, extent);
    for (let i = 0; i < tree.length; i++) {
      expect(Math.floor(places[2 * i] * 4)).toBe(tree[i].g);
      expect(Math.floor((1 - places[2 * i + 1]) * 4)).toBe(tree[i].h);
    }
    expect(layout(tree, extent)).toEqual(places);
    expect(places[2]).not.toBe(places[4]);
  });
  it("finds the dot under a pointer", () => {
    const places = layout(tree, extent);
    expect(nearest(places, 3, places[2], places[3], 400, 400)).toBe(1);
    expect(nearest(places, 3, 1, 0, 4000, 4000)).toBe(-1);
    expect(nearest(places, 1, places[2], places[3], 4000, 4000)).toBe(-1);
  });
  it("lets the two ends of a search meet", () => {
    const both = [dot(0, { g: 2 }), dot(1, { g: 1, end: "goal" })];
    const extent = extentOf(both, null);
    expect(extent.total).toBe(3);
    expect(columnOf(both[1], extent)).toBe(2);
  });
  it("shares a scale with another search where both have estimates", () => {
    const other = { columns: 9, rows: 3, leastF: 1, mostF: 8, total: 8 };
    expect(besides(extent, other)).toEqual({
      columns: 9,
      rows: 4,
      leastF: 1,
      mostF: 8,
      total: 3,
    });
    const blind = { ...other, rows: 1 };
    expect(besides(extent, blind)).toEqual({ ...extent, columns: 9 });
    expect(besides(blind, extent)).toEqual(blind);
  });
  it("draws a solution through its dots", () => {
    const places = layout(tree, extent);
    const positions = [tree[0].cells, tree[1].cells, ["?", null], ["!", null]];
    const path = pathPlaces(positions, tree, places, extent);
    expect(path[1]).toEqual([places[2], places[3]]);
    // The third state has no dot: it stands midway between the estimates 2 and 0.
    expect(path[2]).toEqual([2.5 / 4, 1 - 1.5 / 4]);
    expect(path[3]).toEqual([3.5 / 4, 1 - 0.5 / 4]);
  });
  it("has colours from the least f to the greatest", () => {
    expect(colour(0, "light")).toBe("rgb(51 68 156)");
    expect(colour(1, "light")).toBe("rgb(207 106 23)");
    expect(shade(3, { ...extent, mostF: 5 })).toBe(0);
    expect(shade(5, { ...extent, mostF: 5 })).toBe(1);
  });
  it("has room for no expansion at all", () => {
    expect(extentOf([], null).columns).toBe(1);
  });
  it("has few ticks", () => {
    expect(ticks(8, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(ticks(31, 10)).toEqual([0, 5, 10, 15, 20, 25, 30]);
  });
});

describe("the clock", () => {
  let clock = startClock();
  clock = read(clock, { seconds: 1, expanded: 100, lower_bound: 4, length: null });
  clock = read(clock, { seconds: 2, expanded: 500, lower_bound: 5, length: 9 });
  it("runs in proportion between two reports", () => {
    expect(expandedAt(clock, 0.5)).toBe(50);
    expect(expandedAt(clock, 1.5)).toBe(300);
    expect(expandedAt(clock, 9)).toBe(500);
    expect(secondsAt(clock, 300)).toBe(1.5);
  });
  it("knows what was known then", () => {
    expect(readingAt(clock, 99).lowerBound).toBe(0);
    expect(readingAt(clock, 100).lowerBound).toBe(4);
    expect(readingAt(clock, 1000).length).toBe(9);
  });
  it("never goes back", () => {
    const same = read(clock, { seconds: 1.5, expanded: 600, lower_bound: 6, length: 8 });
    expect(same).toBe(clock);
  });
});
