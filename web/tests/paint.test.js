// How soon something is seen and how soon a move is: measured generously and printed. What is asserted is
// what does not depend on a machine's load: the bytes of script and that nothing shifts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { openPage, playing, startBoth } from "./server.js";

const GRID = "grid:3:3 1,2,3,5,0,6,4,7,8 -> 1,2,3,4,5,6,7,8,0";
const CUBE = "cube:4:2 b=9,g=4,p=1,r=0,y=11 -> b=4,g=13,p=7,r=5,y=1";

let server;
let browser;

startBoth((...both) => {
  [server, browser] = both;
});

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Sums layout shifts from the beginning of the page on, those after an input included. */
const watchShifts = () => {
  globalThis.shifts = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) globalThis.shifts += value;
  }).observe({ type: "layout-shift", buffered: true });
};

/** Times from a press, or a key, to the frame that shows the move, in milliseconds. */
const timeMoves = (presses) => {
  const frame = () =>
    new Promise((done) => requestAnimationFrame((now) => requestAnimationFrame((next) => done([now, next]))));
  const press = (vertex) => {
    const target = document.querySelector(`[data-vertex="${vertex}"]`);
    for (const type of ["pointerdown", "pointerup"])
      target.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, pointerId: 1, pointerType: "mouse" }));
  };
  const position = () =>
    [...document.querySelectorAll("[data-vertex]")].map((one) => one.getAttribute("aria-label")).join();
  return (async () => {
    const times = [];
    for (const vertices of presses) {
      await frame();
      const before = position();
      const began = performance.now();
      for (const vertex of vertices) press(vertex);
      // The next frame is drawn from what is in the page when its callbacks have run.
      const [now, next] = await new Promise((done) =>
        requestAnimationFrame((now) => {
          const shown = position() !== before;
          requestAnimationFrame((next) => done([shown ? now : Infinity, next]));
        }),
      );
      times.push({ toFrame: Math.max(0, now - began), next: next - began });
    }
    return times;
  })();
};

for (const [name, puzzle, there] of [
  ["the grid", GRID, [[3], [4], [3], [4], [3], [4], [3], [4], [3], [4]]],
  ["the tesseract", CUBE, Array.from({ length: 5 }, () => [[0, 2], [2, 0]]).flat()],
])
  test(`${name}: first paint, the frame of a move, and no shift`, async () => {
    const paints = [];
    for (let i = 0; i < 3; i++) {
      const { page, close } = await openPage(browser, playing(server.address, puzzle));
      await page.locator('[data-vertex="0"]').waitFor();
      paints.push(
        await page.evaluate(() => ({
          first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
          board: performance.now(),
        })),
      );
      await close();
    }
    const { page, close, context } = await openPage(browser, "about:blank");
    await context.addInitScript(watchShifts);
    await page.goto(playing(server.address, puzzle));
    await page.locator('[data-vertex="0"]').waitFor();
    await page.waitForTimeout(1500);
    const loading = await page.evaluate(() => globalThis.shifts);
    const times = await page.evaluate(timeMoves, there);
    await page.waitForTimeout(800);
    const playingShift = (await page.evaluate(() => globalThis.shifts)) - loading;
    const shown = times.map(({ toFrame }) => toFrame);
    console.log(
      `${name}: first paint ${median(paints.map(({ first }) => first)).toFixed(0)} ms, board to play on ` +
        `${median(paints.map(({ board }) => board)).toFixed(0)} ms; a move is in the next frame, ` +
        `${median(shown).toFixed(1)} ms (median of ${shown.length}), ${Math.max(...shown).toFixed(1)} ms (longest); ` +
        `shift while loading ${loading.toFixed(4)}, while playing ${playingShift.toFixed(4)}`,
    );
    assert.ok(shown.every(Number.isFinite), "a move was not in the frame after it");
    // The digits of the clock change their place when it gets one more; nothing else may move.
    assert.ok(playingShift < 0.001, `${playingShift}`);
    await close();
  });

for (const [name, viewport, most] of [
  ["wide screens", { width: 1440, height: 900 }, 0.0001],
  ["phones", { width: 390, height: 844 }, 0.0005],
])
  test(`nothing shifts on ${name}, also when a count gets a digit`, async () => {
    const { page, close, context } = await openPage(browser, "about:blank", { viewport });
    await context.addInitScript(watchShifts);
    await page.goto(playing(server.address, GRID));
    await page.locator('[data-vertex="0"]').waitFor();
    await page.waitForTimeout(1500);
    for (let i = 0; i < 14; i++) {
      await page.keyboard.press(i % 2 ? "ArrowDown" : "ArrowUp");
      await page.waitForTimeout(60);
    }
    await page.getByText("move 14 of 14").waitFor();
    await page.waitForTimeout(500);
    const all = await page.evaluate(() => globalThis.shifts);
    console.log(`${name}: shift ${all.toFixed(5)}`);
    assert.ok(all < most, `${all}`);
    await close();
  });

test("the first script and style are small", async () => {
  const size = async (name) => gzipSync(await (await fetch(`${server.address}${name}`)).text()).length;
  const [script, style] = [await size("app.js"), await size("app.css")];
  console.log(`app.js ${script} bytes, app.css ${style} bytes, gzipped`);
  assert.ok(script < 60_000, `${script} bytes`);
});
