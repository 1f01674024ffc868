// The board that is chosen under "New puzzle", as the server reads and as people name it.

import { wordsOfName } from "../lib/graph-names";
import { boardName } from "../lib/names";
import type { Board } from "../lib/types";

/** Which sides of a grid lead to the opposite ones. */
export type Sides = "grid" | "cylinder" | "torus";

export interface BoardChoice {
  kind: "grid" | "cube" | "graph" | "line" | "own";
  rows: number;
  columns: number;
  sides: Sides;
  dimension: number;
  k: number;
  tokens: number;
  /** The name of a graph, with or without `graph:` before it. */
  graph: string;
}

/** The name of the graph, as the server reads it. */
export const graphOfChoice = (choice: BoardChoice): string => choice.graph.trim().replace(/^graph:/, "");

/** The board in one line. */
export function boardSpec(choice: BoardChoice): string {
  if (choice.kind === "grid") return `${choice.sides}:${choice.rows}:${choice.columns}`;
  if (choice.kind === "graph") return `graph:${graphOfChoice(choice)}`;
  return `cube:${choice.dimension}:${Math.min(choice.k, choice.dimension)}`;
}

/** The greatest number of tokens with which one can move on a cube: the other corners of a k-face have to be empty. */
export function mostTokens({ dimension, k }: BoardChoice): number {
  const ofFace = 1 << Math.min(k || 1, dimension);
  return (1 << dimension) - (ofFace - 1);
}

/** The number of tokens; undefined for as many as leave one vertex empty, which the server counts. */
export const tokenCount = (choice: BoardChoice): number | undefined =>
  choice.kind === "cube" ? Math.min(choice.tokens, mostTokens(choice)) : undefined;

/** What the board is called. */
export function choiceName(choice: BoardChoice): string {
  if (choice.kind === "graph") return wordsOfName(graphOfChoice(choice)) ?? `${graphOfChoice(choice)} graph`;
  const family = choice.kind === "grid" ? choice.sides : "cube";
  const { rows, columns, dimension } = choice;
  return boardName({ family, rows, columns, dimension } as Board);
}
