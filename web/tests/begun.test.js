// A ranked play that was begun is not lost: by reloading, while the server is away, or when its answer was. It is
// counted once.

import assert from "node:assert/strict";
import { test } from "node:test";

import { at, openPage, startWithPlays } from "./server.js";

let server;
let browser;

startWithPlays((...both) => {
  [server, browser] = both;
});

const ranked = () => `${server.address}?page=ranked`;
const board = (page) => page.getByRole("group", { name: "Ranked start" });
const tiles = (page) =>
  board(page).locator("[data-vertex]").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
const kept = (page) => page.getByText(/: kept as \w+-\w+-\d+/);

/** Draws a start of 3x3 for somebody new, and returns the presses that solve it. */
async function draw(page, { kind = "fewest", blind = false } = {}) {
  await page.getByLabel("Ranked by").selectOption(kind);
  await page.getByLabel("Played with").selectOption("click");
  await page.getByRole("checkbox", { name: "Blind" }).setChecked(blind);
  const issued = page.waitForResponse((response) => response.url().endsWith("/api/starts"));
  await page.getByRole("button", { name: "Draw a start" }).click();
  await page.getByRole("button", { name: "I agree: draw a start" }).click();
  const { puzzle } = await (await issued).json();
  const { solution } = await server.ask("hint", puzzle);
  await at(page, 0).waitFor();
  return solution.map(({ from }) => from);
}

async function press(page, vertices) {
  for (const vertex of vertices) {
    await at(page, vertex).click();
    await page.waitForTimeout(10);
  }
}

/** What the server keeps of the person of this browser. */
const plays = (page) =>
  page.evaluate(async () => {
    const { secret } = JSON.parse(localStorage.getItem("hyperslide.person"));
    const answer = await fetch("api/people/me", { headers: { "X-Person-Secret": secret } });
    return (await answer.json()).plays;
  });
/** The plays that wait in the browser for an answer. */
const waiting = (page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("hyperslide.ranked-play.")).length);

test("a play of fewest moves goes on after the page was loaded again, and each move counts once", async () => {
  const { page, complaints, close } = await openPage(browser, ranked());
  const solution = await draw(page);
  const half = Math.floor(solution.length / 2);
  await press(page, solution.slice(0, half));
  // A move that is taken back does not count.
  await press(page, solution.slice(half, half + 1));
  await page.getByRole("button", { name: "Undo" }).click();
  const before = await tiles(page);
  for (let i = 0; i < 2; i++) {
    await page.reload();
    await board(page).waitFor();
    assert.deepEqual(await tiles(page), before);
    await page.locator(".big").getByText("moves").waitFor();
    assert.match(await page.locator(".big").innerText(), new RegExp(`^${half}\\b`));
  }
  await press(page, solution.slice(half));
  await kept(page).waitFor();
  const all = await plays(page);
  assert.deepEqual(all.map(({ length, solved }) => [length, solved]), [[solution.length, true]]);
  assert.equal(await waiting(page), 0);
  await page.reload();
  await page.getByRole("button", { name: "Draw a start" }).waitFor();
  assert.equal((await plays(page)).length, 1);
  assert.deepEqual(complaints, []);
  await close();
});

test("the clock of a timed play goes on while the page is loaded again", async () => {
  const { page, close } = await openPage(browser, ranked());
  const solution = await draw(page, { kind: "timed" });
  await page.waitForTimeout(1200);
  // While one looks, the time to look goes on.
  await page.reload();
  await board(page).waitFor();
  const left = Number((await page.locator(".big").innerText()).match(/\d+/)[0]);
  assert.ok(left < 60, `${left} s`);
  await press(page, solution.slice(0, 1));
  await page.waitForTimeout(1500);
  await page.reload();
  await board(page).waitFor();
  const time = async () => Number((await page.locator(".big").innerText()).match(/[\d.]+/)[0]);
  const after = await time();
  assert.ok(after >= 1.5, `${after} s`);
  await press(page, solution.slice(1));
  await kept(page).waitFor();
  const [play] = await plays(page);
  assert.equal(play.length, solution.length);
  assert.ok(play.ms >= 1500, `${play.ms} ms`);
  await close();
});

test("a blind play stays blind", async () => {
  const { page, close } = await openPage(browser, ranked());
  const solution = await draw(page, { blind: true });
  await press(page, solution.slice(0, 2));
  await page.reload();
  await page.getByRole("button", { name: "Done" }).waitFor();
  const seen = await board(page).locator("text").allInnerTexts();
  assert.deepEqual(seen.filter((text) => text.trim()), []);
  await press(page, solution.slice(2));
  await page.getByRole("button", { name: "Done" }).click();
  await kept(page).waitFor();
  await close();
});

for (const [what, arrives] of [
  ["did not arrive", false],
  ["arrived, but its answer did not,", true],
])
  test(`a play that ${what} is sent after the page was loaded again, and kept once`, async () => {
    const { page, context, close } = await openPage(browser, ranked());
    const solution = await draw(page);
    const away = (url) => url.pathname === "/api/plays";
    await context.route(away, async (route) => {
      if (arrives) await route.fetch();
      await route.abort();
    });
    await press(page, solution);
    await page.getByText("The play is kept in this browser, and is sent as soon as the server answers.").waitFor();
    assert.equal((await plays(page)).length, arrives ? 1 : 0);
    await page.reload();
    await page.getByText("is sent as soon as the server answers").waitFor();
    await context.unroute(away);
    // Nobody has to press anything.
    await kept(page).waitFor();
    const all = await plays(page);
    assert.deepEqual(all.map(({ length }) => length), [solution.length]);
    assert.equal(await waiting(page), 0);
    await close();
  });

test("a play that is open in one tab is not opened in another", async () => {
  const { page, context, close } = await openPage(browser, ranked());
  const solution = await draw(page);
  await press(page, solution.slice(0, 1));
  const other = await context.newPage();
  await other.goto(ranked());
  await other.getByRole("button", { name: "Draw a start" }).waitFor();
  await other.waitForTimeout(1000);
  assert.equal(await board(other).count(), 0);
  // Once the first tab is closed, it waits for whoever comes.
  await page.close();
  await other.reload();
  await board(other).waitFor();
  await press(other, solution.slice(1));
  await kept(other).waitFor();
  assert.deepEqual((await plays(other)).map(({ length }) => length), [solution.length]);
  await close();
});

test("a play that is given up, and the plays of somebody who is forgotten, do not come back", async () => {
  const { page, close } = await openPage(browser, ranked());
  await press(page, (await draw(page)).slice(0, 1));
  // It asks first.
  const giveUp = page.getByRole("button", { name: "Give up" });
  page.once("dialog", (dialog) => void dialog.dismiss());
  await giveUp.click();
  assert.equal(await waiting(page), 1);
  page.once("dialog", (dialog) => void dialog.accept());
  await giveUp.click();
  await giveUp.waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("button", { name: "Draw a start" }).waitFor();
  assert.equal(await waiting(page), 0);
  await page.getByRole("button", { name: "Draw a start" }).click();
  await board(page).waitFor();
  assert.equal(await waiting(page), 1);
  await page.goto(`${server.address}?page=you`);
  await page.getByRole("button", { name: "Delete everything…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete everything" }).click();
  await page.getByText(/is deleted/).waitFor();
  assert.equal(await waiting(page), 0);
  await close();
});

test("a play is left without a question where only its moves count, and waits", async () => {
  const { page, close } = await openPage(browser, ranked());
  const solution = await draw(page);
  await press(page, solution.slice(0, 1));
  const before = await tiles(page);
  await page.getByRole("link", { name: "Levels" }).click();
  await page.waitForURL(/page=levels/);
  await page.goBack();
  await board(page).waitFor();
  assert.deepEqual(await tiles(page), before);
  await close();
});
