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

describe("the slices of a 6-cube", () => {
  const across = layoutOf(cube(6, 1), "slices", false, []);
  const down = layoutOf(cube(6, 1), "slices", false, [], true);

  test("stand beside each other, or below each other in a narrow window", () => {
    expect(across.width / across.height).toBeGreaterThan(1.9);
    expect(down.width / down.height).toBeLessThan(0.55);
  });

  test("have all their vertices, apart from each other and inside the picture", () => {
    for (const { points, radius, width, height } of [across, down]) {
      expect(new Set(points.map(({ x, y }) => `${x} ${y}`)).size).toBe(64);
      for (const { x, y } of points) {
        expect(Math.min(x, y, width - x, height - y)).toBeGreaterThan(radius);
      }
    }
  });
});
