// Links to a lesson, a race or a search: the page in the query, the puzzle in the fragment.

export interface Link {
  /** The puzzle line, or null when the link names none. */
  puzzle: string | null;
  query: Record<string, string>;
}

export function readLink(search: string, hash: string): Link {
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(search)) query[name] = value;
  let puzzle: string | null = null;
  for (const part of hash.replace(/^#/, "").split("&")) {
    if (!part.startsWith("p=")) continue;
    // A plus sign stands for itself: goals such as `0=3+4` have them.
    try {
      puzzle = decodeURIComponent(part.slice(2)).trim() || null;
    } catch {
      puzzle = part.slice(2);
    }
  }
  return { puzzle, query };
}

export function writeLink(
  query: Record<string, string | undefined>,
  puzzle: string | null,
): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  const written = new URLSearchParams(given).toString();
  return `?${written}${puzzle ? `#p=${encodeURIComponent(puzzle)}` : ""}`;
}
