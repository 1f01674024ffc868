// What a screen reader says of a vertex.

import { hasRows, vertexName } from "../names";
import type { Board, Cells } from "../types";

export function describeVertex(
  board: Board,
  cells: Cells,
  goal: Cells | undefined,
  destinations: number[],
  covered: boolean,
  vertex: number,
): string {
  const cell = cells[vertex];
  const wanted = goal?.[vertex] ?? null;
  const columns = board.columns ?? 1;
  const place =
    hasRows(board)
      ? `row ${Math.floor(vertex / columns) + 1}, column ${(vertex % columns) + 1}`
      : `${vertexName(board)} ${vertex}`;
  const number = destinations.indexOf(vertex);
  const home = (): string => {
    if (covered || wanted === null) return "";
    if (wanted === "0") return "empty in the goal";
    return cell === wanted ? "at home" : `home of ${wanted}`;
  };
  return [
    `${place}: ${cell === null ? "empty" : covered ? "a hidden tile" : `token ${cell}`}`,
    number >= 0 ? `destination ${number + 1}` : "",
    home(),
  ]
    .filter(Boolean)
    .join(", ");
}
