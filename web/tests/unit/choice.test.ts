import { describe, expect, test } from "vitest";

import { type BoardChoice, boardSpec, choiceName, tokenCount } from "../../src/play/choice";

const choice = (changes: Partial<BoardChoice>): BoardChoice => ({
  kind: "grid",
  rows: 3,
  columns: 5,
  sides: "grid",
  dimension: 4,
  k: 2,
  tokens: 5,
  graph: "petersen",
  ...changes,
});

describe("the board of a new puzzle", () => {
  test.each([
    [{}, "grid:3:5", "3 × 5 grid", undefined],
    [{ sides: "torus" }, "torus:3:5", "3 × 5 torus", undefined],
    [{ sides: "cylinder" }, "cylinder:3:5", "3 × 5 cylinder", undefined],
    [{ kind: "graph" }, "graph:petersen", "Petersen graph", undefined],
    [{ kind: "graph", graph: " graph:theta0 " }, "graph:theta0", "Wilson’s graph θ₀", undefined],
    [{ kind: "graph", graph: "cycle-6" }, "graph:cycle-6", "Cycle of 6 vertices", undefined],
    [{ kind: "graph", graph: "nothing" }, "graph:nothing", "nothing graph", undefined],
    [{ kind: "cube" }, "cube:4:2", "Tesseract", 5],
    // Numbers that were right for a larger cube, and more tokens than leave a face to one of them.
    [{ kind: "cube", dimension: 2, k: 3, tokens: 9 }, "cube:2:2", "Square", 1],
    [{ kind: "cube", k: 1, tokens: 16 }, "cube:4:1", "Tesseract", 15],
    [{ kind: "cube", k: 2, tokens: 15 }, "cube:4:2", "Tesseract", 13],
  ] as const)("%o", (changes, spec, name, tokens) => {
    const chosen = choice(changes as Partial<BoardChoice>);
    expect(boardSpec(chosen)).toBe(spec);
    expect(choiceName(chosen)).toBe(name);
    expect(tokenCount(chosen)).toBe(tokens);
  });
});
