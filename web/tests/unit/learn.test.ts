import { describe, expect, it } from "vitest";
import { bundle } from "../../src/learn/bundles";
import { parity, transpositions } from "../../src/learn/parity";
import { Recording, judge, narration } from "../../src/learn/steps";
import { treeLayout, type TreeNode } from "../../src/learn/tree";
import { readLink, writeLink } from "../../src/lib/solve/link";
import type { Lesson, LessonNode } from "../../src/lib/types";

const node = (id: number, parent: number | null, g: number, h: number): LessonNode => ({
  id,
  parent,
  cells: [String(id), null],
  g,
  h,
  move: null,
  expanded: null,
});

// The start leads to 1 and 2; 2 leads to 3 and 4; 4 is the goal.
const lesson: Lesson = {
  heuristic: "lone-token",
  optimal_length: 2,
  nodes: [
    node(0, null, 0, 2),
    node(1, 0, 1, 3),
    node(2, 0, 1, 1),
    node(3, 2, 2, 2),
    node(4, 2, 2, 0),
  ],
  expansions: [0, 2],
  generated: [
    [1, 2],
    [3, 4],
  ],
  solution: [0, 2, 4],
};

describe("a recorded search", () => {
  const recording = new Recording(lesson);
  it("takes the goal last, which is not an expansion", () => {
    expect(recording.steps).toBe(3);
    expect(recording.expansions).toBe(2);
    expect(recording.taken).toEqual([0, 2, 4]);
  });
  it("begins with the start on the open list", () => {
    const moment = recording.at(0);
    expect(moment.open.map((n) => n.id)).toEqual([0]);
    expect(moment.next?.id).toBe(0);
    expect(moment.closed).toEqual([]);
    expect(narration(moment, recording)).toContain("at least 2 to go");
  });
  it("sorts the open list as the search takes it", () => {
    const moment = recording.at(2);
    expect(moment.open.map((n) => n.id)).toEqual([4, 3, 1]);
    expect(moment.closed.map((n) => n.id)).toEqual([0, 2]);
    expect(moment.fresh.map((n) => n.id)).toEqual([3, 4]);
  });
  it("ends when the goal is taken", () => {
    const moment = recording.at(3);
    expect(moment.finished).toBe(true);
    expect(moment.next).toBeNull();
    expect(narration(moment, recording)).toContain("2 moves, proven");
  });
  it("also ends when the goal is listed among the expansions", () => {
    expect(new Recording({ ...lesson, expansions: [0, 2, 4] }).taken).toEqual([0, 2, 4]);
  });
});

describe("the question which state is next", () => {
  const recording = new Recording(lesson);
  const guess = (step: number, id: number) => judge(recording.at(step), recording.node(id));
  it("is answered rightly by the smallest f", () => {
    expect(guess(1, 2)).toEqual({
      right: true,
      text: "Right: f = 2 is the smallest on the open list.",
    });
  });
  it("says which f is smaller", () => {
    expect(guess(1, 1).right).toBe(false);
    expect(guess(1, 1).text).toContain("f = 1 + 3 = 4");
  });
  it("explains ties", () => {
    const tied = new Recording({
      ...lesson,
      nodes: [
        node(0, null, 0, 2),
        node(1, 0, 1, 1),
        node(2, 0, 1, 1),
        node(3, 2, 2, 0),
        node(4, 2, 2, 0),
      ],
    });
    expect(judge(tied.at(1), tied.node(1))).toMatchObject({ right: true });
    expect(judge(tied.at(2), tied.node(1)).text).toContain("greater g: 2, not 1");
    expect(judge(tied.at(2), tied.node(4)).right).toBe(true);
  });
  it("does not take closed states", () => {
    expect(guess(2, 0).text).toContain("closed");
  });
});

describe("bundles", () => {
  const children = Array.from({ length: 8 }, (_, i) => node(i + 1, 0, 1, i < 2 ? 1 : 3));
  it("draws many states that are never taken as few", () => {
    const drawn = bundle([node(0, null, 0, 2), ...children], new Set([0, 1]), 2);
    // The start, the state that is taken, the other one with f = 2, and all with greater f.
    expect(drawn.map((one) => one.nodes.length)).toEqual([1, 1, 1, 6]);
    expect(drawn[3].parent).toBe(0);
  });
  it("leaves small families alone", () => {
    const drawn = bundle([node(0, null, 0, 2), ...children.slice(0, 4)], new Set([0, 1]), 2);
    expect(drawn.length).toBe(5);
  });
});

describe("the layout of a tree", () => {
  it("puts a parent at the middle of its children", () => {
    const places = treeLayout(lesson.nodes);
    expect(places.get(0)).toEqual({ id: 0, column: 0, row: 0.5 });
    expect(places.get(1)?.row).toBe(0);
    expect(places.get(2)?.row).toBe(1);
  });
  it("never lets two nodes of a column overlap, and keeps every row at or below the first", () => {
    // A pseudorandom tree, the same every time.
    let seed = 7;
    const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % below;
    const nodes: TreeNode[] = [{ id: 0, parent: null }];
    for (let id = 1; id < 600; id++) nodes.push({ id, parent: random(id) });
    const places = [...treeLayout(nodes).values()];
    expect(places.length).toBe(600);
    const columns = Math.max(...places.map((place) => place.column)) + 1;
    for (let column = 0; column < columns; column++) {
      const inColumn = places.filter((place) => place.column === column);
      const rows = inColumn.map((place) => place.row).sort((a, b) => a - b);
      for (let i = 1; i < rows.length; i++) expect(rows[i] - rows[i - 1]).toBeGreaterThanOrEqual(1);
    }
    expect(Math.min(...places.map((place) => place.row))).toBe(0);
  });
  it("stacks several roots", () => {
    const places = treeLayout([
      { id: 0, parent: null },
      { id: 1, parent: null },
    ]);
    expect(places.get(1)?.row).toBe(1);
  });
});

describe("parity", () => {
  const goal = ["1", "2", "3", "0"];
  it("counts swaps of two entries", () => {
    expect(transpositions(["2", "1", "3", null], ["1", "2", "3", null])).toBe(1);
    expect(transpositions(["2", "3", "1", null], ["1", "2", "3", null])).toBe(2);
  });
  it("finds that a swapped pair cannot be undone", () => {
    expect(parity(["2", "1", "3", null], goal, 2)).toEqual({ swaps: 1, steps: 0, agrees: false });
  });
  it("agrees after any single move", () => {
    expect(parity(["1", "2", null, "3"], goal, 2)).toEqual({ swaps: 1, steps: 1, agrees: true });
  });
  it("does not speak of boards that it does not fit", () => {
    expect(parity(["1", null, null, "3"], goal, 2)).toBeNull();
    expect(parity(["2", "1", "3", null], goal, undefined)).toBeNull();
  });
});

describe("links", () => {
  it("keep the puzzle in the fragment", () => {
    const line = "cube:4:2 a=1+2 -> a=3+4";
    const link = writeLink({ page: "lesson", heuristic: "blind" }, line);
    const [search, hash] = link.split("#");
    expect(readLink(search, `#${hash}`)).toEqual({
      puzzle: line,
      query: { page: "lesson", heuristic: "blind" },
    });
    expect(readLink("?page=lesson", "#m=x&p=a%2Bb+c").puzzle).toBe("a+b+c");
    expect(readLink("", "").puzzle).toBeNull();
  });
});
