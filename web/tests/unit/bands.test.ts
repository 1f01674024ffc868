import { expect, test } from "vitest";
import { barsOf } from "../../src/compare/bands";

test("bars stand at their values, and values that are too close share one", () => {
  const x = (value: number): number => 300 + 7.3 * value;
  const apart = barsOf([11, 14, 20].map((value) => ({ value, count: value })), x, 6);
  expect(apart.map(({ at }) => at)).toEqual([11, 14, 20].map(x));
  expect(apart.map(({ share }) => share)).toEqual([0.55, 0.7, 1]);
  const close = barsOf([{ value: 1000, count: 1 }, { value: 1001, count: 3 }], (value) => value, 20);
  expect(close).toEqual([{ at: 1000.75, width: 0.84 * 20, share: 1 }]);
  // No bar covers another.
  const some = barsOf([1, 2, 2.4, 2.6, 3.4, 3.6].map((value) => ({ value, count: 1 })), (value) => value * 10, 10);
  some.slice(1).forEach((bar, i) => expect(bar.at - bar.width / 2).toBeGreaterThan(some[i].at + some[i].width / 2));
});
