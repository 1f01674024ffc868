// A race: what the automatic choice fell on is named, and no button is where another one was.

import assert from "node:assert/strict";
import { test } from "node:test";

import { leavesQuietly, openPage, startBoth } from "./server.js";

let server;
let browser;

startBoth((...both) => {
  [server, browser] = both;
});

const racing = (a, b) => `${server.address}?page=race&a=${a}&b=${b}`;

test("the automatic choice is named with what it fell on, and why", async () => {
  const { page, complaints, close } = await openPage(browser, racing("auto", "breadth-first"), {
    reducedMotion: "reduce",
  });
  await page.getByRole("button", { name: "Start the race" }).click();
  await page.getByRole("status").getByText(/^Automatic choice \(IDA\*\) proved/).waitFor({ timeout: 60_000 });
  const lane = page.getByRole("region", { name: "Automatic choice (IDA*)" });
  await lane.getByRole("heading", { name: "Automatic choice (IDA*)" }).waitFor();
  await lane.getByText(/^The automatic choice was IDA\*: .+\.$/).waitFor();
  // What was asked for by its own name has no choice to explain.
  const other = page.getByRole("region", { name: "Breadth-first search", exact: true });
  assert.doesNotMatch(await other.textContent(), /automatic/i);
  assert.deepEqual(complaints, []);
  await close();
});

for (const width of [1440, 390])
  test(`each button stays in its place from the start to the end of a race, at ${width} pixels`, async () => {
    const { page, complaints, close } = await openPage(browser, racing("astar", "breadth-first"), {
      viewport: { width, height: 900 },
    });
    const button = (name) => page.getByRole("button", { name, exact: true });
    const place = async (button) => {
      const { x, y, width } = await button.boundingBox();
      return { x, y: y + (await page.evaluate(() => scrollY)), width };
    };
    const places = async () => [await place(button("Start the race")), await place(button("Stop both"))];
    // Until the answers are let through, the race is on.
    let letGo = () => {};
    const wait = new Promise((done) => (letGo = done));
    await page.route("**/expansions*", async (route) => {
      await wait;
      await route.continue();
    });
    await button("Start the race").waitFor();
    await page.getByLabel("Algorithm").nth(1).waitFor();
    const before = await places();
    await button("Start the race").focus();
    await page.keyboard.press("Enter");
    await page.getByText("Both are searching …").or(page.getByText("The replay is running …")).first().waitFor();
    assert.deepEqual(await places(), before, "when the race begins");
    letGo();
    await button("Pause").waitFor({ timeout: 60_000 });
    assert.deepEqual(await places(), before, "when the searches are over");
    const pause = await place(button("Pause"));
    // The sentences come when the replay is over.
    await page.getByRole("status").getByText(/times as many/).waitFor({ timeout: 60_000 });
    assert.deepEqual(await places(), before, "when the replay is over");
    assert.deepEqual(await place(button("Play")), pause, "Pause and Play");
    assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), "Start the race");
    assert.deepEqual(complaints, []);
    await close();
  });

for (const width of [1440, 390])
  test(`both searches are in view side by side, at ${width} pixels`, async () => {
    const { page, complaints, close } = await openPage(browser, racing("astar", "breadth-first"), {
      viewport: { width, height: 760 },
    });
    await page.getByLabel("Algorithm").nth(1).waitFor();
    await page.getByRole("button", { name: "Start the race" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor({ timeout: 60_000 });
    const [first, second] = await Promise.all(
      ["A*", "Breadth-first search"].map((name) =>
        page.getByRole("slider", { name: `Expansions of ${name}` }).boundingBox(),
      ),
    );
    assert.equal(first.y, second.y);
    assert.ok(first.x + first.width < second.x && second.x + second.width < width);
    assert.ok(first.y >= 0 && first.y + first.height <= 760, `${first.y}`);
    assert.ok(first.width > 100 && second.width > 100);
    assert.deepEqual(complaints, []);
    await close();
  });

test("a race that is left before its puzzle is read begins no search, and leaves the address alone", async () => {
  const { page, complaints, close } = await openPage(browser, racing("astar", "breadth-first"));
  await page.getByLabel("Algorithm").nth(1).waitFor();
  await leavesQuietly(page, () => page.getByRole("button", { name: "Start the race" }).click());
  assert.deepEqual(complaints, []);
  await close();
});

test("what has no solution is not said to wait for a search", async () => {
  const puzzle = "grid:3:3 2,1,3,4,5,6,7,8,0 -> 1,2,3,4,5,6,7,8,0";
  const { page, close } = await openPage(browser, `${racing("astar", "breadth-first")}#p=${encodeURIComponent(puzzle)}`);
  await page.getByRole("button", { name: "Start the race" }).click();
  await page.getByRole("status").getByText(/No sequence of moves reaches the goal/).waitFor();
  const why = page.getByText("No state was expanded: the answer follows without a search.");
  await why.nth(1).waitFor();
  assert.doesNotMatch(await page.locator("main").textContent(), /No expansion yet|after 0 expansions/);
  await close();
});
