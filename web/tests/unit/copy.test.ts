import { afterEach, expect, test, vi } from "vitest";
import { copyText } from "../../src/lib/copy";

afterEach(() => vi.unstubAllGlobals());

test("a text is copied where the browser allows it, and it is said where not", async () => {
  const copied: string[] = [];
  const writeText = (text: string): Promise<void> => Promise.resolve(void copied.push(text));
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  expect(await copyText("a line")).toBe(true);
  expect(copied).toEqual(["a line"]);
  vi.stubGlobal("navigator", { clipboard: { writeText: () => Promise.reject(new Error("denied")) } });
  expect(await copyText("a line")).toBe(false);
  // Pages that are not secure have no clipboard at all.
  vi.stubGlobal("navigator", {});
  expect(await copyText("a line")).toBe(false);
});
