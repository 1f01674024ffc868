// The fewest moves that are known of a puzzle, in words: only what is proven is called the minimum.

export interface Least {
  moves: number;
  proven: boolean;
}

/** What the number is called. */
export const leastName = (proven: boolean): string => (proven ? "minimum" : "shortest known");

/** How a number of moves stands to the fewest that are known. */
export function besideLeast(moves: number, least: Least): string {
  const name = `the ${leastName(least.proven)}`;
  const more = moves - least.moves;
  if (more > 0) return `${more} more than ${name}`;
  if (more < 0) return `${-more} shorter than ${name}`;
  return least.proven ? name : `as short as ${name}`;
}
