// The names of graphs that have one, as the server numbers their vertices.

/** A hash of a text (FNV-1a, 32 bits). */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const letter of text) value = Math.imul(value ^ letter.charCodeAt(0), 16777619) >>> 0;
  return value;
}

/**
 * The names by the hashes of the graphs in the notation of puzzles, which has the edges and no name. A test
 * compares them with the server.
 */
const NAMES = new Map<number, string>([
  [0x277014c3, "Wilson’s graph θ₀"],
  [0xcf9d34ba, "Petersen graph"],
  [0xc8bbddbf, "Graph K₃,₃"],
  [0x2f5513b3, "Tetrahedron"],
  [0xc2ce532f, "Graph of the cube"],
  [0xabc7f571, "Octahedron"],
  [0xe6e986ad, "Dodecahedron"],
  [0x4b3c8b74, "Icosahedron"],
  [0xe45502e2, "Truncated tetrahedron"],
  [0x1e632bb4, "Cuboctahedron"],
  [0x95f68248, "Heawood graph"],
  [0xfaf2e496, "Möbius–Kantor graph"],
  [0xfde68998, "Pappus graph"],
  [0x6dafe391, "Desargues graph"],
  [0x336dcc43, "Nauru graph"],
  [0x0795eb3f, "McGee graph"],
  [0xb49f6b88, "Tutte–Coxeter graph"],
  [0x3aa7837a, "Franklin graph"],
  [0x1dfd6b58, "Frucht graph"],
  [0x933f27a1, "Grötzsch graph"],
  [0xb8976584, "Chvátal graph"],
  [0xd51aba0a, "Clebsch graph"],
  [0x0b2adab0, "Shrikhande graph"],
  [0xbf27c5f2, "Hoffman–Singleton graph"],
  [0xc46461ca, "Moser spindle"],
  [0x78446017, "Diamond"],
  [0x582d3d59, "Bull"],
  [0x859c4078, "Butterfly"],
  [0x511b266f, "House"],
]);

/** The name of a graph such as `graph:4:0-1,0-2,1-2,1-3,2-3`, if it has one. */
export const graphName = (board: string): string | undefined => NAMES.get(hash(board));
