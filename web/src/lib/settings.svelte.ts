// What the reader chose, kept in the browser.

import { viewsOf, type View } from "./board/layout";
import { read, write } from "./storage";
import type { Board } from "./types";

interface Settings {
  /** The view of each kind of board. */
  views: Record<string, View>;
  fringe: boolean;
  numbers: boolean;
  hover: boolean;
  /** Numbers of tiles vanish after the first move. */
  blind: boolean;
  distance: boolean;
}

const otherwise: Settings = {
  views: {},
  fringe: false,
  numbers: false,
  hover: false,
  blind: false,
  distance: true,
};

export const settings = $state<Settings>({ ...otherwise, ...read("settings", {}) });

export function saveSettings(): void {
  write("settings", $state.snapshot(settings));
}

export const viewKey = (board: Board): string => `${board.family}${board.dimension ?? ""}`;

/** The view that the reader chose for boards of this kind, or else the usual one. */
export function viewOf(board: Board, narrow: boolean): View {
  const views = viewsOf(board);
  const chosen = settings.views[viewKey(board)];
  if (chosen && views.includes(chosen)) return chosen;
  // Two cubes side by side are small on a phone, and the flat picture says as much.
  return narrow && board.dimension === 4 ? "flat" : views[0];
}
