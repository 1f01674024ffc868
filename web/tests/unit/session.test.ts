import { beforeEach, describe, expect, test, vi } from "vitest";
import { buildPuzzle, parsePuzzle } from "../../src/lib/notation";
import { Session } from "../../src/lib/session.svelte";
import type { Puzzle } from "../../src/lib/types";
import { cube, grid } from "./boards";

const eight: Puzzle = buildPuzzle(
  parsePuzzle("grid:3:3 1,2,3,4,5,6,0,7,8 -> 1,2,3,4,5,6,7,8,0"),
  grid(3, 3),
);

describe("a session", () => {
  let session: Session;
  beforeEach(() => {
    session = new Session(eight);
  });

  test("plays legal moves only, and counts both metrics", () => {
    expect(session.move({ from: 0, to: 6 })).toBe(false);
    expect(session.stm).toBe(0);
    expect(session.move({ from: 7, to: 6 })).toBe(true);
    expect(session.solved).toBe(false);
    expect(session.move({ from: 8, to: 7 })).toBe(true);
    expect([session.stm, session.mtm]).toEqual([2, 1]);
    expect(session.solved).toBe(true);
    expect(session.running).toBe(false);
  });

  test("takes moves back and plays them again, and forgets them after another move", () => {
    session.move({ from: 7, to: 6 });
    session.move({ from: 8, to: 7 });
    session.undo();
    expect(session.line()).toBe("grid:3:3 1,2,3,4,5,6,7,0,8 -> 1,2,3,4,5,6,7,8,0");
    expect(session.canRedo).toBe(true);
    session.redo();
    expect(session.solved).toBe(true);
    session.jump(1);
    session.move({ from: 4, to: 7 });
    expect(session.canRedo).toBe(false);
    expect(session.history.length).toBe(2);
    session.reset();
    expect([session.stm, session.cells]).toEqual([0, eight.start]);
  });

  test("goes on with a play that was kept", () => {
    session.move({ from: 7, to: 6 });
    session.move({ from: 8, to: 7 });
    const other = new Session();
    other.load(eight, session.history, 1, 4200);
    expect([other.stm, other.elapsed, other.canRedo]).toEqual([1, 4200, true]);
  });

  test("selects tokens, and knows where they may go", () => {
    const board = cube(3, 2);
    const on = new Session(buildPuzzle(parsePuzzle("cube:3:2 b=0,r=3 -> b=7,r=3"), board));
    on.select(1);
    expect(on.selected).toBe(null);
    on.select(0);
    expect(on.destinations).toEqual([1, 2, 4, 5, 6]);
    on.move({ from: 0, to: 5 });
    expect([on.selected, on.destinations]).toEqual([null, []]);
    expect(on.mtm).toBe(null);
  });

  test("times every move so that all add up to the clock, also after moves were taken back", () => {
    vi.useFakeTimers();
    try {
      session.move({ from: 7, to: 6 });
      vi.advanceTimersByTime(300);
      session.move({ from: 4, to: 7 });
      vi.advanceTimersByTime(400);
      session.undo();
      vi.advanceTimersByTime(50);
      session.move({ from: 8, to: 7 });
      expect(session.played.map(({ ms }) => ms)).toEqual([0, 750]);
      expect(session.elapsed).toBe(750);
    } finally {
      vi.useRealTimers();
    }
  });

  test("goes on blindly until its player stops it", () => {
    session.blind = true;
    session.move({ from: 7, to: 6 });
    session.move({ from: 8, to: 7 });
    expect([session.solved, session.running]).toEqual([true, true]);
    session.pause();
    expect(session.running).toBe(false);
  });

  test("plays moves back, and another move ends that", async () => {
    vi.useFakeTimers();
    try {
      const done = session.animateTo(
        [
          { token: "7", from: 7, to: 6 },
          { token: "8", from: 8, to: 7 },
        ],
        10,
      );
      expect(session.playing).toBe(true);
      await vi.advanceTimersByTimeAsync(110);
      expect(session.stm).toBe(1);
      session.undo();
      await vi.advanceTimersByTimeAsync(500);
      await done;
      expect([session.stm, session.playing]).toEqual([0, false]);
    } finally {
      vi.useRealTimers();
    }
  });
});
