// What went wrong, for people.

/** The sentence of an error. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
