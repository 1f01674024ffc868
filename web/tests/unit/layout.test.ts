import { describe, expect, test } from "vitest";
import { aim, layoutOf } from "../../src/lib/board/layout";
import { cube } from "./boards";

describe("what a place on a board means", () => {
  const { points, radius } = layoutOf(cube(3, 2), "slices", false, []);
  const beside = (vertex: number, by: number) => ({ x: points[vertex].x - by, y: points[vertex].y - by });

  test("the vertex there, whether it can be reached or not", () => {
    expect(aim(points, radius, [1, 2], points[7])).toBe(7);
    expect(aim(points, radius, [1, 2], beside(2, 20))).toBe(2);
  });

  test("nothing, far from all of them", () => {
    expect(aim(points, radius, [1, 2], { x: -500, y: -500 })).toBe(null);
    expect(aim(points, radius, [], { x: -500, y: -500 })).toBe(null);
  });

  test("a destination, where another vertex lies on it", () => {
    const [one] = points;
    expect(aim([one, { x: one.x + 1, y: one.y }], radius, [1], one)).toBe(1);
  });
});
