// Every page as it is opened: it fits its window, the console is silent, and axe finds nothing, in both schemes
// of colours.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { AxeBuilder } from "@axe-core/playwright";

import { openPage, playing, startBoth } from "./server.js";

const GRID = "grid:3:3 1,2,3,5,0,6,4,7,8 -> 1,2,3,4,5,6,7,8,0";
const TESSERACT = "cube:4:3 b=5,g=4,p=7,r=13,y=1 -> b=4,g=13,p=7,r=5,y=1";

const PAGES = {
  play: (address) => playing(address, TESSERACT),
  grid: (address) => playing(address, GRID),
  embedded: (address) => playing(address, GRID, "&embed=1"),
  levels: (address) => `${address}?page=levels`,
  daily: (address) => `${address}?page=daily`,
  lesson: (address) => `${address}?page=lesson`,
  watch: (address) => `${address}?page=watch`,
  race: (address) => `${address}?page=race`,
  about: (address) => `${address}?page=about`,
};

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules that look at colours, which alone can find something else in the other scheme. */
const COLOURS = ["color-contrast", "link-in-text-block"];

let server;
let browser;

startBoth((...both) => {
  [server, browser] = both;
});

/** What axe finds, in short. */
async function found(axe) {
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 140))}`);
}

for (const width of [1440, 390])
  describe(`${width} pixels`, () => {
    for (const [name, url] of Object.entries(PAGES))
      test(name, async () => {
        const options = { colorScheme: "light", viewport: { width, height: 900 }, reducedMotion: "reduce" };
        const { page, complaints, close } = await openPage(browser, url(server.address), options);
        await page.waitForLoadState("networkidle");
        const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const fits = async () => {
          const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
          assert.ok(widths[0] <= widths[1], `wider than the window: ${widths}`);
        };
        await fits();
        assert.deepEqual(await found(new AxeBuilder({ page }).withTags(TAGS)), []);
        const light = await ground();
        await page.emulateMedia({ colorScheme: "dark" });
        assert.notEqual(await ground(), light, "the colours stay light");
        await fits();
        assert.deepEqual(await found(new AxeBuilder({ page }).withRules(COLOURS)), []);
        assert.deepEqual(complaints, []);
        await close();
      });
  });

test("the title of the window names the puzzle, or the page", async () => {
  const { page, close } = await openPage(browser, playing(server.address, GRID));
  const titled = (title) => page.waitForFunction((wanted) => document.title === wanted, title);
  await titled("3 × 3 grid · Hyperslide");
  await page.getByRole("link", { name: "Daily" }).click();
  await titled("Daily · Hyperslide");
  await page.goBack();
  await titled("3 × 3 grid · Hyperslide");
  await close();
});

test("on paper a page is light, and has nothing that can be pressed", async () => {
  for (const at of [playing(server.address, GRID), `${server.address}?page=levels`]) {
    const { page, close } = await openPage(browser, at, { colorScheme: "dark" });
    const ink = () => page.evaluate(() => getComputedStyle(document.body).color);
    const seen = () => page.getByRole("button").and(page.locator("button")).filter({ visible: true }).count();
    await page.locator("main h1").first().waitFor();
    assert.equal(await ink(), "rgb(233, 235, 241)");
    assert.ok((await seen()) > 0);
    await page.emulateMedia({ media: "print" });
    assert.equal(await ink(), "rgb(27, 33, 48)");
    assert.equal(await seen(), 0);
    await close();
  }
});

test("an address where nothing is leads to the front page", async () => {
  const { page, close } = await openPage(browser, server.address);
  const answer = await page.goto(`${server.address}nowhere/at-all`);
  assert.equal(answer.status(), 404);
  await page.getByRole("link", { name: "front page" }).click();
  await page.getByRole("link", { name: "Levels" }).first().waitFor();
  const forPrograms = await fetch(`${server.address}nowhere`);
  assert.match((await forPrograms.json()).error, /there is nothing at \/nowhere/);
  await close();
});

test("a jump to a group of levels takes the focus along", async () => {
  const { page, complaints, close } = await openPage(browser, `${server.address}?page=levels`);
  await page.getByRole("navigation", { name: "Groups" }).getByRole("link").last().focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.localName === "section");
  const top = await page.evaluate(() => scrollY);
  await page.keyboard.press("Tab");
  assert.ok((await page.evaluate(() => scrollY)) >= top - 50, "the page went back to its top");
  await page.getByLabel("Find levels").fill("zzzz");
  await page.getByRole("status").filter({ hasText: "no levels shown" }).waitFor({ state: "attached" });
  assert.deepEqual(complaints, []);
  await close();
});

test("the lesson keeps the focus, from chapter to chapter and from guess to guess", async () => {
  const { page, complaints, close } = await openPage(browser, `${server.address}?page=lesson`);
  const focused = () => page.evaluate(() => document.activeElement.textContent.trim().slice(0, 30));
  const next = page.getByRole("button", { name: /^Next step/ });
  await next.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("list", { name: "Open list" }).getByRole("button").first().focus();
  await page.keyboard.press("Enter");
  await page.getByText("1 of 1 right").waitFor();
  assert.notEqual(await page.evaluate(() => document.activeElement.localName), "body");
  const end = page.getByRole("button", { name: "To the end" });
  await end.focus();
  await page.keyboard.press("Enter");
  assert.match(await focused(), /^To the end/);
  const chapter = page.getByRole("link", { name: /The same, blind/ });
  await chapter.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "The same puzzle, blind" }).waitFor();
  assert.match(await focused(), /The same, blind/);
  assert.deepEqual(complaints, []);
  await close();
});

test("a link that is followed by keys leads into the page that it opens", async () => {
  const { page, close } = await openPage(browser, `${server.address}?page=levels`);
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.tagName);
  const level = page.getByRole("link", { name: /Two tokens, 2 moves/ });
  await level.waitFor();
  // A page that is opened begins at its beginning.
  assert.equal(await focused(), "BODY");
  await level.focus();
  await page.keyboard.press("Enter");
  await page.locator('[data-vertex="0"]').waitFor();
  assert.equal(await focused(), "main");
  // Links that stay keep the focus.
  await page.getByRole("link", { name: "Daily" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Daily puzzle" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Daily");
  await close();
});
