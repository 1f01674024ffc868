// Files of boards that people make: where in the text an error is.

/** Examples that are short enough to be understood and changed. */
export const EXAMPLES = {
  graph: {
    name: "A graph",
    text: `# Tokens slide along edges: a ring with a bridge.
vertices = 6
edges = [
  [0, 1], [1, 2], [2, 3],
  [3, 4], [4, 5], [5, 0],
  [1, 4],
]
`,
    puzzle: "a=0,b=2,c=4 -> a=2,b=0,c=4",
  },
  faces: {
    name: "A board with faces",
    text: `# Tokens slide within faces that are free.
vertices = 6
faces = [
  [0, 1, 2],
  [2, 3, 4],
  [4, 5, 0],
]
edges = [[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 2], [4, 5], [5, 0], [0, 4]]
`,
    puzzle: "a=1,b=3 -> a=3,b=1",
  },
} as const;

/** The number of the line at a place of a text, from 1. */
const lineAt = (text: string, place: number): number => text.slice(0, place).split("\n").length;

/** The place of the list with this number, from 1, in the list of a name; -1 when there is none. */
function placeOfList(text: string, name: string, number: number): number {
  // Comments keep their length, so that places stay what they are.
  const plain = text.replace(/#[^\n]*/g, (comment) => " ".repeat(comment.length));
  const key = new RegExp(`(?:^|[\\s{,"'])${name}["']?\\s*[=:]\\s*\\[`).exec(plain);
  if (!key) return -1;
  let depth = 0;
  let seen = 0;
  for (let at = key.index + key[0].length - 1; at < plain.length; at++) {
    if (plain[at] === "[" && ++depth === 2 && ++seen === number) return at;
    if (plain[at] === "]" && --depth === 0) return -1;
  }
  return -1;
}

/**
 * The line that a message is about: the one that it names, or the one of the edge or face whose number
 * it names; null when it is about none.
 */
export function lineOfError(text: string, message: string): number | null {
  const named = /\bline (\d+)/.exec(message);
  if (named) return Number(named[1]);
  const part = /\b(edge|face) (\d+)\b/.exec(message);
  if (!part) return null;
  const place = placeOfList(text, `${part[1]}s`, Number(part[2]));
  return place < 0 ? null : lineAt(text, place);
}

/** Whether a text is a whole puzzle and not a board alone. */
export const isPuzzleFile = (text: string): boolean => /(^|[\s{,])"?(start|board)"?\s*[=:]/.test(text.replace(/#[^\n]*/g, ""));
