// What went wrong, for people.

import { ApiError } from "./api";

/** The sentence of an error. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Whether the same request is refused again however often it is made. */
export const isFinal = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
