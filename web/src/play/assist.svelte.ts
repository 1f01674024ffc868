// What the server knows about the position on the board: its distance, hints, whether it can be
// solved at all. Everything is asked lazily and kept.

import { api, ApiError } from "../lib/api";
import { messageOf } from "../lib/errors";
import type { Least } from "../lib/least";
import { play } from "../lib/rule";
import { writePuzzle } from "../lib/notation";
import type { Session } from "../lib/session.svelte";
import type { Cells, Distribution, Hint, Solvability } from "../lib/types";

/** When a position is asked about again whose shortest solution the server was still proving, in ms. */
const AGAIN_MS = [700, 3000, 12_000];

/** Servers make tables of a few million positions on the fly; larger ones are not asked for. */
const MOST_POSITIONS = 4e6;

/** The number of ways to place the tokens. */
function positions(cells: Cells): number {
  const times = new Map<string, number>();
  let product = 1;
  let free = cells.length;
  for (const cell of cells) {
    if (cell === null) continue;
    const nth = (times.get(cell) ?? 0) + 1;
    times.set(cell, nth);
    product *= free-- / nth;
  }
  return product;
}

export class Assist {
  solvability = $state.raw<Solvability | null>(null);
  distribution = $state.raw<Distribution | null>(null);
  hint = $state.raw<Hint | null>(null);
  /** The position that the hint is about. */
  hintLine = $state("");
  hintProblem = $state<string | null>(null);
  asking = $state(false);
  #distances = $state.raw<Map<string, Least>>(new Map());
  #puzzle = "";
  #hasTable = true;
  #pending = new Set<string>();
  /** Positions that are asked about again. */
  #unproven = new Set<string>();

  constructor(readonly session: Session) {}

  /** Begins with a new puzzle, whose minimum may be known. */
  async begin(minimum: number | null): Promise<void> {
    this.#puzzle = this.session.puzzle.puzzle;
    this.#hasTable = positions(this.session.puzzle.start) <= MOST_POSITIONS;
    this.#pending.clear();
    this.solvability = null;
    this.distribution = null;
    this.forgetHint();
    this.asking = false;
    this.#distances = new Map();
    if (minimum !== null) this.#learn(this.#startLine(), { moves: minimum, proven: true });
    await this.catchUp();
  }

  /** Takes back what was said about the next move. */
  forgetHint(): void {
    [this.hint, this.hintLine, this.hintProblem] = [null, "", null];
  }

  /** Asks whether the puzzle can be solved, and for all distances, unless that is known. */
  async catchUp(): Promise<void> {
    const line = this.session.line();
    const start = this.#puzzle;
    this.hintProblem = null;
    const solvable = this.solvability ?? (await api.solvability(start).catch(() => null));
    if (this.#puzzle !== start) return;
    this.solvability = solvable;
    if (solvable?.solvable === false) return;
    await this.ask(this.#startLine());
    if (line !== this.#startLine()) await this.ask(line);
  }

  #startLine(): string {
    const { board, start, goal } = this.session.puzzle;
    return writePuzzle(board, start, goal);
  }

  #learn(line: string, distance: Least): void {
    const known = this.#distances.get(line);
    if (known?.proven) return;
    this.#distances = new Map(this.#distances).set(line, distance);
  }

  /** The distance of a position, if it is known. */
  distanceOf(line: string): Least | null {
    return this.#distances.get(line) ?? null;
  }

  get minimum(): Least | null {
    return this.session.cells.length ? this.distanceOf(this.#startLine()) : null;
  }

  /** Asks for the distance of a position, unless it is known. */
  async ask(line: string): Promise<void> {
    if (!line || this.#pending.has(line)) return;
    if (this.distanceOf(line)?.proven && (this.distribution || !this.#hasTable)) return;
    const start = this.#puzzle;
    const { cells } = this.session;
    this.#pending.add(line);
    try {
      if (this.#hasTable) {
        try {
          const all = await api.distribution(line);
          if (start !== this.#puzzle) return;
          this.distribution ??= all;
          if (all.distance !== null) this.#learn(line, { moves: all.distance, proven: true });
          return;
        } catch (error) {
          // Too large for a whole table: hints still know most distances.
          if (!(error instanceof ApiError) || ![422, 501].includes(error.status)) return;
          if (start === this.#puzzle) this.#hasTable = false;
        }
      }
      if (this.distanceOf(line)) return;
      const hint = await this.#hintOf(line, cells);
      if (hint && !hint.proven) void this.#askAgain(line, cells);
    } finally {
      this.#pending.delete(line);
    }
  }

  /** Asks for a hint, and keeps what it says while the puzzle is the same. */
  async #hintOf(line: string, cells: Cells): Promise<Hint | null> {
    const start = this.#puzzle;
    const hint = await api.hint(line).catch(() => null);
    if (!hint || start !== this.#puzzle) return null;
    const { board, goal } = this.session.puzzle;
    if (line === writePuzzle(board, cells, goal)) this.#keep(hint, cells, line);
    else if (hint.distance !== null)
      this.#learn(line, { moves: hint.distance, proven: hint.proven });
    return hint;
  }

  /**
   * Asks about a position again while the server proves what it said. Of the positions of a play only
   * the one on the board is worth it, and the start, whose distance is the minimum.
   */
  async #askAgain(line: string, cells: Cells): Promise<void> {
    if (this.#unproven.has(line)) return;
    this.#unproven.add(line);
    const start = this.#puzzle;
    for (const wait of AGAIN_MS) {
      await new Promise((done) => setTimeout(done, wait));
      const isShown = line === this.session.line() || line === this.#startLine();
      if (start !== this.#puzzle || !isShown || this.distanceOf(line)?.proven) break;
      const hint = await this.#hintOf(line, cells);
      if (!hint) break;
      if (this.hint && this.hintLine === line && hint.proven) this.hint = hint;
      if (hint.proven) break;
    }
    this.#unproven.delete(line);
  }

  /** Keeps the distances along the way that a hint knows. */
  #keep(hint: Hint, cells: Cells, line: string): void {
    if (hint.distance === null) return;
    const { board, goal } = this.session.puzzle;
    this.#learn(line, { moves: hint.distance, proven: hint.proven });
    let now = cells;
    hint.solution.forEach((move, i) => {
      now = play(now, move);
      this.#learn(writePuzzle(board, now, goal), {
        moves: (hint.distance ?? 0) - i - 1,
        proven: hint.proven,
      });
    });
  }

  /** Asks for a hint for the position; null where there is none, or the puzzle was changed. */
  async askHint(): Promise<Hint | null> {
    const line = this.session.line();
    const cells = this.session.cells;
    const start = this.#puzzle;
    this.asking = true;
    this.hintProblem = null;
    try {
      const hint = await api.hint(line);
      if (start !== this.#puzzle) return null;
      this.#keep(hint, cells, line);
      this.hint = hint;
      this.hintLine = line;
      if (!hint.proven && hint.distance !== null) void this.#askAgain(line, cells);
      return hint;
    } catch (error) {
      if (start === this.#puzzle) this.hintProblem = messageOf(error);
      return null;
    } finally {
      if (start === this.#puzzle) this.asking = false;
    }
  }
}
