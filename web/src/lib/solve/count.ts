// How many states A* expands with another heuristic, for comparisons.

import { api, isStatic } from "../api";
import type { SolveResult } from "../types";

/** The number of expansions of A* with a heuristic; null when it is not known in a few seconds. */
export async function countExpansions(puzzle: string, heuristic: string): Promise<number | null> {
  if (isStatic) return (await api.lesson(puzzle, heuristic)).expansions.length;
  const limits = { seconds: 5 };
  const job = await api.createJob({ puzzle, algorithm: "astar", heuristic, limits });
  const result = await new Promise<SolveResult | null>((resolve) => {
    const close = api.events(job.id, {
      done: (result) => {
        close();
        resolve(result);
      },
      shutdown: () => resolve(null),
      lost: () => resolve(null),
    });
  });
  return result?.status === "solved" ? (result.stats?.expanded ?? null) : null;
}
