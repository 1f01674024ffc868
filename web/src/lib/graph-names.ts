// The names of graphs that have one, as the server numbers their vertices.

/** A hash of a text (FNV-1a, 32 bits). */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const letter of text) value = Math.imul(value ^ letter.charCodeAt(0), 16777619) >>> 0;
  return value;
}

/**
 * Single graphs: the name that the server reads, a hash of the graph in the notation of puzzles, which has the
 * edges and no name, and what it is called. A test compares them with the server.
 */
const SINGLE: [string, number, string][] = [
  ["theta0", 0x277014c3, "Wilson’s graph θ₀"],
  ["petersen", 0xcf9d34ba, "Petersen graph"],
  ["k33", 0xc8bbddbf, "Graph K₃,₃"],
  ["tetrahedron", 0x2f5513b3, "Tetrahedron"],
  ["cube", 0xc2ce532f, "Graph of the cube"],
  ["octahedron", 0xabc7f571, "Octahedron"],
  ["dodecahedron", 0xe6e986ad, "Dodecahedron"],
  ["icosahedron", 0x4b3c8b74, "Icosahedron"],
  ["truncated-tetrahedron", 0xe45502e2, "Truncated tetrahedron"],
  ["cuboctahedron", 0x1e632bb4, "Cuboctahedron"],
  ["heawood", 0x95f68248, "Heawood graph"],
  ["mobius-kantor", 0xfaf2e496, "Möbius–Kantor graph"],
  ["pappus", 0xfde68998, "Pappus graph"],
  ["desargues", 0x6dafe391, "Desargues graph"],
  ["nauru", 0x336dcc43, "Nauru graph"],
  ["mcgee", 0x0795eb3f, "McGee graph"],
  ["tutte-coxeter", 0xb49f6b88, "Tutte–Coxeter graph"],
  ["franklin", 0x3aa7837a, "Franklin graph"],
  ["frucht", 0x1dfd6b58, "Frucht graph"],
  ["grotzsch", 0x933f27a1, "Grötzsch graph"],
  ["chvatal", 0xb8976584, "Chvátal graph"],
  ["clebsch", 0xd51aba0a, "Clebsch graph"],
  ["shrikhande", 0x0b2adab0, "Shrikhande graph"],
  ["hoffman-singleton", 0xbf27c5f2, "Hoffman–Singleton graph"],
  ["moser-spindle", 0xc46461ca, "Moser spindle"],
  ["diamond", 0x78446017, "Diamond"],
  ["bull", 0x582d3d59, "Bull"],
  ["butterfly", 0x859c4078, "Butterfly"],
  ["house", 0x511b266f, "House"],
];

type Pair = [number, number];

interface Family {
  /** Its numbers are written after this, with hyphens between them. */
  name: string;
  /** An example that the server reads. */
  example: string;
  /** What a graph of the family is called. */
  words: (numbers: number[]) => string;
  /** The numbers that may be in the name of a graph, given how many vertices and edges it has. */
  numbers: (vertices: number, edges: number) => number[][];
  /** Edges, in any order. */
  edges: (numbers: number[]) => Pair[];
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const ring = (first: number, count: number, step = 1): Pair[] =>
  upTo(count).map((i) => [first + i, first + ((i + step) % count)]);
const pairs = (count: number, joined: (a: number, b: number) => boolean): Pair[] =>
  upTo(count).flatMap((a) => upTo(count).flatMap((b): Pair[] => (a < b && joined(a, b) ? [[a, b]] : [])));
const half = (vertices: number): number[][] => (vertices % 2 ? [] : [[vertices / 2]]);
const sides = (vertices: number): number[][] =>
  upTo(vertices + 1).flatMap((rows) => (rows && vertices % rows === 0 ? [[rows, vertices / rows]] : []));

function theta(numbers: number[]): Pair[] {
  let next = 2;
  return numbers.flatMap((between) => {
    const path = [0, ...upTo(between).map((i) => next + i), 1];
    next += between;
    return path.slice(1).map((v, i): Pair => [path[i], v]);
  });
}

/** The moves of a piece between squares whose distances in rows and columns are within its reach. */
const leaps = (reach: (rows: number, columns: number) => boolean) => ([rows, columns]: number[]) =>
  pairs(rows * columns, (a, b) =>
    reach(Math.floor(b / columns) - Math.floor(a / columns), Math.abs((b % columns) - (a % columns))),
  );

/** Families of graphs; of those that share a graph the first names it. */
const FAMILIES: Family[] = [
  {
    name: "cycle",
    example: "cycle-6",
    words: ([n]) => `Cycle of ${n} vertices`,
    numbers: (n, m) => (m === n && n > 2 ? [[n]] : []),
    edges: ([n]) => ring(0, n),
  },
  {
    name: "path",
    example: "path-5",
    words: ([n]) => `Path of ${n} vertices`,
    numbers: (n, m) => (m === n - 1 ? [[n]] : []),
    edges: ([n]) => ring(0, n).slice(0, -1),
  },
  {
    name: "star",
    example: "star-4",
    words: ([n]) => `Star with ${n} leaves`,
    numbers: (n, m) => (m === n - 1 ? [[n - 1]] : []),
    edges: ([n]) => upTo(n).map((i) => [0, i + 1]),
  },
  {
    name: "wheel",
    example: "wheel-5",
    words: ([n]) => `Wheel with ${n} spokes`,
    numbers: (n, m) => (m === 2 * (n - 1) && n > 3 ? [[n - 1]] : []),
    edges: ([n]) => [...ring(1, n), ...upTo(n).map((i): Pair => [0, i + 1])],
  },
  {
    name: "complete-bipartite",
    example: "complete-bipartite-2-3",
    words: ([m, n]) => `Complete bipartite graph of ${m} and ${n} vertices`,
    numbers: (n, m) => upTo(n).flatMap((a) => (a && a * (n - a) === m ? [[a, n - a]] : [])),
    edges: ([m, n]) => pairs(m + n, (a, b) => a < m && b >= m),
  },
  {
    name: "complete",
    example: "complete-5",
    words: ([n]) => `Complete graph of ${n} vertices`,
    numbers: (n, m) => (m === (n * (n - 1)) / 2 ? [[n]] : []),
    edges: ([n]) => pairs(n, () => true),
  },
  {
    name: "theta",
    example: "theta-1-2-2",
    words: ([a, b, c]) => `Theta graph with paths of ${a}, ${b} and ${c} vertices`,
    numbers: (n, m) =>
      m === n + 1 ? upTo(n - 1).flatMap((a) => upTo(n - 1 - a).map((b) => [a, b, n - 2 - a - b])) : [],
    edges: theta,
  },
  {
    name: "ladder",
    example: "ladder-4",
    words: ([n]) => `Ladder with ${n} rungs`,
    numbers: half,
    edges: ([n]) => pairs(2 * n, (a, b) => b === a + n || (b === a + 1 && b !== n)),
  },
  {
    name: "mobius-ladder",
    example: "mobius-ladder-4",
    words: ([n]) => `Möbius ladder with ${n} rungs`,
    numbers: half,
    edges: ([n]) => [...ring(0, 2 * n), ...upTo(n).map((i): Pair => [i, i + n])],
  },
  {
    name: "prism",
    example: "prism-5",
    words: ([n]) => `Prism with ${n} sides`,
    numbers: half,
    edges: ([n]) => [...ring(0, n), ...upTo(n).map((i): Pair => [i, n + i]), ...ring(n, n)],
  },
  {
    name: "antiprism",
    example: "antiprism-4",
    words: ([n]) => `Antiprism with ${n} sides`,
    numbers: half,
    edges: ([n]) => [
      ...ring(0, n),
      ...ring(n, n),
      ...upTo(n).flatMap((i): Pair[] => [
        [i, n + i],
        [i, n + ((i + 1) % n)],
      ]),
    ],
  },
  {
    name: "generalized-petersen",
    example: "generalized-petersen-7-2",
    words: ([n, k]) => `Generalized Petersen graph (${n}, ${k})`,
    numbers: (n) => half(n).flatMap(([rim]) => upTo(Math.ceil(rim / 2)).map((k) => [rim, k])),
    edges: ([n, k]) => [...ring(0, n), ...upTo(n).map((i): Pair => [i, n + i]), ...ring(n, n, k)],
  },
  {
    name: "knight",
    example: "knight-3-3",
    words: ([rows, columns]) => `Knight’s moves on ${rows} × ${columns} squares`,
    numbers: sides,
    edges: leaps((down, aside) => down > 0 && down * aside === 2),
  },
  {
    name: "king",
    example: "king-3-3",
    words: ([rows, columns]) => `King’s moves on ${rows} × ${columns} squares`,
    numbers: sides,
    edges: leaps((down, aside) => Math.max(Math.abs(down), aside) === 1),
  },
];

/** The graph in the notation of puzzles. */
function notation(vertices: number, edges: Pair[]): string {
  const sorted = edges.map(([a, b]): Pair => (a < b ? [a, b] : [b, a])).sort(([a, b], [c, d]) => a - c || b - d);
  return `graph:${vertices}:${[...new Set(sorted.map((pair) => pair.join("-")))].join()}`;
}

interface Recognised {
  /** The name of the graph, or of its family. */
  name: string;
  numbers: number[];
  words: string;
}

function recognise(board: string): Recognised | null {
  const single = SINGLE.find(([, value]) => value === hash(board));
  if (single) return { name: single[0], numbers: [], words: single[2] };
  const [kind, vertices, list] = board.split(":");
  if (kind !== "graph" || !list) return null;
  const count = list.split(",").length;
  for (const { name, words, numbers, edges } of FAMILIES)
    for (const found of numbers(Number(vertices), count))
      if (notation(Number(vertices), edges(found)) === board)
        return { name, numbers: found, words: words(found) };
  return null;
}

const known = new Map<string, Recognised | null>();

/** What a graph such as `graph:4:0-1,0-2,1-2,1-3,2-3` is known as, if it is. */
export function graphOf(board: string): Recognised | null {
  let found = known.get(board);
  if (found === undefined) known.set(board, (found = recognise(board)));
  return found;
}

/** The name of a graph in the notation of puzzles, if it has one. */
export const graphName = (board: string): string | undefined => graphOf(board)?.words;

/** What the graph with a name such as `petersen` or `cycle-6` is called, if the name is one. */
export function wordsOfName(name: string): string | undefined {
  const single = SINGLE.find(([own]) => own === name);
  if (single) return single[2];
  const [, stem, digits] = name.match(/^([a-z-]+?)((?:-[0-9]+)+)$/) ?? [];
  const family = FAMILIES.find((one) => one.name === stem);
  const numbers = (digits ?? "").split("-").slice(1).map(Number);
  return family && family.example.split(/-(?=[0-9])/).length === numbers.length + 1 ? family.words(numbers) : undefined;
}

/** Names that can be typed, with what they are called: single graphs, and an example of each family. */
export const GRAPHS: { name: string; words: string }[] = [
  ...SINGLE.map(([name, , words]) => ({ name, words })),
  ...FAMILIES.map(({ example }) => ({ name: example, words: wordsOfName(example) ?? example })),
];
