import { describe, expect, it } from "vitest";
import { choiceSentence, duration, memory, raceSentences, verdict } from "../../src/lib/solve/words";
import type { SolveResult } from "../../src/lib/types";

const stats = (expanded: number, wall_s = 0.5) => ({
  expanded,
  generated: 3 * expanded,
  stored: expanded,
  wall_s,
  cpu_s: wall_s,
  peak_bytes: 2e6,
});
const solved = (
  length: number,
  optimal: boolean,
  expanded: number,
  bound = length,
): SolveResult => ({
  status: "solved",
  optimal,
  moves: [],
  length,
  lower_bound: bound,
  stats: stats(expanded),
});

describe("the automatic choice", () => {
  it("is named, with its reason", () => {
    const result = { ...solved(8, true, 90), algorithm: "idastar", choice: "one vertex is empty, and the puzzle is easy" };
    expect(choiceSentence(result)).toBe(
      "The automatic choice was IDA*: one vertex is empty, and the puzzle is easy.",
    );
    expect(choiceSentence({ ...result, choice: undefined })).toBe("");
  });
});

describe("verdict", () => {
  it("says that a solution is proven", () => {
    const answer = verdict(solved(8, true, 90));
    expect(answer.kind).toBe("proven");
    expect(answer.sentence).toBe("8 moves, and it is proven that no solution is shorter.");
    expect(answer.detail).toContain("90 expanded · 270 generated · 500 ms · 2.0 MB");
  });
  it("names the gap", () => {
    expect(verdict(solved(12, false, 9, 8)).sentence).toContain(
      "at least 8 are needed, a gap of 4",
    );
  });
  it("gives the reason of an unsolvable puzzle", () => {
    const answer = verdict({ status: "unsolvable", reason: "parity", explanation: "Odd." });
    expect(answer.sentence).toContain("odd permutation");
    expect(answer.detail).toBe("Odd.");
  });
  it("tells a limit from the reader's own stop", () => {
    const limit: SolveResult = { status: "limit-reached", limit: "time", lower_bound: 7 };
    expect(verdict(limit).sentence).toBe(
      "The time was used up. No solution was found; every solution takes at least 7 moves.",
    );
    expect(verdict({ ...limit, limit: "cancelled" }).kind).toBe("cancelled");
  });
});

describe("a race in words", () => {
  it("says who proved first, and by how much", () => {
    const sentences = raceSentences(
      { name: "astar", result: solved(8, true, 9) },
      { name: "breadth-first", result: solved(8, true, 335) },
    );
    expect(sentences[0]).toBe(
      "astar proved a shortest solution after 9 expansions; breadth-first needed 335 to prove one, 37 times as many.",
    );
    expect(sentences[1]).toBe("Both prove that 8 moves are needed.");
  });
  it("compares lengths", () => {
    const sentences = raceSentences(
      { name: "astar", result: solved(8, true, 90) },
      { name: "greedy", result: solved(20, false, 30, 4) },
    );
    expect(sentences[0]).toContain("greedy found a solution after 30 expansions");
    expect(sentences[0]).toContain("3 times as many");
    expect(sentences[1]).toBe("astar needs 8 moves, greedy 20.");
  });
  it("says when one did not finish", () => {
    const sentences = raceSentences(
      { name: "astar", result: solved(8, true, 90) },
      { name: "blind", result: { status: "limit-reached", limit: "memory", lower_bound: 5 } },
    );
    expect(sentences[0]).toContain("blind did not finish");
  });
});

describe("amounts", () => {
  it("are short", () => {
    expect(duration(0.0001)).toBe("less than a millisecond");
    expect(duration(0.25)).toBe("250 ms");
    expect(duration(3)).toBe("3.00 s");
    expect(duration(125)).toBe("2 min 5 s");
    expect(duration(0.9996)).toBe("1.00 s");
    expect(duration(9.996)).toBe("10.0 s");
    expect(duration(119.6)).toBe("2 min 0 s");
    expect(memory(5e5)).toBe("500 kB");
    expect(memory(2.5e9)).toBe("2.5 GB");
  });
});
