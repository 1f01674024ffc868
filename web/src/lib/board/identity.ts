// Tokens keep an identity from position to position, so that a move slides the token it moves.

import type { Board, Cells } from "../types";

export interface Token {
  id: number;
  label: string;
  vertex: number;
}

export class Identities {
  #board: Board | null = null;
  #cells: Cells = [];
  #ids: number[] = [];
  #next = 0;

  /** The tokens of a position, those that stayed or moved since the last one under their old numbers. */
  of(board: Board, cells: Cells): Token[] {
    const same = this.#board === board && this.#cells.length === cells.length;
    const ids = cells.map((cell, v) => (same && cell !== null && this.#cells[v] === cell ? this.#ids[v] : -1));
    cells.forEach((cell, v) => {
      if (cell === null || ids[v] >= 0) return;
      const before = same
        ? this.#cells.findIndex((old, u) => old === cell && !ids.includes(this.#ids[u]))
        : -1;
      ids[v] = before >= 0 ? this.#ids[before] : this.#next++;
    });
    [this.#board, this.#cells, this.#ids] = [board, cells, ids];
    return cells
      .flatMap((cell, vertex) => (cell === null ? [] : [{ id: ids[vertex], label: cell, vertex }]))
      .sort((a, b) => a.id - b.id);
  }
}
