import { describe, expect, test } from "vitest";
import { EXAMPLES, isPuzzleFile, lineOfError } from "../../src/lib/board-file";

const TOML = `# edges = [[7, 7]]
vertices = 4
edges = [
  [0, 1], [1, 2],
  # [9, 9]
  [2, 9],
]
`;

describe("errors in board files", () => {
  test.each([
    ["not a board in TOML: expected `]` at line 4", 4],
    ["edge 1 repeats edge 2", 4],
    ["edge 2 names vertex 2 twice", 4],
    ["edge 3 names vertex 9, but the board has vertices 0 to 3", 6],
    ["edge 4 names vertex 9, but the board has vertices 0 to 3", null],
    ["face 1 has 1 vertices: a face needs at least 2", null],
    ["65 edges are too many", null],
  ])("%s", (message, line) => expect(lineOfError(TOML, message)).toBe(line));

  test("JSON, and faces before edges", () => {
    const json = '{"vertices": 4,\n "faces": [[0, 1, 2],\n [3]],\n "edges": [[0, 1],\n\n [1, 8]]}';
    expect(lineOfError(json, "face 2 has 1 vertices")).toBe(3);
    expect(lineOfError(json, "edge 2 names vertex 8")).toBe(6);
  });

  test("puzzles and boards", () => {
    expect(isPuzzleFile(EXAMPLES.graph.text)).toBe(false);
    expect(isPuzzleFile(EXAMPLES.faces.text)).toBe(false);
    expect(isPuzzleFile('board = "cube:4:3"\nstart = "r=1"')).toBe(true);
    expect(isPuzzleFile('{"board": {"graph": {}}}')).toBe(true);
  });
});
