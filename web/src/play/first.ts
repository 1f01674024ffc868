/** The puzzle of the first steps. */
export const FIRST = "cube:3:2 b=0,r=3 -> b=7,r=3";
