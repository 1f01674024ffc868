// What keys do on the play page. Every key can be changed; the choice is kept in the browser.

import { read, write } from "../lib/storage";

export const ACTIONS = {
  undo: "Undo",
  redo: "Redo",
  hint: "Show a hint",
  solve: "Solve",
  reset: "Start again",
  new: "New puzzle",
  scramble: "Another puzzle of this kind",
  view: "Next view",
  face: "Show the next free face",
  blockers: "Show what blocks the token",
  sliceBack: "To the slice before",
  sliceOn: "To the next slice",
  type: "Type moves",
  share: "Copy a link",
  tileUp: "Tile up",
  tileDown: "Tile down",
  tileLeft: "Tile left",
  tileRight: "Tile right",
  keys: "This list",
} as const;

export type Action = keyof typeof ACTIONS;

export const usual: Record<Action, string> = {
  undo: "u",
  redo: "r",
  hint: "h",
  solve: "s",
  reset: "Backspace",
  new: "n",
  scramble: " ",
  view: "v",
  face: "f",
  blockers: "b",
  sliceBack: "[",
  sliceOn: "]",
  type: "m",
  share: "l",
  tileUp: "ArrowUp",
  tileDown: "ArrowDown",
  tileLeft: "ArrowLeft",
  tileRight: "ArrowRight",
  keys: "?",
};

export const keys = $state<{ of: Record<Action, string> }>({
  of: { ...usual, ...read<Partial<Record<Action, string>>>("keys", {}) },
});

export const nameOf = (key: string): string =>
  ({
    ArrowUp: "↑",
    ArrowDown: "↓",
    ArrowLeft: "←",
    ArrowRight: "→",
    " ": "Space",
    Backspace: "⌫",
  })[key] ?? (key.length === 1 ? key.toUpperCase() : key);

export function actionOf(event: KeyboardEvent): Action | null {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const found = Object.entries(keys.of).find(([, bound]) => bound === key);
  return (found?.[0] as Action | undefined) ?? null;
}

/** Binds a key. What else had it gets the action's former key, and is returned. */
export function bind(action: Action, key: string): Action | null {
  const name = key.length === 1 ? key.toLowerCase() : key;
  const before = keys.of[action];
  const other = (Object.keys(keys.of) as Action[]).find((one) => one !== action && keys.of[one] === name);
  if (other) keys.of[other] = before;
  keys.of[action] = name;
  write("keys", $state.snapshot(keys.of));
  return other ?? null;
}

export function bindUsual(): void {
  keys.of = { ...usual };
  write("keys", undefined);
}
