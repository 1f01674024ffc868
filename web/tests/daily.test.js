// The puzzle of the day, and those of other days.

import assert from "node:assert/strict";
import { test } from "node:test";

import { at, openPage, startBoth } from "./server.js";

let server;
let browser;

startBoth((...both) => {
  [server, browser] = both;
});

const DAY = 86_400_000;
const dateOf = (time) => new Date(time).toISOString().slice(0, 10);
const shown = async (page) => dateOf(Date.parse(`${await page.locator(".days p").textContent()} UTC`));

test("three quick presses go three days back, whatever order the answers come in", async () => {
  const { page, close } = await openPage(browser, `${server.address}?page=daily`);
  await page.getByRole("region", { name: "Puzzle of the day" }).waitFor();
  const today = await shown(page);
  let wait = 900;
  await page.route("**/api/daily?date=*", async (route) => {
    await new Promise((done) => setTimeout(done, (wait -= 300)));
    await route.continue();
  });
  for (let i = 0; i < 3; i++) await page.getByRole("button", { name: /Previous day/ }).click();
  const wanted = dateOf(Date.parse(today) - 3 * DAY);
  const { number } = await (await fetch(`${server.address}api/daily?date=${wanted}`)).json();
  await page.getByText(`Number ${number}`, { exact: true }).waitFor();
  await page.waitForTimeout(900);
  assert.equal(await page.getByText(`Number ${number}`, { exact: true }).count(), 1);
  assert.equal(await shown(page), wanted);
  await close();
});

test("one comes back to the day that one left", async () => {
  const { page, close } = await openPage(browser, `${server.address}?page=daily`);
  const puzzle = page.getByRole("region", { name: "Puzzle of the day" });
  await puzzle.waitFor();
  for (let i = 0; i < 2; i++) await page.getByRole("button", { name: /Previous day/ }).click();
  const day = await shown(page);
  const number = page.getByText(/^Number \d+$/);
  const { number: wanted } = await (await fetch(`${server.address}api/daily?date=${day}`)).json();
  await page.getByText(`Number ${wanted}`, { exact: true }).waitFor();
  await puzzle.getByRole("link", { name: "Play" }).click();
  await at(page, 0).waitFor();
  await page.goBack();
  await number.waitFor();
  assert.equal(await shown(page), day);
  assert.equal(await number.textContent(), `Number ${wanted}`);
  // The link in the header leads to today.
  await page.getByRole("link", { name: "Daily" }).click();
  await page.getByText(/The next puzzle comes in/).waitFor();
  assert.notEqual(await shown(page), day);
  await close();
});

test("days that have no puzzle lead to today's, and the puzzle is known wherever it is opened", async () => {
  const today = dateOf(Date.now());
  for (const day of [dateOf(Date.now() + DAY), "2026-02-31", "x"]) {
    const opened = await openPage(browser, `${server.address}?page=daily#d=${day}`);
    const { page } = opened;
    await page.getByRole("timer").waitFor();
    assert.equal(await shown(page), today, day);
    const days = await page.evaluate(() => JSON.parse(localStorage.getItem("hyperslide.days")));
    assert.ok(days[today].puzzle, "also when it is opened in another tab");
    await opened.close();
  }
  const opened = await openPage(browser, `${server.address}?page=daily#d=2026-01-01`);
  await opened.page.getByText("Number 1", { exact: true }).waitFor();
  assert.ok(await opened.page.getByRole("button", { name: /Previous day/ }).isDisabled());
  await opened.close();
});

test("a new day comes at midnight", async () => {
  const opened = await openPage(browser, "about:blank");
  const { page } = opened;
  await page.clock.install();
  await page.route("**/api/daily", async (route) => {
    const response = await route.fetch();
    const daily = await response.json();
    await route.fulfill({ response, json: { ...daily, next_s: 3 } });
  });
  await page.goto(`${server.address}?page=daily`);
  await page.getByRole("timer").waitFor();
  const today = await shown(page);
  await page.unroute("**/api/daily");
  const tomorrow = dateOf(Date.parse(today) + DAY);
  await page.route("**/api/daily", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), date: tomorrow, number: 7777 } });
  });
  await page.clock.runFor(5000);
  await page.getByText("Number 7777").waitFor();
  assert.equal(await shown(page), tomorrow);
  assert.notEqual(await page.getByRole("timer").textContent(), "00:00:00");
  await opened.close();
});
