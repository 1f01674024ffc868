// Results of searches in sentences.

import { algorithmName } from "../algorithms";
import { sentence } from "../names";
import type { SolveResult } from "../types";

export const number = (n: number): string => n.toLocaleString("en");

/** A number in digits, with what it counts. */
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${number(n)} ${n === 1 ? one : many}`;

export function duration(seconds: number): string {
  if (seconds < 0.001) return "less than a millisecond";
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 99.95) return `${seconds.toFixed(seconds < 9.995 ? 2 : 1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

export function memory(bytes: number): string {
  if (bytes < 1e6) return `${Math.round(bytes / 1e3)} kB`;
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

const REASONS: Record<string, string> = {
  parity:
    "the start and the goal differ by an odd permutation, and every closed walk of moves makes an even one",
  "permutation-group": "the moves of this board cannot make the permutation that the goal asks for",
  "stuck-token": "a token that is not at its place can never move",
  component: "the goal lies in another component of the puzzle graph",
};

/** What kind of answer it is: `proven` and `unsolvable` are final. */
export type Kind = "proven" | "solved" | "unsolvable" | "open" | "cancelled" | "failed";

export interface Verdict {
  kind: Kind;
  /** One sentence: the answer, and whether it is proven. */
  sentence: string;
  /** What it cost, or why; empty when there is nothing to add. */
  detail: string;
}

export function verdict(result: SolveResult): Verdict {
  const length = result.length ?? result.moves?.length ?? null;
  const bound = result.lower_bound ?? 0;
  switch (result.status) {
    case "solved":
      if (result.optimal) {
        return {
          kind: "proven",
          sentence: `${counted(length ?? 0, "move")}, and it is proven that no solution is shorter.`,
          detail: cost(result),
        };
      }
      return { kind: "solved", sentence: unproven(length ?? 0, bound), detail: cost(result) };
    case "unsolvable":
      return {
        kind: "unsolvable",
        sentence: `No sequence of moves reaches the goal: ${REASONS[result.reason ?? ""] ?? "every state that can be reached was seen"}.`,
        detail: sentence(result.explanation ?? ""),
      };
    case "limit-reached": {
      const cancelled = result.limit === "cancelled";
      const end = LIMITS[result.limit ?? ""] ?? "The search reached its limit";
      const found =
        result.moves && length !== null
          ? `The best solution found has ${counted(length, "move")}: ${gapWords(length, bound)}.`
          : bound > 0
            ? `No solution was found; every solution takes at least ${counted(bound, "move")}.`
            : "No solution was found.";
      return {
        kind: cancelled ? "cancelled" : "open",
        sentence: `${end}. ${found}`,
        detail: cost(result),
      };
    }
    default:
      return {
        kind: "failed",
        sentence: "The search ended with an error.",
        detail: sentence(result.explanation ?? result.reason ?? ""),
      };
  }
}

/** Which algorithm the automatic choice fell on, and why; empty where nothing was chosen. */
export const choiceSentence = ({ algorithm, choice }: SolveResult): string =>
  algorithm && choice ? sentence(`The automatic choice was ${algorithmName(algorithm)}: ${choice}`) : "";

/** The name of a search that is over, with what the automatic choice fell on. */
export const nameWithChoice = (name: string, result: SolveResult | null): string =>
  result?.algorithm && result.choice ? `${name} (${algorithmName(result.algorithm)})` : name;

function unproven(length: number, bound: number): string {
  return `${counted(length, "move")}, not proven to be the fewest: ${gapWords(length, bound)}.`;
}

function gapWords(length: number, bound: number): string {
  if (bound >= length) return `no solution is shorter`;
  return bound === 0
    ? "no lower bound is known"
    : `at least ${number(bound)} are needed, a gap of ${number(length - bound)}`;
}

const LIMITS: Record<string, string> = {
  time: "The time was used up",
  memory: "The memory was used up",
  nodes: "The number of states allowed was used up",
  length: "The solution is longer than this algorithm can follow",
  width: "Nothing was left to expand",
  generations: "All generations, episodes or attempts have run; more of them may help",
  cancelled: "You stopped the search",
};

function cost(result: SolveResult): string {
  const stats = result.stats;
  if (!stats) return "";
  const parts = [`${number(stats.expanded)} expanded`, `${number(stats.generated)} generated`];
  parts.push(duration(stats.wall_s));
  if (stats.peak_bytes > 0) parts.push(memory(stats.peak_bytes));
  return parts.join(" · ");
}

/** What a race comes down to. */
export interface Runner {
  name: string;
  result: SolveResult;
}

const times = (more: number, less: number): string => {
  const ratio = more / Math.max(1, less);
  return ratio < 10 ? ratio.toFixed(1).replace(/\.0$/, "") : number(Math.round(ratio));
};

/** Who found or proved first, by how much, and who is shorter: one sentence for each point. */
export function raceSentences(a: Runner, b: Runner): string[] {
  const sentences: string[] = [];
  const both = [a, b];
  const unsolvable = both.find((r) => r.result.status === "unsolvable");
  if (unsolvable) return [verdict(unsolvable.result).sentence];
  const failed = both.filter((r) => r.result.status !== "solved");
  if (failed.length > 0) {
    for (const r of failed) sentences.push(`${r.name}: ${verdict(r.result).sentence}`);
    const other = both.find((r) => r.result.status === "solved");
    if (other) {
      const what = other.result.optimal ? "proved a shortest solution" : "found a solution";
      sentences.unshift(
        `${other.name} ${what} of ${counted(other.result.length ?? 0, "move")} after ${counted(other.result.stats?.expanded ?? 0, "expansion")}; ${failed[0].name} did not finish.`,
      );
    }
    return sentences;
  }
  const [ea, eb] = both.map((r) => r.result.stats?.expanded ?? 0);
  const [first, second] = ea <= eb ? [a, b] : [b, a];
  const [few, many] = [Math.min(ea, eb), Math.max(ea, eb)];
  const act = first.result.optimal ? "proved a shortest solution" : "found a solution";
  if (few === many) {
    sentences.push(`Both finished after ${counted(few, "expansion")}.`);
  } else {
    const goal = second.result.optimal ? "to prove one" : "to find one";
    sentences.push(
      `${first.name} ${act} after ${counted(few, "expansion")}; ${second.name} needed ${number(many)} ${goal}, ${times(many, few)} times as many.`,
    );
  }
  const [la, lb] = both.map((r) => r.result.length ?? 0);
  if (la !== lb) {
    const [short, long] = la < lb ? [a, b] : [b, a];
    sentences.push(
      `${short.name} needs ${counted(Math.min(la, lb), "move")}, ${long.name} ${number(Math.max(la, lb))}.`,
    );
  } else {
    const proven = both.filter((r) => r.result.optimal);
    sentences.push(
      proven.length === 0
        ? `Both solutions have ${counted(la, "move")}, and neither is proven shortest.`
        : proven.length === 2
          ? `Both prove that ${counted(la, "move")} are needed.`
          : `Both solutions have ${counted(la, "move")}; only ${proven[0].name} proves that no fewer will do.`,
    );
  }
  const [sa, sb] = both.map((r) => r.result.stats?.wall_s ?? 0);
  const [quick, slow] = sa <= sb ? [a, b] : [b, a];
  sentences.push(
    `In seconds: ${quick.name} ${duration(Math.min(sa, sb))}, ${slow.name} ${duration(Math.max(sa, sb))}, both while being watched, which slows them slightly.`,
  );
  return sentences;
}
