// A play is not lost, and stays the player's own: by reloading, by leaving at once, in two tabs, and while the
// server is away.

import assert from "node:assert/strict";
import { test } from "node:test";

import { at, openPage, playing, startBoth, startServer } from "./server.js";

const GRID = "grid:3:3 1,2,3,5,0,6,4,7,8 -> 1,2,3,4,5,6,7,8,0";

let server;
let browser;

startBoth((...both) => {
  [server, browser] = both;
});

const side = (page) => page.getByRole("region", { name: "Moves" });
const seconds = async (page) => Number((await side(page).textContent()).match(/([\d.]+) s\b/)[1]);
/** Whether the play of the puzzle, as it is kept, counts as one with help. */
const helped = (page) => page.evaluate(() => JSON.parse(localStorage.getItem("hyperslide.plays"))[0][1].helped);

test("the clock goes on where it was when the page is loaded again", async () => {
  const { page, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 3).click();
  await page.waitForURL(/&m=/);
  await page.waitForTimeout(2500);
  const before = await seconds(page);
  assert.ok(before >= 2.4, `${before} s`);
  await page.reload();
  await at(page, 4).waitFor();
  const after = await seconds(page);
  assert.ok(after >= before, `${after} s after ${before} s`);
  await close();
});

test("a move made just before the page is left is there when one comes back", async () => {
  const { page, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 3).click();
  await page.waitForURL(/&m=/);
  await at(page, 6).click();
  await page.getByRole("link", { name: "Levels" }).click();
  await page.waitForURL(/page=levels/);
  await page.goBack();
  await at(page, 3).waitFor();
  assert.match(await at(page, 3).getAttribute("aria-label"), /token 4/);
  assert.equal(await helped(page), false);
  await close();
});

test("plays of two tabs are both the player's own", async () => {
  const { page, context, close } = await openPage(browser, playing(server.address, GRID));
  const other = await context.newPage();
  await other.goto(playing(server.address, GRID));
  await at(other, 0).waitFor();
  await at(page, 3).click();
  await page.waitForURL(/&m=/);
  await at(other, 5).click();
  await other.waitForURL(/&m=/);
  for (const tab of [page, other]) {
    await tab.reload();
    await at(tab, 0).waitFor();
    assert.equal(await helped(tab), false);
  }
  assert.match(await at(page, 4).getAttribute("aria-label"), /token 5/);
  assert.match(await at(other, 4).getAttribute("aria-label"), /token 6/);
  await close();
});

test("what the server was not there to say is asked for when it is back", async () => {
  const own = await startServer();
  const { page, close } = await openPage(browser, playing(own.address, GRID));
  await page.getByText("minimum 4").first().waitFor();
  await own.stop();
  await at(page, 1).click();
  await page.getByText("The server cannot be reached.").first().waitFor();
  assert.equal(await side(page).getByText(/to go/).count(), 0);
  const again = await startServer({ port: own.port });
  await side(page).getByText(/to go/).waitFor();
  await again.stop();
  await close();
});

test("during a ranked play the page says that it is kept and will be sent", async () => {
  const { page, close } = await openPage(browser, `${server.address}?page=ranked`);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.route("**/api/**", (route) => route.abort());
  await page.reload();
  const banner = page.locator(".banner");
  await banner.waitFor();
  assert.match(await banner.textContent(), /kept in this browser, and is sent as soon as the server is\s+back/);
  await close();
});
