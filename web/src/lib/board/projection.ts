// Orthographic projections of cubes: a rotation of d-space, whose first two rows are the screen.

/** The rows of an orthonormal matrix: across, down, and the others in order of depth. */
export type Rotation = number[][];

const dot = (a: number[], b: number[]): number => a.reduce((sum, x, i) => sum + x * b[i], 0);

/** Completes rows to an orthonormal matrix. */
export function orthonormal(rows: number[][], dimension: number): Rotation {
  const result: Rotation = [];
  const unit = (axis: number): number[] =>
    Array.from({ length: dimension }, (_, i) => (i === axis ? 1 : 0));
  const candidates = [...rows, ...Array.from({ length: dimension }, (_, axis) => unit(axis))];
  for (const row of candidates) {
    let rest = row.slice();
    for (const known of result) {
      const along = dot(rest, known);
      rest = rest.map((x, i) => x - along * known[i]);
    }
    const length = Math.sqrt(dot(rest, rest));
    if (length > 1e-6 && result.length < dimension) result.push(rest.map((x) => x / length));
  }
  return result;
}

// Rows that keep the vertices as far as possible from each other and from the edges of others.
const BALANCED: Record<number, number[][]> = {
  3: [
    [0.939, 0.145, 0.313],
    [0.032, 0.867, -0.497],
  ],
  4: [
    [0.893, 0.06, -0.384, -0.228],
    [0.05, 0.887, 0.394, -0.236],
  ],
  5: [
    [0.775, -0.261, -0.533, -0.16, 0.149],
    [0.409, 0.856, 0.188, -0.195, -0.164],
  ],
  6: [
    [0.695, 0.059, -0.507, 0.382, -0.328, 0.046],
    [-0.332, 0.829, -0.193, 0.219, -0.049, -0.338],
  ],
};

// The screen plane of the Coxeter element, in which all 16 vertices of the tesseract are apart.
const PETRIE = [0, 1, 2, 3].map((i) => ((2 * i + 1) * Math.PI) / 8);

/** The resting view of the cube of this dimension. */
export function balanced(dimension: number): Rotation {
  return orthonormal(BALANCED[dimension] ?? [], dimension);
}

/** The Petrie view of the tesseract. */
export function petrie(): Rotation {
  return orthonormal([PETRIE.map(Math.cos), PETRIE.map(Math.sin)], 4);
}

/** Turns the picture in the plane of two rows of the rotation. */
export function turnRows(rotation: Rotation, i: number, j: number, angle: number): Rotation {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return rotation.map((row, r) => {
    if (r === i) return row.map((x, n) => c * x - s * rotation[j][n]);
    if (r === j) return row.map((x, n) => s * rotation[i][n] + c * x);
    return row;
  });
}

/** Turns the cube itself in the plane of two of its axes. */
export function turnAxes(rotation: Rotation, i: number, j: number, angle: number): Rotation {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return rotation.map((row) =>
    row.map((x, n) => {
      if (n === i) return c * x - s * row[j];
      if (n === j) return s * row[i] + c * x;
      return x;
    }),
  );
}

/** The position of a vertex of the cube: across, down and depth, each within the unit ball. */
export function project(rotation: Rotation, vertex: number): [number, number, number] {
  const scale = 2 / Math.sqrt(rotation.length);
  const at = (row: number[]): number =>
    scale * row.reduce((sum, x, i) => sum + x * (((vertex >> i) & 1) - 0.5), 0);
  return [at(rotation[0]), at(rotation[1]), rotation[2] ? at(rotation[2]) : 0];
}
