// Where the vertices of a board are drawn. Lengths are in units of the picture; a token's radius
// says how large everything else is.

import { hasRows } from "../names";
import type { Board } from "../types";
import { place } from "./graph";
import { hull } from "./hull";
import { project, type Rotation } from "./projection";

export type View = "flat" | "slices" | "projection";

export interface Point {
  x: number;
  y: number;
}

export interface Edge {
  a: number;
  b: number;
  /** The axis of an edge of a cube. */
  axis: number;
  /** Whether it lies on the far side of a projection. */
  far: boolean;
}

/** A bar or line beside the vertices that says what an axis is. */
export interface AxisMark {
  from: Point;
  to: Point;
  axis: number;
  text: string;
  at: Point;
  dashed: boolean;
}

export interface Caption {
  at: Point;
  text: string;
}

export interface Layout {
  width: number;
  height: number;
  points: Point[];
  /** The radius of a token. */
  radius: number;
  /** The side of the square tiles, where vertices are drawn as such. */
  tile: number | null;
  edges: Edge[];
  /** Whether edges are drawn thin, and those of one vertex at a time stand out, since there are many. */
  crowded: boolean;
  /** The faces whose outlines are drawn, where they cannot be seen from edges. */
  outlines: number[][];
  marks: AxisMark[];
  captions: Caption[];
  /** The sides of a grid over which rows or columns wrap around. */
  open: { from: Point; to: Point }[];
  /** The part of the picture in which each vertex lies; faces are drawn part by part. */
  parts: number[];
  /** Where arrow keys step from tile to tile: rows of vertices. They wrap on cubes and tori. */
  rows: number[][] | null;
  wraps: boolean;
}

export const AXES = ["x", "y", "z", "w", "v", "u"];
const GRAY = [0, 1, 3, 2];

/** The views that a board offers; the first is the usual one. */
export function viewsOf(board: Board): View[] {
  const d = board.family === "cube" ? (board.dimension ?? 0) : 0;
  if (d < 3) return ["flat"];
  if (d === 6) return ["flat", "slices", "projection"];
  return ["slices", "flat", "projection"];
}

const cubeEdges = (board: Board): Edge[] => {
  const edges: Edge[] = [];
  for (let a = 0; a < board.vertices; a++)
    for (let axis = 0; axis < (board.dimension ?? 0); axis++)
      if (!((a >> axis) & 1)) edges.push({ a, b: a | (1 << axis), axis, far: false });
  return edges;
};

const TILE = 100;
const GAP = 8;

/** A grid of tiles; the sides over which rows or columns wrap around are dashed. */
function gridLayout(board: Board): Layout {
  const { rows: height = 1, columns: width = 1 } = board;
  const rowsWrap = board.family === "cylinder" || board.family === "torus";
  const columnsWrap = board.family === "torus";
  const margin = rowsWrap ? 12 : 0;
  const [left, right] = [margin / 2, width * TILE + 1.5 * margin];
  const [top, bottom] = [margin / 2, height * TILE + 1.5 * margin];
  const side = (x1: number, y1: number, x2: number, y2: number) => ({
    from: { x: x1, y: y1 },
    to: { x: x2, y: y2 },
  });
  const open = [
    ...(rowsWrap ? [side(left, top, left, bottom), side(right, top, right, bottom)] : []),
    ...(columnsWrap ? [side(left, top, right, top), side(left, bottom, right, bottom)] : []),
  ];
  const rows = Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (_, column) => row * width + column),
  );
  const points = rows.flat().map((vertex) => ({
    x: margin + (vertex % width) * TILE + TILE / 2,
    y: margin + Math.floor(vertex / width) * TILE + TILE / 2,
  }));
  return {
    width: width * TILE + 2 * margin,
    height: height * TILE + 2 * margin,
    points,
    radius: TILE * 0.44,
    tile: TILE - 4,
    edges: [],
    crowded: false,
    outlines: [],
    marks: [],
    captions: [],
    open,
    parts: points.map(() => 0),
    rows,
    wraps: columnsWrap,
  };
}

/**
 * A cube as tori: rows and columns of each are in Gray order, so that edges join neighbouring tiles
 * (with wrap) and every square is a block, a row or a column.
 */
function flatLayout(board: Board, mini: boolean): Layout {
  const d = board.dimension ?? 1;
  const columnCodes = d === 1 ? [0, 1] : d === 2 ? [0, 1] : GRAY;
  const columnAxes = d <= 2 ? [0] : [0, 1];
  const rowAxes = d === 1 ? [] : d === 2 ? [1] : d === 3 ? [2] : [2, 3];
  const rowCodes = rowAxes.length === 0 ? [0] : rowAxes.length === 1 ? [0, 1] : GRAY;
  const shift = columnAxes.length;
  const toriAcross = d >= 5 ? 2 : 1;
  const toriDown = d === 6 ? 2 : 1;
  // Large pictures are shown small on phones, where their letters are relatively larger.
  const [first, second] = d >= 5 ? [14, 38] : [9, 22];
  const margin = mini ? 0 : second + 12;
  const head = mini ? 0 : d >= 5 ? 42 : 0;
  const between = mini ? 26 : 44;
  const side = columnCodes.length * TILE;
  const tall = rowCodes.length * TILE;
  const points: Point[] = Array.from({ length: board.vertices });
  const parts: number[] = Array.from({ length: board.vertices });
  const rows: number[][] = [];
  const marks: AxisMark[] = [];
  const captions: Caption[] = [];
  for (let down = 0; down < toriDown; down++)
    for (let right = 0; right < toriAcross; right++) {
      const torus = right + 2 * down;
      const left = margin + right * (side + between);
      const top = margin + head + down * (tall + between + head);
      rowCodes.forEach((rowCode, row) => {
        const line: number[] = [];
        columnCodes.forEach((columnCode, column) => {
          const vertex = columnCode | (rowCode << shift) | (torus << 4);
          points[vertex] = { x: left + (column + 0.5) * TILE, y: top + (row + 0.5) * TILE };
          parts[vertex] = torus;
          line.push(vertex);
        });
        const index = down * rowCodes.length + row;
        rows[index] = [...(rows[index] ?? []), ...line];
      });
      if (head) {
        const text = `v = ${right}${d === 6 ? `, u = ${down}` : ""}`;
        captions.push({ at: { x: left + side / 2, y: top - second - 18 }, text });
      }
      if (mini) continue;
      // A bar spans the columns or rows where a coordinate is 1.
      const span = (codes: number[], bit: number): [number, number] => {
        const ones = codes.flatMap((code, i) => ((code >> bit) & 1 ? [i] : []));
        return [ones[0], ones[ones.length - 1] + 1];
      };
      columnAxes.forEach((axis, bit) => {
        const [from, until] = span(columnCodes, bit);
        const y = top - (columnAxes.length > 1 && bit === 0 ? second : first);
        const [x1, x2] = [left + from * TILE + GAP, left + until * TILE - GAP];
        marks.push({
          from: { x: x1, y },
          to: { x: x2, y },
          axis,
          text: AXES[axis],
          at: { x: (x1 + x2) / 2, y },
          dashed: false,
        });
      });
      rowAxes.forEach((axis, bit) => {
        if (right > 0) return;
        const [from, until] = span(rowCodes, bit);
        const x = left - (rowAxes.length > 1 && bit === 0 ? second : first);
        const [y1, y2] = [top + from * TILE + GAP, top + until * TILE - GAP];
        marks.push({
          from: { x, y: y1 },
          to: { x, y: y2 },
          axis,
          text: AXES[axis],
          at: { x, y: (y1 + y2) / 2 },
          dashed: false,
        });
      });
    }
  return {
    width: margin + toriAcross * side + (toriAcross - 1) * between + (mini ? 0 : 6),
    height: margin + toriDown * (tall + head) + (toriDown - 1) * between + (mini ? 0 : 6),
    points,
    radius: 27,
    tile: TILE - GAP,
    edges: [],
    crowded: false,
    outlines: [],
    marks,
    captions,
    open: [],
    parts,
    rows,
    wraps: true,
  };
}

/** A cube as nested cubes side by side: w across, v down, u across again, or down where there is little room. */
function slicesLayout(board: Board, mini: boolean, narrow: boolean): Layout {
  const d = board.dimension ?? 3;
  const across = d >= 6 && !narrow ? 4 : d >= 4 ? 2 : 1;
  const down = d >= 6 && narrow ? 4 : d >= 5 ? 2 : 1;
  /** The two halves of a 6-cube are a little further apart. */
  const apart = d >= 6 ? 24 : 0;
  const outer = d === 3 ? 200 : 132;
  const inner = outer * 0.48;
  const pad = mini ? (d === 3 ? 44 : 36) : d === 3 ? 56 : 48;
  const between = mini ? 78 : d >= 6 ? 84 : 100;
  const block = outer * 2;
  const caption = mini ? 0 : d === 4 ? 34 : 0;
  const low = mini ? between : 92;
  const points: Point[] = [];
  const parts: number[] = [];
  const centre = (part: number): Point => {
    const [w, v, u] = [part & 1, (part >> 1) & 1, (part >> 2) & 1];
    const [column, row] = narrow ? [w, v + 2 * u] : [w + 2 * u, v];
    return {
      x: pad + outer + column * (block + between) + (u && !narrow ? apart : 0),
      y: pad + outer + row * (block + low) + (u && narrow ? apart : 0),
    };
  };
  for (let vertex = 0; vertex < board.vertices; vertex++) {
    const part = vertex >> 3;
    const reach = (vertex >> 2) & 1 ? inner : outer;
    const { x, y } = centre(part);
    points.push({
      x: x + (vertex & 1 ? reach : -reach),
      y: y + ((vertex >> 1) & 1 ? reach : -reach),
    });
    parts.push(part);
  }
  const marks: AxisMark[] = [];
  const captions: Caption[] = [];
  const width = 2 * pad + across * block + (across - 1) * between + (narrow ? 0 : apart);
  const height = 2 * pad + down * block + (down - 1) * low + caption + (narrow ? apart : 0);
  if (!mini) {
    for (let part = 0; part < 1 << Math.max(0, d - 3); part++) {
      const { x, y } = centre(part);
      if (d === 4)
        captions.push({ at: { x, y: y + outer + 56 }, text: `w = ${part}` });
      const bits = [
        { axis: 3, bit: 1, horizontal: true },
        { axis: 4, bit: 2, horizontal: false },
      ];
      for (const { axis, bit, horizontal } of bits) {
        if (axis >= d || part & bit) continue;
        const other = centre(part | bit);
        const [from, to] = horizontal
          ? [
              { x: x + outer + 20, y },
              { x: other.x - outer - 20, y },
            ]
          : [
              { x, y: y + outer + 20 },
              { x, y: other.y - outer - 20 },
            ];
        marks.push({
          from,
          to,
          axis,
          text: AXES[axis],
          at: { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 },
          dashed: true,
        });
      }
    }
    if (d >= 6) {
      // Between the last cubes of the half before and the first ones of the half after.
      const [before, after] = [centre(narrow ? 2 : 1), centre(4)];
      const middle = narrow ? (before.x + centre(3).x) / 2 : (before.y + centre(3).y) / 2;
      const [one, two] = narrow ? [before.y, after.y] : [before.x, after.x];
      const place = (along: number): Point => (narrow ? { x: middle, y: along } : { x: along, y: middle });
      marks.push({
        from: place(one + outer + 12),
        to: place(two - outer - 12),
        axis: 5,
        text: "u",
        at: place((one + two) / 2),
        dashed: true,
      });
    }
  }
  return {
    width,
    height,
    points,
    radius: d === 3 ? 27 : 25,
    tile: null,
    edges: cubeEdges(board).filter(({ axis }) => axis < 3),
    crowded: false,
    outlines: [],
    marks,
    captions,
    open: [],
    parts,
    rows: null,
    wraps: false,
  };
}

function projectionLayout(board: Board, rotation: Rotation, mini: boolean): Layout {
  const d = board.dimension ?? 3;
  const size = 640;
  const radius = d === 3 ? 27 : d === 4 ? 23 : d === 5 ? 17 : 12;
  const half = size / 2 - radius * (mini ? 1.5 : 2);
  const places = Array.from({ length: board.vertices }, (_, v) => project(rotation, v));
  // Turning never changes the scale; few views reach the frame, so it is drawn a little larger.
  const scale = half / 0.86;
  const points = places.map(([x, y]) => ({ x: size / 2 + x * scale, y: size / 2 + y * scale }));
  const depth = places.map(([, , z]) => z);
  const edges = cubeEdges(board).map((edge) => ({
    ...edge,
    far: (depth[edge.a] + depth[edge.b]) / 2 < -0.25,
  }));
  return {
    width: size,
    height: size,
    points,
    radius,
    tile: null,
    edges,
    crowded: false,
    outlines: [],
    marks: [],
    captions: [],
    open: [],
    parts: points.map(() => 0),
    rows: null,
    wraps: false,
  };
}

/** The least number of edges among which the eye loses a single one. */
const CROWDED = 60;

/** Any graph, or faces without edges. */
function graphLayout(board: Board, mini: boolean): Layout {
  const { places, apart, clear } = place(board);
  const pad = mini ? 44 : 64;
  const scale = 640 - 2 * pad;
  const [width, height] = [Math.max(...places.map(({ x }) => x)), Math.max(...places.map(({ y }) => y))].map(
    (extent) => extent * scale,
  );
  // Small pictures of few vertices have room around them.
  const [left, top] = [Math.max(0, 200 - width) / 2, Math.max(0, 120 - height) / 2];
  const crowded = (board.edges ?? []).length >= CROWDED;
  return {
    width: width + 2 * (pad + left),
    height: height + 2 * (pad + top),
    points: places.map(({ x, y }) => ({ x: pad + left + x * scale, y: pad + top + y * scale })),
    // Tokens do not lie on edges of others, unless they would have to be very small or there are too many edges.
    radius: Math.min(29, Math.max(9, Math.min(apart * 0.31, Math.max(clear * 0.8, apart * (crowded ? 0.29 : 0.22))) * scale)),
    tile: null,
    edges: (board.edges ?? []).map(([a, b]) => ({ a, b, axis: 0, far: false })),
    crowded,
    outlines: board.edges ? [] : board.faces,
    marks: [],
    captions: [],
    open: [],
    parts: places.map(() => 0),
    rows: null,
    wraps: false,
  };
}

const kept = new Map<string, Layout>();

/** The layout of a board; only projections need a rotation, and a narrow window needs other slices. */
export function layoutOf(board: Board, view: View, mini: boolean, rotation: Rotation, narrow = false): Layout {
  if (board.family === "cube" && (board.dimension ?? 0) >= 3 && view === "projection")
    return projectionLayout(board, rotation, mini);
  const key = `${board.board} ${board.metric} ${view} ${mini} ${narrow}`;
  let layout = kept.get(key);
  if (!layout) {
    if (hasRows(board)) layout = gridLayout(board);
    else if (board.family !== "cube") layout = graphLayout(board, mini);
    else if (view === "slices" && (board.dimension ?? 0) >= 3) layout = slicesLayout(board, mini, narrow && board.dimension === 6);
    else layout = flatLayout(board, mini);
    kept.set(key, layout);
  }
  return layout;
}

/** How far from a vertex it is still meant, in radii of a token: about as far as two neighbours are apart. */
const REACH = 3;

/**
 * The vertex that is meant by a place to which a token was dragged: the nearest one, if any is near. Where
 * vertices lie on each other, as in projections, destinations come first.
 */
export function aim(points: Point[], radius: number, destinations: number[], at: Point): number | null {
  const distance = (vertex: number): number => Math.hypot(at.x - points[vertex].x, at.y - points[vertex].y);
  const nearest = (vertices: number[]): number =>
    vertices.reduce((least, vertex) => (distance(vertex) < distance(least) ? vertex : least), vertices[0]);
  if (destinations.length) {
    const meant = nearest(destinations);
    if (distance(meant) < radius) return meant;
  }
  const found = nearest([...points.keys()]);
  return distance(found) < REACH * radius ? found : null;
}

/** A path around the vertices of a face, part by part; to be drawn with a wide round stroke. */
export function faceOutline(layout: Layout, face: number[]): string {
  const parts = new Map<number, Point[]>();
  for (const vertex of face) {
    const part = layout.parts[vertex];
    parts.set(part, [...(parts.get(part) ?? []), layout.points[vertex]]);
  }
  return [...parts.values()]
    .map((points) => {
      const around = hull(points);
      const path = around.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
      return around.length === 1 ? `M${path}h0.01` : `M${path}Z`;
    })
    .join("");
}
