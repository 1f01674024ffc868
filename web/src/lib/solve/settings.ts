// The form of an algorithm's settings: what may be written, and what is sent.

import type { Setting } from "../types";

/** The texts that the reader has written, by the name of the setting. */
export type Written = Record<string, string>;

function decimals(text: string): number {
  const point = text.indexOf(".");
  return point < 0 ? 0 : text.length - point - 1;
}

function range(setting: Setting): string {
  if (setting.minimum === undefined) return "";
  return setting.maximum === undefined
    ? ` of at least ${setting.minimum}`
    : ` from ${setting.minimum} to ${setting.maximum}`;
}

function outside(setting: Setting, value: number): boolean {
  return (
    (setting.minimum !== undefined && value < setting.minimum) ||
    (setting.maximum !== undefined && value > setting.maximum)
  );
}

const isWhole = (setting: Setting, text: string): boolean =>
  /^\d+$/.test(text) && !outside(setting, Number(text));

/** What is wrong with the text written for a setting, in a sentence with the repair; null when
 * nothing is. An empty text stands for the default. */
export function fault(setting: Setting, text: string): string | null {
  const written = text.trim();
  if (written === "") return null;
  switch (setting.type) {
    case "integer-or-auto":
      return written === "auto" || isWhole(setting, written)
        ? null
        : `“${written}” does not fit: write auto or a whole number${range(setting)}.`;
    case "integer":
      return isWhole(setting, written)
        ? null
        : `“${written}” does not fit: write a whole number${range(setting)}.`;
    case "number":
      if (!/^\d+(\.\d+)?$/.test(written) || outside(setting, Number(written))) {
        return `“${written}” does not fit: write a number${range(setting)}.`;
      }
      if (setting.decimal_places !== undefined && decimals(written) > setting.decimal_places) {
        return `“${written}” has too many decimal places: write at most ${setting.decimal_places}.`;
      }
      return null;
    case "choice":
      return setting.choices?.includes(written)
        ? null
        : `“${written}” is not a choice: ${setting.choices?.join(", ")}.`;
    case "subset":
    case "text":
      // Their grammar is the server's, which answers with the repair.
      return null;
  }
}

/** The settings that differ from their defaults: only these are sent. */
export function changed(settings: Setting[], written: Written): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const setting of settings) {
    const text = (written[setting.name] ?? "").trim();
    if (text !== "" && text !== setting.default) sent[setting.name] = text;
  }
  return sent;
}

/** The first fault of the form, with the name of its setting. */
export function firstFault(settings: Setting[], written: Written): string | null {
  for (const setting of settings) {
    const wrong = fault(setting, written[setting.name] ?? "");
    if (wrong) return `${setting.name}: ${wrong}`;
  }
  return null;
}

/** The members of a subset that a text names. */
export function members(text: string): string[] {
  return text
    .split(/[+,]/)
    .map((part) => part.trim())
    .filter((part) => part !== "" && part !== "nothing");
}

/** The text of a subset after a member was ticked or unticked, in the order of the choices. */
export function toggled(setting: Setting, text: string, member: string): string {
  const held = new Set(members(text));
  if (!held.delete(member)) held.add(member);
  return (setting.choices ?? []).filter((choice) => held.has(choice)).join("+") || "nothing";
}

/** Reads "512 MB", "2GiB" or a plain number of bytes; K, M and G are powers of 1024, kB, MB and GB
 * of 1000. Null when it is something else. */
export function bytes(text: string): number | null {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(k|m|g|kib|mib|gib|kb|mb|gb|b)?\s*$/i.exec(text);
  if (!match) return null;
  const unit = (match[2] ?? "b").toLowerCase();
  const power = { b: 0, k: 1, m: 2, g: 3 }[unit[0] as "b" | "k" | "m" | "g"];
  const base = unit.length === 2 ? 1000 : 1024;
  return Math.round(Number(match[1]) * base ** power);
}
