// Sharing a result: the same words from every page, by the phone's own menu or copied.

import { copyText } from "./copy";
import { leastName, type Least } from "./least";
import { clock, counted } from "./names";

export interface Shared {
  /** What was played, such as "Hyperslide daily 12". */
  heading: string;
  moves: number;
  ms: number;
  /** The fewest moves that are known. */
  least: Least | null;
  /** Whether the player used hints. */
  helped?: boolean;
  /** Whether somebody else's moves, or a program's, are shared, so that no praise is due. */
  foreign?: boolean;
  /** The whole address of the puzzle. */
  link: string;
}

/** What is sent, in three lines. */
export function resultText({ heading, moves, ms, least, helped, foreign, link }: Shared): string {
  const praised = least !== null && !helped && !foreign;
  const stars = !praised ? "" : least.proven && moves <= least.moves ? " ★" : " ☆";
  const compared = least === null ? "" : ` (${leastName(least.proven)} ${least.moves})`;
  const help = helped && !foreign ? ", with hints" : "";
  return `${heading}\n${counted(moves, "move")}${compared} in ${clock(ms)}${help}${stars}\n${link}`;
}

/** Shares a result, and returns what is to be said about it. */
export async function shareResult(result: Shared): Promise<string | null> {
  const text = resultText(result);
  try {
    if (navigator.share && matchMedia("(pointer: coarse)").matches) {
      await navigator.share({ text });
      return null;
    }
  } catch (error) {
    if ((error as Error).name === "AbortError") return null;
  }
  return (await copyText(text))
    ? "Your result is copied."
    : `The browser does not allow copying. To copy by hand: ${text}`;
}
