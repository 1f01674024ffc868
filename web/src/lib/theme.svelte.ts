// Light or dark: as the system says, until the reader chooses.

import { read, write } from "./storage";

type Theme = "light" | "dark" | null;

export const theme = $state<{ chosen: Theme }>({ chosen: read<Theme>("theme", null) });

function show(): void {
  if (theme.chosen) document.documentElement.dataset.theme = theme.chosen;
  else delete document.documentElement.dataset.theme;
}

/** Goes to the other of light and dark. */
export function toggleTheme(): void {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const next = (theme.chosen ?? system) === "dark" ? "light" : "dark";
  theme.chosen = next === system ? null : next;
  write("theme", theme.chosen ?? undefined);
  show();
}

show();
