// Finding levels by what one can type.

import type { Level } from "../lib/types";

/** A text as it is compared: titles have signs and spaces that keyboards have not, or that one leaves out. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/(\d)\s*[x×]\s*(?=\d)/g, "$1x")
    .replace(/\s*=\s*/g, "=")
    .replace(/minimum\s+(?=\d)/g, "minimum=")
    .replace(/[,()]/g, " ");

/** Whether a level is meant by the words that one looks for, such as `4d k=2 minimum 31`. */
export function isFound({ board, id, minimum, title }: Level, wanted: string): boolean {
  // Cubes are found by their dimension, as 4d.
  const dimension = board.match(/^cube:(\d)/)?.[1];
  const text = plain(`${title} ${id} ${board} ${dimension ? `${dimension}d` : ""} minimum ${minimum ?? ""}`);
  const parts = text.split(/\s+/);
  // A number has to match completely: minimum 3 is not minimum 31. A number by itself is looked for in the title, as
  // in level 4 or 4x4, but is not the value of k.
  const isThere = (word: string): boolean => {
    if (/^\d+$/.test(word)) return new RegExp(`(?<![\\w=])${word}(?!\\d)`).test(plain(title));
    return /=\d/.test(word) ? parts.includes(word) : text.includes(word);
  };
  return plain(wanted).split(/\s+/).filter(Boolean).every(isThere);
}
