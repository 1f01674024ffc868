// Motion that respects what the reader asked the system for.

/** Whether the reader asked for less motion. */
export const reducedMotion = (): boolean =>
  typeof matchMedia === "function" && matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The milliseconds of a move at a speed in moves a second; 0 with reduced motion. */
export const moveDuration = (speed: number): number =>
  reducedMotion() ? 0 : Math.min(160, Math.round(700 / speed));
