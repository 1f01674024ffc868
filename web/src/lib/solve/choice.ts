// What the reader has chosen in the form of a search, and the request that it makes.

import { algorithmName } from "../algorithms";
import type { Algorithm, Algorithms, Heuristic, JobRequest } from "../types";
import { bytes, changed, fault, firstFault, type Written } from "./settings";

export interface Choice {
  algorithm: string;
  /** Empty for the algorithm's own choice. */
  heuristic: string;
  /** The parameter of the heuristic, such as the sizes of pattern databases. */
  parameter: string;
  settings: Written;
}

export interface Limits {
  seconds: string;
  memory: string;
}

export const choice = (algorithm: string, heuristic = ""): Choice => ({
  algorithm,
  heuristic,
  parameter: "",
  settings: {},
});

export const algorithmOf = (catalog: Algorithms, name: string): Algorithm | undefined =>
  catalog.algorithms.find((algorithm) => algorithm.name === name);

export const heuristicOf = (catalog: Algorithms, name: string): Heuristic | undefined =>
  catalog.heuristics.find((heuristic) => heuristic.name === name);

/** The name of a chosen search in a sentence: "astar with blind". */
export function nameOf(catalog: Algorithms, chosen: Choice): string {
  const algorithm = algorithmOf(catalog, chosen.algorithm);
  const heuristic =
    algorithm?.uses_heuristic && chosen.heuristic ? ` with ${heuristicText(catalog, chosen)}` : "";
  const settings = Object.entries(changed(algorithm?.settings ?? [], chosen.settings));
  const written = settings.map(([name, value]) => `${name} ${value}`).join(", ");
  return `${algorithmName(chosen.algorithm)}${heuristic}${written ? ` (${written})` : ""}`;
}

function heuristicText(catalog: Algorithms, chosen: Choice): string {
  const parameter = heuristicOf(catalog, chosen.heuristic)?.parameter;
  const text = chosen.parameter.trim();
  return parameter && text !== "" && text !== parameter.default
    ? `${chosen.heuristic}:${text}`
    : chosen.heuristic;
}

/** What is wrong with the form, or null. */
export function faultOf(catalog: Algorithms, chosen: Choice, limits?: Limits): string | null {
  const algorithm = algorithmOf(catalog, chosen.algorithm);
  if (!algorithm) return `There is no algorithm “${chosen.algorithm}”: choose one of the list.`;
  const parameter = heuristicOf(catalog, chosen.heuristic)?.parameter;
  const wrong =
    firstFault(algorithm.settings, chosen.settings) ??
    (parameter && algorithm.uses_heuristic ? fault(parameter, chosen.parameter) : null);
  if (wrong) return wrong;
  if (limits?.seconds.trim() && !(Number(limits.seconds) > 0)) {
    return `Seconds: “${limits.seconds}” does not fit: write a number above 0.`;
  }
  if (limits?.memory.trim() && !bytes(limits.memory)) {
    return `Memory: “${limits.memory}” does not fit: write an amount such as 512 MB or 2 GB.`;
  }
  return null;
}

/** The request of a job: only what differs from the defaults is written. */
export function requestOf(
  catalog: Algorithms,
  puzzle: string,
  chosen: Choice,
  more: { limits?: Limits; observe?: boolean } = {},
): JobRequest {
  const algorithm = algorithmOf(catalog, chosen.algorithm);
  const request: JobRequest = { puzzle, algorithm: chosen.algorithm };
  if (algorithm?.uses_heuristic && chosen.heuristic) {
    request.heuristic = heuristicText(catalog, chosen);
  }
  const settings = changed(algorithm?.settings ?? [], chosen.settings);
  if (Object.keys(settings).length > 0) request.settings = settings;
  const seconds = Number(more.limits?.seconds.trim() || 0);
  const memory = bytes(more.limits?.memory ?? "") ?? 0;
  if (seconds > 0 || memory > 0) {
    request.limits = {
      ...(seconds > 0 ? { seconds } : {}),
      ...(memory > 0 ? { memory_bytes: memory } : {}),
    };
  }
  if (more.observe) request.observe = true;
  return request;
}
