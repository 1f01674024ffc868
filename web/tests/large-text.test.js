// Whoever asks the browser for text of twice the usual size gets it, and no page is wider than the window then
// (WCAG 2.2, 1.4.4 and 1.4.10).

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { chromium } from "playwright-core";

import { startServer } from "./server.js";

const PAGES = ["play", "levels", "daily", "ranked", "compare", "you", "watch", "lesson", "race", "about"];

let server;
let browser;
const profile = mkdtempSync(join(tmpdir(), "hyperslide-large-text-"));

before(async () => {
  server = await startServer();
  mkdirSync(join(profile, "Default"));
  const preferences = { webkit: { webprefs: { default_font_size: 32 } } };
  writeFileSync(join(profile, "Default", "Preferences"), JSON.stringify(preferences));
  browser = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
    viewport: null,
  });
});
after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(profile, { recursive: true, force: true });
});

for (const [name, width, height] of [
  ["a desktop", 1280, 800],
  ["a phone", 390, 844],
]) {
  test(`text is twice as large on ${name}, and every page fits`, async () => {
    const page = await browser.newPage();
    await page.setViewportSize({ width, height });
    for (const which of PAGES) {
      await page.goto(`${server.address}?page=${which}`);
      await page.locator("main h1").first().waitFor();
      const [size, heading, wide] = await page.evaluate(() => [
        parseFloat(getComputedStyle(document.body).fontSize),
        parseFloat(getComputedStyle(document.querySelector("main h1")).fontSize),
        document.documentElement.scrollWidth,
      ]);
      assert.ok(size >= 28 && heading >= 32, `${which}: ${size}, ${heading}`);
      assert.ok(wide <= width, `${which} is ${wide} wide`);
    }
    await page.close();
  });
}

test("on a desktop with large text the board has the width of the window", async () => {
  const page = await browser.newPage();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(server.address);
  const board = await page.locator("main .board").first().boundingBox();
  assert.ok(board.width > 1000 && board.y < 400, JSON.stringify(board));
  await page.close();
});
