// How tokens look: a colour of Okabe and Ito, which people with any colour vision can tell apart,
// and a shape as a second cue.

export type Shape = "circle" | "diamond" | "triangle" | "pentagon" | "hexagon" | "square" | "drop" | "cross";

export interface TokenLook {
  fill: string;
  /** The colour of the label on the fill, with a contrast of at least 4.5 to 1. */
  ink: string;
  shape: Shape;
}

const DARK = "#14171f";
const LIGHT = "#ffffff";

// Black of Okabe and Ito is replaced by a grey, for it vanishes on a dark ground. The order suits
// the labels b, g, p, r and y of the published puzzles, which are the initials of colours.
const COLOURS: [fill: string, ink: string][] = [
  ["#0072b2", LIGHT],
  ["#009e73", DARK],
  ["#cc79a7", DARK],
  ["#d55e00", DARK],
  ["#e69f00", DARK],
  ["#56b4e9", DARK],
  ["#f0e442", DARK],
  ["#8b909b", DARK],
];

const SHAPES: Shape[] = [
  "circle",
  "diamond",
  "triangle",
  "pentagon",
  "hexagon",
  "drop",
  "square",
  "cross",
];

const INITIALS = ["b", "g", "p", "r", "y"];

/** The look of the label with this index among the labels of its puzzle. */
export function tokenLook(index: number): TokenLook {
  const [fill, ink] = COLOURS[index % COLOURS.length];
  const shape = SHAPES[(index + Math.floor(index / COLOURS.length)) % SHAPES.length];
  return { fill, ink, shape };
}

/** The looks of all labels of a puzzle. Labels that are initials of colours get these colours. */
export function tokenLooks(labels: string[]): Map<string, TokenLook> {
  const coloured = labels.every((label) => INITIALS.includes(label));
  return new Map(
    labels.map((label, index) => [label, tokenLook(coloured ? INITIALS.indexOf(label) : index)]),
  );
}

const regular = (corners: number, radius: number, turn = 0): string =>
  Array.from({ length: corners }, (_, i) => {
    const angle = -Math.PI / 2 + turn + (i * 2 * Math.PI) / corners;
    return `${(radius * Math.cos(angle)).toFixed(2)} ${(radius * Math.sin(angle)).toFixed(2)}`;
  }).join("L");

/** The path of a shape around the origin, of about the same area for every shape. */
export function shapePath(shape: Shape, radius: number): string {
  const r = radius;
  switch (shape) {
    case "circle":
      return `M${-r} 0A${r} ${r} 0 1 1 ${r} 0A${r} ${r} 0 1 1 ${-r} 0Z`;
    case "diamond":
      return `M${regular(4, r * 1.2)}Z`;
    case "square":
      return `M${regular(4, r * 1.26, Math.PI / 4)}Z`;
    case "triangle":
      return `M${regular(3, r * 1.3)}Z`;
    case "pentagon":
      return `M${regular(5, r * 1.12)}Z`;
    case "hexagon":
      return `M${regular(6, r * 1.1)}Z`;
    case "drop":
      return `M0 ${-r * 1.25}C${r * 0.55} ${-r * 0.75} ${r} ${-r * 0.35} ${r} ${r * 0.15}A${r} ${r} 0 0 1 ${-r} ${r * 0.15}C${-r} ${-r * 0.35} ${-r * 0.55} ${-r * 0.75} 0 ${-r * 1.25}Z`;
    case "cross": {
      const a = r * 1.08;
      const b = r * 0.62;
      return `M${-b} ${-a}H${b}V${-b}H${a}V${b}H${b}V${a}H${-b}V${b}H${-a}V${-b}H${-b}Z`;
    }
  }
}

/** The labels of a puzzle in their natural order: numbers by value, before words. */
export function naturalOrder(a: string, b: string): number {
  const [x, y] = [a, b].map((label) => (/^\d+$/.test(label) ? Number(label) : null));
  if (x !== null && y !== null) return x - y || a.length - b.length;
  if (x !== null) return -1;
  if (y !== null) return 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

export function labelsOf(...arrangements: (string | null)[][]): string[] {
  const names = new Set<string>();
  for (const cells of arrangements)
    for (const label of cells) if (label !== null && label !== "0") names.add(label);
  return [...names].sort(naturalOrder);
}
