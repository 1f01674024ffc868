// Puzzles that show something, for pages that open without one.

export interface Example {
  title: string;
  puzzle: string;
}

const SORTED = "1,2,3,4,5,6,7,8,0";

export const EXAMPLES: Example[] = [
  {
    title: "3 × 3, the hardest: 31 moves",
    puzzle: `grid:3:3 8,6,7,2,5,4,3,0,1 -> ${SORTED}`,
  },
  { title: "3 × 3, 20 moves", puzzle: `grid:3:3 7,2,4,5,0,6,8,3,1 -> ${SORTED}` },
  {
    title: "Tesseract, five tokens: 5 moves",
    puzzle: "cube:4:2 r=13,p=7,b=5,g=4,y=11 -> b=4,g=13,p=7,r=5,y=1",
  },
  {
    title: "4 × 4, 48 moves: takes seconds",
    puzzle:
      "grid:4:4 2,5,13,12,1,0,3,15,9,7,14,6,10,11,8,4 -> 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0",
  },
];

/** Six moves from the goal: A* needs few steps, and blind search ten times as many. */
export const LESSON_GRID = `grid:3:3 4,1,3,2,0,5,7,8,6 -> ${SORTED}`;
/** Two tokens swapped. */
export const LESSON_SWAPPED = `grid:3:3 1,2,3,4,5,6,8,7,0 -> ${SORTED}`;
export const LESSON_TESSERACT = "cube:4:2 b=5,p=7,r=13 -> b=2,p=1,r=0";
