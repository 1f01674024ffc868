// Searches that are watched say what they are, from the first to the last moment.

import assert from "node:assert/strict";
import { test } from "node:test";

import { at, leavesQuietly, openPage, playing, startBoth } from "./server.js";

const GRID = "grid:3:3 1,2,3,5,0,6,4,7,8 -> 1,2,3,4,5,6,7,8,0";
const UNSOLVABLE = "grid:3:3 2,1,3,4,5,6,7,8,0 -> 1,2,3,4,5,6,7,8,0";

let server;
let browser;

startBoth((...both) => {
  [server, browser] = both;
});

const watching = (puzzle, algorithm) =>
  `${server.address}?page=watch&algorithm=${algorithm}#p=${encodeURIComponent(puzzle)}`;
const picture = (page) => page.getByRole("region", { name: "The search" });

test("the automatic choice says on what it fell, and why", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 0).waitFor();
  await page.getByRole("button", { name: /^Solve/ }).first().click();
  const panel = page.getByRole("region", { name: "Solve" });
  const search = panel.getByRole("button", { name: "Search" });
  await search.waitFor();
  await search.focus();
  await page.keyboard.press("Enter");
  await panel.getByText(/^The automatic choice was IDA\*: .+\.$/).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), "Search");
  await page.goto(watching(GRID, "auto"));
  await page.getByText(/^The automatic choice was IDA\*: .+\.$/).waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("on a phone the answer is brought into sight above the bar for the thumb", async () => {
  const { page, close } = await openPage(browser, playing(server.address, GRID), { viewport: { width: 390, height: 844 } });
  await at(page, 0).waitFor();
  const bar = page.getByRole("group", { name: "Quick actions" });
  await bar.getByRole("button", { name: "More" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Solve" }).click();
  const panel = page.getByRole("region", { name: "Solve" });
  await panel.getByRole("button", { name: "Search" }).click();
  const answer = panel.getByText(/^The automatic choice was/);
  await answer.waitFor();
  await page.waitForTimeout(200);
  const { y, height } = await answer.boundingBox();
  const { y: edge } = await bar.boundingBox();
  assert.ok(y >= 0 && y + height <= edge, `${y} to ${y + height}, and the bar begins at ${edge}`);
  await close();
});

test("what has no solution is not said to wait for a search", async () => {
  const { page, complaints, close } = await openPage(browser, watching(UNSOLVABLE, "astar"));
  await page.getByText(/No sequence of moves reaches the goal/).waitFor();
  await picture(page).getByText("No state was expanded: the answer follows without a search.").waitFor();
  assert.doesNotMatch(await picture(page).textContent(), /Press Search|No search yet|0 of 0/);
  assert.deepEqual(complaints, []);
  await close();
});

test("while its dots are on their way, a search that is over is not said not to have begun", async () => {
  const opened = await openPage(browser, "about:blank");
  const { page } = opened;
  let last = () => {};
  const wait = new Promise((done) => (last = done));
  await page.route("**/expansions*", async (route) => {
    await wait;
    await route.continue();
  });
  await page.goto(watching(GRID, "astar"));
  await page.getByText(/and it is proven/).first().waitFor();
  await picture(page).getByText("The states that it expanded are on their way.").waitFor();
  assert.doesNotMatch(await picture(page).textContent(), /Press Search|No search yet/);
  last();
  await picture(page).getByText(/expansions? (is|are) drawn/).waitFor();
  await opened.close();
});

test("a page that is left before its puzzle is read begins no search, and leaves the address alone", async () => {
  const { page, complaints, close } = await openPage(browser, "about:blank");
  await leavesQuietly(page, () => page.goto(watching(GRID, "astar")));
  assert.deepEqual(complaints, []);
  await close();
});

test("a replay is not spoken frame by frame", async () => {
  const { page, complaints, close } = await openPage(browser, `${server.address}?page=watch`);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  const changes = await page.evaluate(async () => {
    let seen = 0;
    const observer = new MutationObserver((list) => (seen += list.length));
    for (const region of document.querySelectorAll("output, [role=status], [role=alert], [aria-live]"))
      observer.observe(region, { childList: true, characterData: true, subtree: true });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return seen;
  });
  assert.ok(changes < 5, `${changes} changes in one second and a half`);
  assert.deepEqual(complaints, []);
  await close();
});

test("colours are explained by what they are", async () => {
  const { page, close } = await openPage(browser, watching(GRID, "astar"));
  const legend = picture(page).locator(".legend > span").first();
  await page.getByText(/and it is proven/).first().waitFor();
  await picture(page).getByText(/drawn/).waitFor();
  assert.equal(await legend.textContent(), "f = g + h");
  await page.goto(watching(GRID, "breadth-first"));
  await page.getByText(/and it is proven/).first().waitFor();
  await picture(page).getByText(/drawn/).waitFor();
  assert.equal(await legend.textContent(), "g");
  await close();
});

test("the button that starts a search keeps the focus to its end", async () => {
  const { page, close } = await openPage(browser, watching(GRID, "astar"));
  await page.getByText(/and it is proven/).first().waitFor();
  const search = page.getByRole("button", { name: "Search", exact: true });
  await search.focus();
  await page.keyboard.press("Enter");
  await page.getByText(/and it is proven/).first().waitFor();
  await search.waitFor();
  assert.ok(await search.evaluate((one) => one === document.activeElement));
  await close();
});

test("legends and what is chosen are seen in the reader's own colours", async () => {
  const { page, close } = await openPage(browser, watching(GRID, "astar"), { forcedColors: "active" });
  await picture(page).getByText(/drawn/).waitFor();
  const colours = await picture(page).locator(".swatch i").evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
  assert.ok(new Set(colours).size > 2, `${colours}`);
  await page.goto(playing(server.address, "cube:4:3 b=5,g=4,p=7,r=13,y=1 -> b=4,g=13,p=7,r=5,y=1"));
  const ground = (name) => page.getByRole("button", { name }).evaluate((one) => getComputedStyle(one).backgroundColor);
  await at(page, 0).waitFor();
  assert.notEqual(await ground("Slices"), await ground("Flat"));
  await close();
});

test("leaving while moves are played complains of nothing", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 0).waitFor();
  await page.keyboard.press("h");
  await page.getByRole("button", { name: /^Play all/ }).click();
  await page.waitForTimeout(500);
  await page.getByRole("link", { name: "Levels" }).click();
  await page.getByRole("searchbox", { name: "Find levels" }).waitFor();
  await page.waitForTimeout(1500);
  assert.deepEqual(complaints, []);
  await close();
});

for (const colorScheme of ["light", "dark"])
  test(`bars, edges, dots and the borders of fields stand out, ${colorScheme}`, async () => {
    const { page, close } = await openPage(browser, playing(server.address, GRID), { colorScheme });
    await at(page, 0).waitFor();
    const seen = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement("i"));
      const rgb = (name) => {
        probe.style.color = `var(--${name})`;
        return getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
      };
      const names = ["bar", "dot", "field", "axis0", "axis1", "axis2", "axis3", "axis4", "axis5"];
      return [["bg", "card"].map(rgb), names.map((name) => [name, rgb(name)])];
    });
    const light = (rgb) =>
      rgb.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    for (const ground of seen[0])
      for (const [name, rgb] of seen[1]) {
        const [a, b] = [light(ground), light(rgb)].sort((a, b) => b - a);
        assert.ok((a + 0.05) / (b + 0.05) >= 3, `${name} on ${ground}: ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
      }
    await close();
  });

test("on a phone the axes of the 6-cube can be read", async () => {
  const puzzle = "cube:6:1 a=0,b=9 -> a=9,b=0";
  const { page, close } = await openPage(browser, playing(server.address, puzzle), { viewport: { width: 390, height: 844 } });
  await at(page, 63).waitFor();
  const sizes = await page.getByRole("group", { name: /^Board/ }).locator("text.axis").evaluateAll((all) =>
    all.map((one) => parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a),
  );
  assert.ok(sizes.length > 3 && Math.min(...sizes) >= 9, `${sizes}`);
  await close();
});

for (const [width, height] of [
  [360, 640],
  [390, 844],
])
  test(`at ${width} by ${height} pixels the slices of the 6-cube can be tapped, and fit`, async () => {
    const puzzle = "cube:6:1 a=0,b=9 -> a=9,b=0";
    const { page, close } = await openPage(browser, playing(server.address, puzzle), { viewport: { width, height } });
    await page.getByRole("button", { name: "Slices" }).click();
    const vertices = page.getByRole("group", { name: /^Board/ }).locator("[data-vertex]");
    await vertices.nth(63).waitFor();
    const sides = await vertices.evaluateAll((all) =>
      all.flatMap((one) => [one.getBoundingClientRect().width, one.getBoundingClientRect().height]),
    );
    assert.ok(Math.min(...sides) >= 24, `${Math.min(...sides)} pixels are too few for a finger`);
    const board = await page.getByRole("group", { name: /^Board/ }).boundingBox();
    const bar = await page.getByRole("group", { name: "Quick actions" }).boundingBox();
    assert.ok(board.height <= bar.y, `${board.height} pixels, of which ${bar.y} are to be seen`);
    await close();
  });
