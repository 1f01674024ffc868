// Boards that were asked for, each once, however many pictures show it.

import type { Board, Metric } from "../lib/types";

const boards = new Map<string, Promise<Board>>();

export function boardOf(
  spec: string,
  metric: Metric,
  ask: (spec: string, metric: Metric) => Promise<Board>,
): Promise<Board> {
  const name = `${spec} ${metric}`;
  let board = boards.get(name);
  if (!board) {
    board = ask(spec, metric);
    boards.set(name, board);
    board.catch(() => boards.delete(name));
  }
  return board;
}
