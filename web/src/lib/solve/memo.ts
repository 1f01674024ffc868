// What is asked of the server once.

import { api } from "../api";
import type { Algorithms } from "../types";

let catalog: Promise<Algorithms> | null = null;

/** The algorithms and heuristics; asked for again after a failure. */
export function algorithms(): Promise<Algorithms> {
  catalog ??= api.algorithms().catch((error: unknown) => {
    catalog = null;
    throw error;
  });
  return catalog;
}
