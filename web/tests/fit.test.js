// The board fits the window, also where that is low: on phones on their side, and at 200 per cent.

import assert from "node:assert/strict";
import { test } from "node:test";

import { AxeBuilder } from "@axe-core/playwright";

import { at, openPage, playing, startBoth } from "./server.js";

const TESSERACT = "cube:4:2 b=9,g=4,p=1,r=0,y=11 -> b=4,g=13,p=7,r=5,y=1";
const GRID = "grid:3:3 1,2,3,5,0,6,4,7,8 -> 1,2,3,4,5,6,7,8,0";

let server;
let browser;

startBoth((...both) => {
  [server, browser] = both;
});

for (const [width, height] of [
  [720, 450],
  [844, 390],
  [390, 844],
])
  test(`at ${width} by ${height} pixels`, async () => {
    const { page, close } = await openPage(browser, playing(server.address, GRID), { viewport: { width, height } });
    const thumb = page.getByRole("group", { name: "Quick actions" });
    const fits = async (what) => {
      const board = page.getByRole("group", { name: /^Board/ });
      const low = (await thumb.isVisible()) ? (await thumb.boundingBox()).height : 0;
      const { height: tall } = await board.boundingBox();
      assert.ok(tall <= height - low, `${what} is ${tall} pixels high`);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${what} makes the page ${over} pixels too wide`);
    };
    await at(page, 0).waitFor();
    // All that is in the header stands on one line.
    const lines = await page.getByRole("navigation", { name: "Pages" }).locator("> a:visible, > details:visible").evaluateAll((all) =>
      all.map((one) => (one.firstElementChild ?? one)).map((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        const { top, bottom } = range.getBoundingClientRect();
        return Math.round(top + bottom);
      }),
    );
    assert.equal(new Set(lines).size, 1, `${lines}`);
    await fits("the grid");
    await page.goto(playing(server.address, TESSERACT));
    await at(page, 15).waitFor();
    for (const view of ["Slices", "Flat", "Projection"]) {
      await page.getByRole("button", { name: view }).click();
      await fits(view);
    }
    await close();
  });

test("on a phone the first steps speak of the token that they mean, and a refusal is seen", async () => {
  const options = { viewport: { width: 390, height: 844 }, hasTouch: true };
  const { page, close } = await openPage(browser, server.address, options);
  const steps = page.getByRole("region", { name: "First steps" });
  await at(page, 3).tap();
  await page.waitForTimeout(200);
  assert.ok(await steps.getByText("Tap the blue token b.").isVisible());
  await at(page, 0).tap();
  await steps.getByText("The tinted square is free:").waitFor();
  await at(page, 7).tap();
  const refusal = page.getByText("b cannot slide from 0 to 7: no square holds both corners.").first();
  const bar = await page.getByRole("group", { name: "Quick actions" }).boundingBox();
  await page.waitForTimeout(300);
  const { y, height } = await refusal.boundingBox();
  assert.ok(y >= 0 && y + height <= bar.y, `${y} to ${y + height}, and the bar begins at ${bar.y}`);
  await close();
});

/** What the window shows of a page: from its upper edge to the lower one, or to the bar for the thumb. */
async function seen(page) {
  const { height } = page.viewportSize();
  const buttons = page.getByRole("group", { name: "Quick actions" });
  if (!(await buttons.isVisible())) return height;
  const bar = await buttons.boundingBox();
  // Beside a board the same buttons are no bar.
  return bar.y + bar.height > height - 1 ? bar.y : height;
}

async function isSeen(page, part, name) {
  const { y, height } = await part.boundingBox();
  const edge = await seen(page);
  assert.ok(y >= 0 && y + height <= edge, `${name} is at ${y} to ${y + height}, and ${edge} pixels are seen`);
}

for (const [width, height] of [
  [320, 568],
  [360, 640],
  [390, 844],
  [720, 450],
  [844, 390],
]) {
  const options = { viewport: { width, height }, hasTouch: true };

  test(`at ${width} by ${height} pixels the first steps are seen with the whole board`, async () => {
    const { page, close } = await openPage(browser, server.address, options);
    for (const vertex of [0, 2, 6]) await at(page, vertex).tap();
    const steps = page.getByRole("region", { name: "First steps" });
    await steps.getByText("Now bring b to its dotted ring.").waitFor();
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => scrollY), 0);
    await isSeen(page, steps, "what is said");
    for (const vertex of [0, 1, 2, 3, 4, 5, 6, 7]) await isSeen(page, at(page, vertex), `corner ${vertex}`);
    await close();
  });

  test(`at ${width} by ${height} pixels a hint is seen with what plays it`, async () => {
    const { page, close } = await openPage(browser, playing(server.address, TESSERACT), options);
    await at(page, 9).tap();
    await page.waitForTimeout(300);
    await isSeen(page, page.getByText("b on 9").first(), "the explanation");
    await page.evaluate(() => scrollTo(0, 0));
    await page.getByRole("button", { name: /^Hint/ }).first().tap();
    const play = page.getByRole("button", { name: "Play it" });
    await play.waitFor();
    await page.waitForTimeout(300);
    await isSeen(page, play, "the button that plays it");
    // Beside the board of a low window the buttons and what is said hide nothing of it.
    if (width > height) {
      await isSeen(page, page.getByRole("button", { name: "Undo" }).first(), "Undo");
      for (const vertex of [0, 7, 8, 15]) await isSeen(page, at(page, vertex), `corner ${vertex}`);
    }
    await close();
  });
}

test("on a phone on its side the lesson asks its question above a bar of one row", async () => {
  const options = { viewport: { width: 844, height: 390 }, hasTouch: true };
  const { page, close } = await openPage(browser, `${server.address}?page=lesson`, options);
  const question = page.getByText("Which state does A* take next?").first();
  await question.waitFor();
  const bar = await page.getByRole("region", { name: "Steps" }).boundingBox();
  assert.ok(bar.height <= 390 / 6, `the bar is ${bar.height} pixels high`);
  const { y, height } = await question.boundingBox();
  assert.ok(y + height <= bar.y, `the question ends at ${y + height}, and the bar begins at ${bar.y}`);
  await close();
});

for (const [width, height] of [
  [1440, 900],
  [390, 844],
])
  test(`at ${width} by ${height} pixels the goal of a tall grid leaves the room to its board`, async () => {
    const tall = "grid:8:2 1,2,3,4,5,6,7,8,9,10,11,12,13,14,0,15 -> 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0";
    const { page, close } = await openPage(browser, playing(server.address, tall), { viewport: { width, height } });
    await at(page, 15).waitFor();
    const goal = await page.getByRole("img", { name: /^Goal/ }).boundingBox();
    const board = await page.getByRole("group", { name: /^Board/ }).boundingBox();
    assert.ok(goal.height * 2.5 < board.height, `${goal.height} pixels next to ${board.height}`);
    await isSeen(page, at(page, 14), "the last row");
    await close();
  });

test("the goal opens as a large picture, where all of it can be read", async () => {
  const size = 8;
  const goal = Array.from({ length: size * size - 1 }, (_, i) => i + 1);
  const puzzle = `grid:8:8 ${[...goal.slice(0, -1), 0, 63]} -> ${[...goal, 0]}`;
  const options = { viewport: { width: 360, height: 640 }, hasTouch: true };
  const { page, complaints, close } = await openPage(browser, playing(server.address, puzzle), options);
  await page.getByText("Goal: in order, empty last.").waitFor();
  const button = page.getByRole("button", { name: "Enlarge the goal" });
  await button.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Goal" });
  const picture = dialog.getByRole("img", { name: /^Goal: / });
  const sizes = await picture.locator("text").evaluateAll((all) =>
    all.map((one) => parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a),
  );
  assert.equal(sizes.length, 63);
  assert.ok(Math.min(...sizes) >= 11, `letters of ${Math.min(...sizes)} pixels`);
  const { y, height } = await picture.boundingBox();
  assert.ok(y >= 0 && y + height <= 640, `${y} to ${y + height}`);
  const { violations } = await new AxeBuilder({ page }).include("dialog").analyze();
  assert.deepEqual(violations.map(({ id }) => id), []);
  await page.keyboard.press("Escape");
  assert.ok(await button.evaluate((one) => one === document.activeElement), "the focus is lost");
  assert.deepEqual(complaints, []);
  await close();
});

test("the focus stays in the bar for the thumb when nothing is left to undo", async () => {
  const options = { viewport: { width: 720, height: 450 } };
  const { page, close } = await openPage(browser, playing(server.address, GRID), options);
  await at(page, 3).click();
  const bar = page.getByRole("group", { name: "Quick actions" });
  await bar.getByRole("button", { name: "Undo" }).focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Hint");
  await close();
});

test("a swipe scrolls the page where no tile can go that way, and drags one where it can", async () => {
  const options = { viewport: { width: 390, height: 600 }, hasTouch: true, isMobile: true };
  const { page, context, close } = await openPage(browser, playing(server.address, GRID), options);
  await at(page, 3).waitFor();
  const touches = await context.newCDPSession(page);
  const swipe = async (vertex, dx, dy) => {
    await page.evaluate(() => scrollTo(0, 0));
    const { x, y, width, height } = await at(page, vertex).boundingBox();
    const send = (type, share) =>
      touches.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: type === "touchEnd" ? [] : [{ x: x + width / 2 + share * dx, y: y + height / 2 + share * dy }],
      });
    await send("touchStart", 0);
    for (let step = 1; step <= 8; step++) {
      await send("touchMove", step / 8);
      await page.waitForTimeout(20);
    }
    await send("touchEnd", 1);
    await page.waitForTimeout(300);
    return page.evaluate(() => scrollY);
  };
  // 5 can go to the right only, and 4, below it, nowhere.
  assert.ok((await swipe(3, 0, -120)) > 60, "5 holds the page");
  assert.match(await at(page, 3).getAttribute("aria-label"), /token 5/);
  assert.ok((await swipe(6, 0, -120)) > 60, "4 holds the page");
  assert.equal(await swipe(3, 120, 0), 0);
  assert.match(await at(page, 4).getAttribute("aria-label"), /token 5/);
  assert.equal(await swipe(6, 0, -120), 0);
  assert.match(await at(page, 3).getAttribute("aria-label"), /token 4/);
  await close();
});
