// One play of one puzzle: the position, its history, the selected token and the clock.

import { multiTileCount, writePuzzle } from "./notation";
import { destinations, isLegal, isSolved, play } from "./rule";
import type { Cells, Move, Puzzle, TimedMove } from "./types";

const EMPTY: Puzzle = {
  puzzle: "",
  board: { board: "", metric: "face", family: "graph", vertices: 0, faces: [], edges: [] },
  labels: [],
  start: [],
  goal: [],
  goal_text: "",
};

export class Session {
  puzzle = $state.raw<Puzzle>(EMPTY);
  cells = $state.raw<Cells>([]);
  /** All moves, those that were undone included. */
  history = $state.raw<TimedMove[]>([]);
  /** How many moves of the history are played. */
  cursor = $state(0);
  selected = $state<number | null>(null);
  /** Milliseconds on the clock. */
  elapsed = $state(0);
  running = $state(false);
  /** Whether the clock goes on after the last move, until the player says that it was the last. */
  blind = $state(false);
  /** Whether moves are being played back. */
  playing = $state(false);

  played: TimedMove[] = $derived(this.history.slice(0, this.cursor));
  /** Single-tile moves. */
  stm: number = $derived(this.cursor);
  /** Moves where tiles that slide together count once; null where they cannot. */
  mtm: number | null = $derived(
    multiTileCount(this.puzzle.board, this.puzzle.start, this.played),
  );
  solved: boolean = $derived(isSolved(this.puzzle.goal, this.cells) && this.cells.length > 0);
  destinations: number[] = $derived(
    this.selected === null
      ? []
      : destinations(this.puzzle.board, this.cells, this.selected),
  );
  canUndo: boolean = $derived(this.cursor > 0);
  canRedo: boolean = $derived(this.cursor < this.history.length);

  #clockStart = 0;
  #playback = 0;

  constructor(puzzle?: Puzzle) {
    if (puzzle) this.load(puzzle);
  }

  /** Starts a puzzle, or goes on with a play of it. */
  load(puzzle: Puzzle, history: TimedMove[] = [], cursor = history.length, elapsed = 0): void {
    this.stop();
    this.puzzle = puzzle;
    this.history = history;
    this.selected = null;
    this.elapsed = elapsed || history.reduce((sum, { ms }) => sum + ms, 0);
    this.running = false;
    this.#goTo(cursor);
  }

  #goTo(cursor: number): void {
    this.cursor = Math.max(0, Math.min(cursor, this.history.length));
    this.cells = this.history.slice(0, this.cursor).reduce<Cells>(play, this.puzzle.start);
  }

  /** Selects the token on a vertex, or nothing. */
  select(vertex: number | null): void {
    this.selected = vertex !== null && this.cells[vertex] !== null ? vertex : null;
  }

  /** Plays a move if it is legal, and returns whether it was. */
  move(move: { from: number; to: number }): boolean {
    const token = this.cells[move.from];
    if (token === null || !isLegal(this.puzzle.board, this.cells, move.from, move.to)) return false;
    const now = performance.now();
    // The clock starts with the first move and stands still while the page is left.
    this.begin();
    // The times of all moves add up to the clock, also where some were taken back.
    const before = this.played.reduce((sum, { ms }) => sum + ms, 0);
    const ms = Math.max(0, Math.round(now - this.#clockStart - before));
    const { from, to } = move;
    this.history = [...this.history.slice(0, this.cursor), { token, from, to, ms }];
    this.cursor += 1;
    this.cells = play(this.cells, move);
    this.selected = null;
    this.tick();
    if (this.solved && !this.blind) this.running = false;
    return true;
  }

  /** Starts the clock before the first move. */
  begin(): void {
    if (this.running) return;
    this.#clockStart = performance.now() - this.elapsed;
    this.running = true;
  }

  /** Brings the clock up to date. */
  tick(): void {
    if (this.running) this.elapsed = performance.now() - this.#clockStart;
  }

  pause(): void {
    this.tick();
    this.running = false;
  }

  undo(): void {
    this.stop();
    this.selected = null;
    this.#goTo(this.cursor - 1);
  }

  redo(): void {
    this.stop();
    this.selected = null;
    this.#goTo(this.cursor + 1);
  }

  /** Goes to the position after the given number of moves of the history. */
  jump(cursor: number): void {
    this.stop();
    this.selected = null;
    this.#goTo(cursor);
  }

  reset(): void {
    this.load(this.puzzle);
  }

  /** The puzzle line of the position now. */
  line(): string {
    return this.cells.length
      ? writePuzzle(this.puzzle.board, this.cells, this.puzzle.goal)
      : "";
  }

  /** Plays moves from the position now, `speed` of them a second; resolves to whether all were played. */
  async animateTo(moves: Move[], speed = 4): Promise<boolean> {
    this.stop();
    const run = ++this.#playback;
    this.playing = true;
    for (const move of moves) {
      await new Promise((resolve) => setTimeout(resolve, 1000 / speed));
      if (run !== this.#playback) return false;
      if (this.move(move)) continue;
      this.playing = false;
      return false;
    }
    this.playing = false;
    return true;
  }

  /** Ends a playback. */
  stop(): void {
    this.#playback += 1;
    this.playing = false;
  }
}
