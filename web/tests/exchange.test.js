// What goes in and out: texts and files of puzzles and plays, results to share, lessons by link, and the report
// that the server has.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { AxeBuilder } from "@axe-core/playwright";

import { at, openPage, playing, startBoth } from "./server.js";

const GRID = "grid:3:3 1,2,3,5,0,6,4,7,8 -> 1,2,3,4,5,6,7,8,0";
const TESSERACT = "cube:4:3 b=5,g=4,p=7,r=13,y=1 -> b=4,g=13,p=7,r=5,y=1";

let server;
let browser;

startBoth((...both) => {
  [server, browser] = both;
});

const line = (page) => new URLSearchParams(new URL(page.url()).hash.slice(1)).get("p");
const clipboard = { permissions: ["clipboard-read", "clipboard-write"] };
const copied = (page) => page.evaluate(() => navigator.clipboard.readText());

test("a play goes out as text and as a file with its times, and comes back", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID), clipboard);
  const { solution } = await server.ask("hint", GRID);
  for (const { from } of solution.slice(0, 3)) {
    await at(page, from).click();
    await page.waitForTimeout(120);
  }
  const open = async () => {
    await page.getByRole("button", { name: "Import and export" }).click();
    return page.getByRole("dialog", { name: "Import and export" });
  };
  let dialog = await open();
  const text = async (name) => {
    await dialog.getByRole("button", { name: `Copy ${name}` }).click();
    await dialog.getByRole("button", { name: `Copied ${name}` }).waitFor();
    return copied(page);
  };
  const [puzzle, now, moves, state, tiles] = [
    await text("Puzzle"),
    await text("Position now"),
    await text("Moves"),
    await text("State, as other programs write it"),
    await text("Solution, as directions of tiles"),
  ];
  assert.equal(puzzle, GRID);
  assert.match(state, /^\d \d \d\/\d \d \d\/\d \d \d$/);
  assert.match(tiles, /^[ULDR\d]+$/);
  const { violations } = await new AxeBuilder({ page }).include("dialog").analyze();
  assert.deepEqual(violations.map(({ id }) => id), []);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download the play with its times" }).click(),
  ]);
  const play = JSON.parse(readFileSync(await download.path(), "utf8"));
  assert.equal(play.puzzle, GRID);
  assert.equal(play.moves.length, 3);
  assert.ok(play.moves.slice(1).every(({ ms }) => ms >= 100), JSON.stringify(play.moves));

  // The file is watched at its own times.
  await dialog.locator('input[type="file"]').setInputFiles(await download.path());
  const watch = page.getByRole("dialog", { name: /Watch/ });
  await watch.getByText(/of 3/).first().waitFor();
  const inside = await new AxeBuilder({ page }).include("dialog").analyze();
  assert.deepEqual(inside.violations.map(({ id }) => id), []);
  const all = play.moves.reduce((sum, { ms }) => sum + ms, 0);
  assert.match(await watch.locator(".counts").textContent(), new RegExp(`of ${(all / 1000).toFixed(2)} s`));
  await page.keyboard.press("Escape");

  // Every text is read again, at the start of the puzzle.
  const back = async (content, check) => {
    // Nothing is left of the play before.
    await page.goto(`${server.address}?page=about`);
    await page.evaluate(() => localStorage.clear());
    await page.goto(playing(server.address, GRID));
    await at(page, 0).waitFor();
    assert.equal(await page.getByRole("button", { name: /^Reset/ }).isDisabled(), true);
    dialog = await open();
    await dialog.getByLabel(/A puzzle line/).fill(content);
    await dialog.getByRole("button", { name: "Open", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await check();
  };
  const after = async () => {
    await page.getByText("move 3 of 3").waitFor();
  };
  await back(moves, after);
  await back(tiles, after);
  await back(now, async () => page.waitForFunction((now) => decodeURIComponent(location.hash).startsWith(`#p=${now}`), now));
  await back(state, async () => page.waitForFunction((now) => decodeURIComponent(location.hash).startsWith(`#p=${now}`), now));
  await back(JSON.stringify({ puzzle: GRID, moves: play.moves }), async () => page.getByRole("dialog", { name: /Watch/ }).or(page.getByText("move 3 of 3")).first().waitFor());
  // What is no puzzle is refused in words.
  await page.keyboard.press("Escape");
  dialog = await open();
  await dialog.getByLabel(/A puzzle line/).fill("grid:3:3 1,2");
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  await dialog.getByRole("alert").getByText(/2 entries/).waitFor();
  assert.deepEqual(complaints.filter((one) => !one.includes("400")), []);
  await close();
});

test("the link of a solved puzzle does not tell its solution", async () => {
  const { page, close } = await openPage(browser, playing(server.address, GRID), clipboard);
  await at(page, 0).waitFor();
  const copy = async () => {
    await page.keyboard.press("l");
    await page.getByText(/The link to this puzzle (and|without) your moves is copied/).first().waitFor();
    return copied(page);
  };
  const { solution } = await server.ask("hint", GRID);
  for (const [number, { from }] of solution.entries()) {
    await at(page, from).click();
    if (number === 0) assert.match(await copy(), /&m=/);
  }
  await page.getByRole("region", { name: "Result" }).waitFor();
  assert.doesNotMatch(await copy(), /&m=/);
  await close();
});

test("the day's puzzle is shared in three short lines, and its week remembers it", async () => {
  const { page, complaints, close } = await openPage(browser, `${server.address}?page=daily`, clipboard);
  await page.getByRole("button", { name: /Next day/ }).waitFor();
  // Mondays have the smallest board.
  const date = await page.evaluate(() => {
    const now = new Date();
    return new Date(now.getTime() - ((now.getUTCDay() + 6) % 7) * 86_400_000).toISOString().slice(0, 10);
  });
  const monday = await (await fetch(`${server.address}api/daily?date=${date}`)).json();
  const week = page.getByRole("navigation", { name: "The last seven days" });
  await week.getByRole("button", { name: /^Mon/ }).click();
  await page.getByText(`Number ${monday.number}`).waitFor();
  await page.getByRole("link", { name: "Play", exact: true }).last().click();
  await at(page, 0).waitFor();
  assert.equal(line(page), monday.puzzle);
  const { solution } = await server.ask("hint", monday.puzzle);
  for (const { from, to } of solution) {
    await at(page, from).click();
    if (!monday.puzzle.startsWith("grid")) await at(page, to).click();
  }
  const result = page.getByRole("region", { name: "Result" });
  await result.getByRole("button", { name: "Share result" }).click();
  await page.getByText("Your result is copied.").first().waitFor();
  const text = await copied(page);
  assert.match(text.split("\n")[0], new RegExp(`^Hyperslide daily ${monday.number}`));
  assert.match(text.split("\n")[1], new RegExp(`^${solution.length} moves? \\(minimum ${solution.length}\\) in .* ★`));
  assert.equal(text.split("\n").length, 3);
  await page.getByRole("link", { name: "Daily" }).first().click();
  await week.getByRole("button", { name: new RegExp(`^Mon.*solved in ${solution.length}, the minimum`) }).waitFor();
  await week.getByRole("button", { name: /^Mon/ }).click();
  await page.getByText(`Number ${monday.number}`).waitFor();
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await page.getByRole("button", { name: "Share result" }).click();
  await page.getByText("Your result is copied.").waitFor();
  assert.equal(await copied(page), text, "the same from both pages");
  assert.deepEqual(complaints, []);
  await close();
});

test("a lesson: which is next is asked, Manhattan and blind are compared, parity is swapped by hand", async () => {
  const { page, complaints, close } = await openPage(browser, `${server.address}?page=lesson`);
  const open = page.getByRole("list", { name: "Open list" });
  const said = page.getByRole("status").first();
  await open.getByRole("button").first().click();
  await page.getByText("1 of 1 right").waitFor();
  // A state that is not the first of the list is not the next one, and it is said why.
  await open.getByRole("button").nth(1).waitFor();
  const wrong = open.getByRole("button").last();
  const sums = await open.getByRole("button").locator(".sum").allInnerTexts();
  assert.ok(sums.every((one) => /^\d+ \+ \d+ = \d+$/.test(one.trim())), sums.join());
  if (sums[0] !== sums.at(-1)) {
    await wrong.click();
    await page.getByText("1 of 2 right").waitFor();
    await said.getByText(/f = \d+|smaller|smallest/).first().waitFor();
  }
  await page.getByRole("button", { name: "To the end" }).click();
  await page.getByText(/Blind, it takes \d+ instead of/).waitFor();
  const chapters = page.getByRole("navigation", { name: "Chapters" });
  await chapters.getByRole("link", { name: /blind/ }).click();
  await page.getByRole("heading", { name: /blind/ }).waitFor();
  await page.getByRole("button", { name: "To the end" }).click();
  await page.getByText(/expansions instead of \d+ with lone-token/).waitFor();
  await chapters.getByRole("link", { name: /swapped/ }).click();
  const verdict = page.getByText("they do not agree");
  await verdict.waitFor();
  // Lifting the two out and swapping them mends it.
  const start = page.getByRole("region", { name: "Start and goal" });
  await start.locator('[data-vertex="6"]').click();
  await start.locator('[data-vertex="7"]').click();
  await page.getByText("they agree").waitFor();
  await page.getByText("This start can be solved.").waitFor();
  await chapters.getByRole("link", { name: /four dimensions/ }).click();
  await page.getByRole("heading", { name: /four dimensions/ }).waitFor();
  await page.getByRole("button", { name: "To the end" }).click();
  await page.getByText(/The path is marked in the tree/).waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("a teacher draws a puzzle, and the link opens its lesson elsewhere", async () => {
  const { page, complaints, close } = await openPage(browser, `${server.address}?page=lesson`, clipboard);
  await page.getByText("Make your own lesson").click();
  await page.getByLabel("Draw one on").selectOption({ label: "Cube, k = 2" });
  await page.getByLabel("Moves away").fill("4");
  await page.getByRole("button", { name: "Draw a puzzle" }).click();
  const field = page.getByLabel(/puzzle in one line/i);
  await page.waitForFunction(() => document.querySelector("textarea").value.startsWith("cube:3:2"));
  const puzzle = await field.inputValue();
  assert.equal((await server.ask("hint", puzzle)).distance, 4);
  await page.getByRole("button", { name: "Copy the link" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const link = await copied(page);
  const pupil = await openPage(browser, link);
  await pupil.page.getByRole("button", { name: "To the end" }).click();
  await pupil.page.getByText(/The path is marked in the tree/).waitFor();
  // What is too long for a lesson is said, with a way on.
  await pupil.page.goto(`${server.address}?page=lesson#p=${encodeURIComponent("grid:3:3 8,6,7,2,5,4,3,0,1 -> 1,2,3,4,5,6,7,8,0")}`);
  await pupil.page.getByRole("alert").getByText(/200/).waitFor();
  assert.deepEqual([...complaints, ...pupil.complaints.filter((one) => !one.includes("422"))], []);
  await pupil.close();
  await close();
});

test("an algorithm's settings are a form, its search is seen to go on, and its solution is scrubbed", async () => {
  const endless = "grid:6:6 35,34,33,32,31,30,29,28,27,26,25,24,23,22,21,20,19,18,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,1,2,0";
  const { page, complaints, close } = await openPage(browser, playing(server.address, endless));
  await at(page, 0).waitFor();
  await page.keyboard.press("s");
  const panel = page.getByRole("region", { name: "Solve" });
  await panel.getByLabel("Algorithm").selectOption("idastar");
  await panel.getByRole("button", { name: "Search" }).click();
  await panel.getByText("at least").waitFor();
  const numbers = panel.locator("dl");
  const count = async () => Number((await numbers.textContent()).match(/expanded\s*([\d,]+)/)[1].replace(/,/g, ""));
  const early = await count();
  for (let i = 0; i < 100 && (await count()) <= early; i++) await page.waitForTimeout(100);
  assert.ok((await count()) > early, "the numbers of a running search do not change");
  await panel.getByRole("button", { name: "Stop the search" }).click();
  await panel.getByRole("button", { name: "Search", exact: true }).waitFor();

  await page.goto(playing(server.address, TESSERACT));
  await at(page, 0).waitFor();
  if (!(await panel.isVisible())) await page.keyboard.press("s");
  await panel.getByLabel("Algorithm").selectOption("weighted-astar");
  await panel.getByText("Settings").click();
  const { algorithms } = await (await fetch(`${server.address}api/algorithms`)).json();
  const { settings } = algorithms.find(({ name }) => name === "weighted-astar");
  assert.ok(settings.length > 0);
  for (const { name } of settings) assert.ok(await panel.locator("label, legend").filter({ hasText: new RegExp(`^\\s*${name.replace(/-/g, "[ -]")}\\b`, "i") }).count(), `${name} is not in the form`);
  await panel.getByRole("button", { name: "Search", exact: true }).click();
  await panel.getByRole("button", { name: "To the end" }).waitFor();
  const scrubber = panel.getByRole("slider").first();
  await scrubber.focus();
  await page.keyboard.press("Home");
  const first = await scrubber.getAttribute("aria-valuetext");
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await scrubber.getAttribute("aria-valuetext"), first);
  assert.deepEqual(complaints, []);
  await close();
});

test("every instance that the report names opens in the player, with the rule of its row", async () => {
  const { page, complaints, close } = await openPage(browser, `${server.address}report`);
  const links = await page.locator('a[href*="page=play"]').evaluateAll((all) =>
    all.map((one) => {
      // The sign of a footnote may stand behind it.
      const rule = one.closest("td, th").nextElementSibling.firstChild;
      return { href: one.href, name: one.textContent, rule: rule.textContent.trim() };
    }),
  );
  assert.ok(links.length > 400, `${links.length} links`);
  const named = await page.locator(".key").evaluateAll((all) => all.filter((one) => /^cubical\/d\d-level\d+$/.test(one.textContent)).length);
  assert.equal(links.length, named, "an instance has no link");
  const puzzles = new Map();
  for (const { href, name, rule } of links) {
    const puzzle = decodeURIComponent(new URL(href).hash.slice(3));
    assert.equal(puzzle.split(":")[2].split(" ")[0], rule, `${name}, ${rule}`);
    assert.equal(puzzle.split(":")[1], name.match(/d(\d)/)[1], name);
    puzzles.set(puzzle, href);
  }
  assert.ok(puzzles.size >= 18, `${puzzles.size} puzzles`);
  for (const puzzle of puzzles.keys()) await server.ask("puzzles", puzzle);
  await page.goto([...puzzles.values()][0]);
  await at(page, 0).waitFor();
  assert.deepEqual(complaints, []);
  await close();
});
