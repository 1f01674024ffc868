// The vocabulary of the HTTP interface, which the rest of the page shares.

export type Metric = "face" | "edge";

/** The label on each vertex; null is an empty vertex (in a goal: "anything"). */
export type Cells = (string | null)[];

export interface Board {
  /** The board in the notation of puzzles, such as `cube:4:2`. */
  board: string;
  metric: Metric;
  family: "grid" | "cylinder" | "torus" | "cube" | "graph" | "faces";
  rows?: number;
  columns?: number;
  /** Bit i of a vertex of a cube is its coordinate i. */
  dimension?: number;
  k?: number;
  vertices: number;
  /** The vertices of each face, ascending. */
  faces: number[][];
  edges: [number, number][] | null;
}

export interface Puzzle {
  puzzle: string;
  board: Board;
  labels: string[];
  start: Cells;
  /** The wanted label of each vertex, "0" where it must be empty, null where anything may be. */
  goal: Cells;
  goal_text: string;
}

export interface Move {
  token: string;
  from: number;
  to: number;
}

/** A move with the milliseconds since the move before it. */
export interface TimedMove extends Move {
  ms: number;
}

export interface BoardKind {
  name: string;
  syntax: string;
  summary: string;
  example: string;
}

export interface Replay {
  moves: Move[];
  reaches_goal: boolean;
  end: Cells;
}

export interface Level {
  id: string;
  title: string;
  puzzle: string;
  board: string;
  tokens: number;
  minimum: number | null;
  /** The printed minimum, where it differs from the true one. */
  published: string | null;
  note: string | null;
  source: string;
}

export interface LevelGroup {
  id: string;
  title: string;
  text: string;
  levels: Level[];
}

export interface Levels {
  groups: LevelGroup[];
}

export interface Daily {
  date: string;
  number: number;
  title: string;
  puzzle: string;
  minimum: number | null;
  next_s: number;
  law: string;
}

export interface RandomRequest {
  board: string;
  metric?: Metric;
  /** As many as leave one vertex empty when it is missing. */
  tokens?: number;
  law: "uniform" | "distance" | "walk";
  distance?: number;
  /** The slides of a walk from the goal. */
  slides?: number;
  seed?: number | string;
}

export interface RandomPuzzle {
  puzzle: string;
  seed: number | string;
  law: string;
  distance: number | null;
}

export interface Solvability {
  solvable: boolean | null;
  reason: "parity" | "permutation-group" | "stuck-token" | "component" | null;
  explanation: string | null;
  certificate: Record<string, unknown> | null;
}

export interface Hint {
  distance: number | null;
  proven: boolean;
  source: "table" | "search" | "unsolvable" | "unknown";
  moves: Move[];
  solution: Move[];
  explanation: string;
}

export interface Distribution {
  states: number;
  counts: number[];
  distance: number | null;
  unreachable: boolean;
}

export interface Setting {
  name: string;
  value: string;
  default: string;
  summary: string;
  allowed: string;
  type: "integer" | "integer-or-auto" | "number" | "choice" | "subset" | "text";
  minimum?: number;
  maximum?: number;
  decimal_places?: number;
  choices?: string[];
}

export interface Algorithm {
  name: string;
  summary: string;
  optimal: boolean;
  guarantee: string;
  bound?: string;
  when: string;
  source: string;
  uses_heuristic: boolean;
  looks_up_tables: boolean;
  shows_expansions: boolean;
  settings: Setting[];
}

export interface Heuristic {
  name: string;
  summary: string;
  admissible: boolean;
  consistent: boolean;
  parameter?: Setting;
}

export interface Algorithms {
  algorithms: Algorithm[];
  heuristics: Heuristic[];
}

export interface JobRequest {
  puzzle: string;
  algorithm: string;
  heuristic?: string;
  settings?: Record<string, string>;
  seed?: number;
  limits?: { seconds?: number; memory_bytes?: number; nodes?: number };
  observe?: boolean;
}

export interface JobCreated {
  id: string;
  key: string;
  events: string;
}

export interface Progress {
  expanded: number;
  generated: number;
  lower_bound: number;
  length: number | null;
  seconds: number;
  bytes: number;
}

export interface SolveResult {
  status: "solved" | "unsolvable" | "limit-reached" | "error";
  optimal?: boolean;
  moves?: Move[];
  length?: number;
  lower_bound?: number;
  gap?: number;
  reason?: string;
  explanation?: string;
  certificate?: Record<string, unknown>;
  limit?: string;
  stats?: {
    expanded: number;
    generated: number;
    stored: number;
    wall_s: number;
    cpu_s: number;
    peak_bytes: number;
    [name: string]: unknown;
  };
  algorithm?: string;
  /** Why the automatic choice fell on that algorithm, as a clause. */
  choice?: string;
  /** The heuristic that a long search found best for the puzzle. */
  heuristic?: string;
  seed?: number;
  puzzle?: string;
}

export interface Job {
  id: string;
  state: "queued" | "running" | "done";
  position?: number;
  progress?: Progress;
  result?: SolveResult;
}

export interface JobHandlers {
  queued?: (event: { position: number }) => void;
  progress?: (event: Progress) => void;
  done?: (event: SolveResult) => void;
  shutdown?: (event: object) => void;
  /** The connection was lost and is not being restored. */
  lost?: (event: object) => void;
}

export interface Expansion {
  order: number;
  search: number;
  /** The algorithm of the search it belongs to. */
  algorithm?: string;
  end: "start" | "goal";
  g: number;
  h: number | null;
  cells: Cells;
  parent: Cells | null;
}

export interface Expansions {
  mark: number;
  stride: number;
  seen: number;
  expansions: Expansion[];
}

export interface LessonNode {
  id: number;
  parent: number | null;
  cells: Cells;
  g: number;
  /** Null: the goal cannot be reached from here. */
  h: number | null;
  move: Move | null;
  /** The number of its expansion; null when it is still open at the end. */
  expanded: number | null;
}

export interface Lesson {
  heuristic: string;
  optimal_length: number;
  nodes: LessonNode[];
  expansions: number[];
  generated: number[][];
  solution: number[];
}
