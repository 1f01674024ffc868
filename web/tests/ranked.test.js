// Ranked plays: two people play in two browsers and stand in the list; nothing of them is left when they
// want. What is simulated says so wherever it is shown.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { AxeBuilder } from "@axe-core/playwright";

import { openPage, program, startWithPlays } from "./server.js";

const LEVEL = "cube:4:3 b=13,g=4,p=1,r=5,y=7 -> b=4,g=13,p=7,r=5,y=1";

let server;
let browser;

startWithPlays((...both) => {
  [server, browser] = both;
}, (database) => {
  const people = ["--people", "40", "--ranked", "grid:3:3", "--starts", "13"];
  execFileSync(program, ["plays", "simulate", LEVEL, ...people, "--database", database]);
});

const page = (name, fragment = "") => `${server.address}?page=${name}${fragment}`;

async function check(page) {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
  const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze();
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    [],
  );
}

/**
 * Plays a ranked 3x3 start to its end as somebody who knows the shortest way, and returns the name. `kind`
 * is what it is ranked by, and without their numbers the tiles are `blind`.
 */
async function playRanked(page, { agree, kind = "timed", blind = false }) {
  await page.getByLabel("Ranked by").selectOption(kind);
  await page.getByLabel("Played with").selectOption("click");
  await page.getByRole("checkbox", { name: "Blind" }).setChecked(blind);
  const issued = page.waitForResponse((response) => response.url().endsWith("/api/starts"));
  await page.getByRole("button", { name: "Draw a start" }).click();
  if (agree) await page.getByRole("button", { name: "I agree: draw a start" }).click();
  const { puzzle } = await (await issued).json();
  const { solution } = await server.ask("hint", puzzle);
  await page.getByText(kind === "timed" ? "s to look" : "only the moves count").last().waitFor();
  // Nothing on this page gives anything away.
  assert.equal(await page.getByRole("button", { name: /hint|solve/i }).count(), 0);
  // Only the control that was chosen moves anything.
  await page.locator(`[data-vertex="${solution[0].from}"]`).focus();
  await page.keyboard.press("Enter");
  await page.getByText("This start is played with: mouse, clicking.").waitFor();
  // To take a move back is free where only the moves count.
  if (kind === "fewest") {
    await page.locator(`[data-vertex="${solution[0].from}"]`).click();
    await page.getByRole("button", { name: "Undo" }).click();
  }
  for (const { from } of solution) await page.locator(`[data-vertex="${from}"]`).click();
  if (blind) {
    const seen = await page.getByRole("group", { name: "Ranked start" }).locator("text").allInnerTexts();
    assert.deepEqual(seen.filter((text) => text.trim()), [], "numbers are seen");
    await page.getByRole("button", { name: "Done" }).click();
  }
  const line = await page.getByText(/: kept as \w+-\w+-\d+/).innerText();
  return { name: line.match(/kept as (\S+)/)[1], moves: solution.length };
}

for (const [width, height] of [
  [844, 390],
  [720, 450],
])
  test(`at ${width} by ${height} pixels the whole board of a ranked play is seen`, async () => {
    const { page: own, close } = await openPage(browser, page("ranked"), { viewport: { width, height } });
    await own.getByRole("button", { name: "Draw a start" }).click();
    await own.getByRole("button", { name: "I agree: draw a start" }).click();
    await own.locator('[data-vertex="8"]').waitFor();
    for (const part of [
      own.getByRole("group", { name: "Ranked start" }),
      own.getByRole("button", { name: "Give up" }),
    ]) {
      const { y, height: tall } = await part.boundingBox();
      assert.ok(y >= 0 && y + tall <= height, `${y} to ${y + tall}`);
    }
    await close();
  });

test("two people play ranked starts in two browsers and stand in the list", async () => {
  const [first, second] = await Promise.all([
    openPage(browser, page("ranked")),
    openPage(browser, page("ranked")),
  ]);
  const ada = await playRanked(first.page, { agree: true });
  const ben = await playRanked(second.page, { agree: true });
  assert.notEqual(ada.name, ben.name);
  for (const { page } of [first, second]) {
    await page.reload();
    const list = page.getByRole("region", { name: "Best list" });
    for (const { name, moves } of [ada, ben]) {
      const row = list.getByRole("row").filter({ hasText: name });
      await row.waitFor();
      assert.match(await row.innerText(), new RegExp(`\\b${moves}\\b`));
      assert.equal(await row.getByText("simulated", { exact: true }).count(), 0);
    }
    await page.getByText(/a program that plays with a person's timing from a person/).waitFor();
  }
  // One watches the other's play, at its own pace.
  const { page: mine } = first;
  await mine.getByRole("button", { name: `Watch the best play of ${ben.name}` }).click();
  await mine.getByRole("dialog").getByText(`of ${ben.moves}`).waitFor();
  await mine.keyboard.press("Escape");
  assert.deepEqual([...first.complaints, ...second.complaints], []);

  // One's own page has the play, in another browser by the secret link, and deletes it.
  await mine.goto(page("you"));
  await mine.getByRole("region", { name: "Your bests" }).getByText("3 × 3 grid · fastest").waitFor();
  await check(mine);
  await mine.getByRole("button", { name: "Show the secret link" }).click();
  const link = await mine.locator(".secret").innerText();
  const third = await openPage(browser, link);
  await third.page.getByText(ada.name).first().waitFor();
  assert.ok(!third.page.url().includes("s="), "the secret stays in the address");
  const [download] = await Promise.all([
    third.page.waitForEvent("download"),
    third.page.getByRole("button", { name: "Download everything" }).click(),
  ]);
  assert.match(download.suggestedFilename(), new RegExp(ada.name));
  const all = JSON.parse(readFileSync(await download.path(), "utf8"));
  assert.deepEqual(Object.keys(all).sort(), ["code", "consent", "day", "name", "plays", "starts"]);
  assert.deepEqual(all.plays.map(({ length }) => length), [ada.moves]);
  // A browser forgets the secret only when it was said what that means.
  const asked = third.page.getByRole("dialog");
  const { context } = third;
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await third.page.getByRole("button", { name: "Forget it in this browser…" }).click();
  await asked.getByText(/cannot be replaced/).waitFor();
  await asked.getByRole("button", { name: "Copy the secret link" }).click();
  await asked.getByText("The link is copied.").waitFor();
  await asked.getByRole("button", { name: "Forget it" }).click();
  const focused = () => third.page.evaluate(() => document.activeElement.textContent);
  await third.page.getByText(/has forgotten your secret/).waitFor();
  assert.match(await focused(), /has forgotten your secret/);
  await third.page.goto(await third.page.evaluate(() => navigator.clipboard.readText()));
  await third.page.getByRole("button", { name: "Delete everything…" }).click();
  await asked.getByRole("button", { name: "Delete everything" }).click();
  await third.page.getByText(/is deleted: one play/).waitFor();
  assert.match(await focused(), /is deleted/);
  await second.page.reload();
  await second.page.getByRole("region", { name: "Best list" }).getByText(ben.name).waitFor();
  assert.equal(await second.page.getByText(ada.name).count(), 0);
  assert.deepEqual(third.complaints, []);
  for (const { close } of [first, second, third]) await close();
});

for (const [what, kind, blind] of [
  ["by fewest moves", "fewest", false],
  ["blind", "timed", true],
  ["blind by fewest moves", "fewest", true],
])
  test(`a start is played ${what}, and stands in the list of its own kind`, async () => {
    const { page: mine, complaints, close } = await openPage(browser, page("ranked"));
    const { name, moves } = await playRanked(mine, { agree: true, kind, blind });
    await mine.getByRole("button", { name: "Another board" }).click();
    const list = mine.getByRole("region", { name: "Best list" });
    const row = list.getByRole("row").filter({ hasText: name });
    await row.waitFor();
    assert.match(await row.innerText(), new RegExp(`\\b${moves}\\b`));
    // It is in no other list.
    await mine.getByRole("checkbox", { name: "Blind" }).setChecked(!blind);
    await list.getByRole("row").filter({ hasText: name }).waitFor({ state: "detached" });
    assert.deepEqual(complaints, []);
    await close();
  });

test("a blind start that is not solved is not ranked", async () => {
  const { page: mine, close } = await openPage(browser, page("ranked"));
  await mine.getByLabel("Played with").selectOption("click");
  await mine.getByRole("checkbox", { name: "Blind" }).check();
  const issued = mine.waitForResponse((response) => response.url().endsWith("/api/starts"));
  await mine.getByRole("button", { name: "Draw a start" }).click();
  await mine.getByRole("button", { name: "I agree: draw a start" }).click();
  const { puzzle } = await (await issued).json();
  const { solution } = await server.ask("hint", puzzle);
  await mine.locator(`[data-vertex="${solution[0].from}"]`).click();
  await mine.getByRole("button", { name: "Done" }).click();
  await mine.getByRole("heading", { name: "Not ranked" }).waitFor();
  await mine.getByRole("alert").getByText(/goal/).waitFor();
  await close();
});

test("going back leads to the start, and leaving a play that was begun is asked about", async () => {
  const { page: mine, close } = await openPage(browser, page("ranked"));
  await mine.getByLabel("Ranked by").selectOption("timed");
  await mine.getByLabel("Played with").selectOption("click");
  const issued = mine.waitForResponse((response) => response.url().endsWith("/api/starts"));
  await mine.getByRole("button", { name: "Draw a start" }).click();
  await mine.getByRole("button", { name: "I agree: draw a start" }).click();
  const { puzzle } = await (await issued).json();
  const { solution } = await server.ask("hint", puzzle);
  const tiles = () =>
    mine.getByRole("group", { name: "Ranked start" }).locator("[data-vertex]").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  await mine.locator(`[data-vertex="${solution[0].from}"]`).waitFor();
  const start = await tiles();
  for (const { from } of solution.slice(0, 2)) await mine.locator(`[data-vertex="${from}"]`).click();
  assert.match(await mine.getByTestId("live").textContent(), /^\d (left|right|up|down)\. .*2 moves\.$/);
  const back = mine.getByRole("button", { name: "Move back" });
  for (let i = 0; i < 2; i++) {
    await back.click();
    await mine.waitForTimeout(50);
  }
  assert.deepEqual(await tiles(), start);
  assert.ok(await back.isDisabled());
  mine.once("dialog", (dialog) => void dialog.dismiss());
  await mine.getByRole("link", { name: "Levels" }).click();
  await mine.waitForTimeout(200);
  assert.match(mine.url(), /page=ranked/);
  mine.once("dialog", (dialog) => void dialog.accept());
  await mine.getByRole("link", { name: "Levels" }).click();
  await mine.waitForURL(/page=levels/);
  await close();
});

test("the clock starts by itself when the time to look is over", async () => {
  const opened = await openPage(browser, "about:blank");
  const { page: mine } = opened;
  await mine.clock.install();
  await mine.goto(page("ranked"));
  await mine.getByRole("button", { name: "Draw a start" }).click();
  await mine.getByRole("button", { name: "I agree: draw a start" }).click();
  await mine.getByText("seconds to look", { exact: true }).waitFor();
  await mine.getByTestId("live").getByText("The start is on the board, with 60 seconds to look.").waitFor();
  assert.match(await mine.evaluate(() => document.activeElement.localName), /^h1$/);
  await mine.clock.runFor(61_000);
  await mine.getByText("no moves").waitFor();
  await opened.close();
});

test("what is simulated says so in every table and picture", async () => {
  const opened = await openPage(browser, page("ranked"));
  const rows = opened.page.getByRole("region", { name: "Best list" }).locator("tbody tr");
  await rows.first().waitFor();
  for (const row of await rows.filter({ hasText: /^\W*–/ }).all())
    assert.equal(await row.getByText("simulated", { exact: true }).count(), 1);
  await check(opened.page);
  await opened.page.goto(page("compare", `#p=${encodeURIComponent(LEVEL)}`));
  await opened.page.getByRole("heading", { name: /People and algorithms/ }).waitFor();
  const charts = opened.page.getByRole("img", { name: /simulated/i });
  await charts.first().waitFor();
  assert.equal(await charts.count(), 3, "moves, time and losses");
  await opened.page.getByText("The numbers").click();
  const names = opened.page.getByRole("region", { name: "Table of moves" }).locator("tbody th");
  const all = await names.allInnerTexts();
  for (const name of ["Players simulated", "A*", "Evolution", "Reinforcement learning", "Hybrid"])
    assert.ok(all.includes(name), `${name} is missing among ${all.join(", ")}`);
  assert.ok(!all.includes("People"), "nobody has played it");
  await opened.page.getByRole("button", { name: "Judge its moves" }).first().click();
  await opened.page.getByText("By the table of all distances.").waitFor();
  await check(opened.page);
  assert.deepEqual(opened.complaints, []);
  await opened.close();
});

test("nothing in the charts is cut off on a narrow phone", async () => {
  const opened = await openPage(browser, page("compare", `#p=${encodeURIComponent(LEVEL)}`), {
    viewport: { width: 320, height: 700 },
  });
  await opened.page.getByText("0 of 150 solved").first().waitFor();
  const cut = await opened.page.locator(".chart").evaluateAll((charts) =>
    charts.flatMap((chart) => {
      const { left, right } = chart.getBoundingClientRect();
      return [...chart.querySelectorAll("text")]
        .filter((text) => text.getBoundingClientRect().left < left - 1 || text.getBoundingClientRect().right > right + 1)
        .map((text) => text.textContent);
    }),
  );
  assert.deepEqual(cut, []);
  await opened.close();
});

for (const [width, scheme] of [
  [1440, "dark"],
  [390, "light"],
  [390, "dark"],
])
  test(`the pages are accessible and fit at ${width} px, ${scheme}`, async () => {
    const opened = await openPage(browser, page("ranked"), {
      viewport: { width, height: 844 },
      colorScheme: scheme,
    });
    for (const [name, word] of [
      ["ranked", "simulated"],
      ["compare", "minimum 11"],
      ["you", "The server keeps nothing about you"],
    ]) {
      await opened.page.goto(page(name));
      await opened.page.getByText(word).first().waitFor();
      await check(opened.page);
      const over = await opened.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${name} is ${over} px too wide`);
      if (width < 620 && name === "ranked") {
        // The list is read from top to bottom, and can be ordered.
        const places = opened.page.getByRole("region", { name: "Best list" });
        assert.ok((await places.getByRole("listitem").count()) > 5);
        const wider = await places.evaluate((list) => list.scrollWidth - list.clientWidth);
        assert.ok(wider <= 0, `the best list is ${wider} px wider than its place`);
        const first = await places.getByRole("listitem").first().innerText();
        await opened.page.getByLabel("Order by").selectOption({ label: "Average of 5" });
        assert.notEqual(await places.getByRole("listitem").first().innerText(), first);
      }
    }
    await opened.close();
  });
