// Plays are kept of those who agree, and deleted when they want.

import assert from "node:assert/strict";
import { test } from "node:test";

import { AxeBuilder } from "@axe-core/playwright";

import { at, openPage, playing, startWithPlays } from "./server.js";

const GRID = "grid:3:3 1,2,3,4,5,6,0,7,8 -> 1,2,3,4,5,6,7,8,0";

let server;
let browser;

startWithPlays((...both) => {
  [server, browser] = both;
});

test("a play is kept with consent, shown to others, and deleted", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  for (const vertex of [7, 8]) await at(page, vertex).click();
  const result = page.getByRole("region", { name: "Result" });
  await result.getByRole("button", { name: "Keep this play…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/Nothing else about you is kept/).waitFor();
  const { violations } = await new AxeBuilder({ page }).include("dialog").analyze();
  assert.deepEqual(violations.map(({ id }) => id), []);
  await dialog.getByRole("button", { name: "I agree: keep it" }).click();
  await result.getByText(/kept under the name \w+-\w+-\d+/).waitFor();
  await result.getByText(/Solved by one person: the best in two moves/).waitFor();
  const compared = await openPage(browser, `${server.address}?page=compare#p=${encodeURIComponent(GRID)}`);
  await compared.page.getByRole("group", { name: "Table of the best plays" }).waitFor();
  const doubled = await new AxeBuilder({ page: compared.page }).withTags(["best-practice"]).analyze();
  assert.deepEqual(doubled.violations.map(({ id }) => id), []);
  await compared.close();
  // It asks first, and the focus goes back, or to what is said.
  const button = result.getByRole("button", { name: /^Delete all plays of/ });
  await button.click();
  await dialog.getByRole("button", { name: "Keep it" }).click();
  assert.ok(await button.evaluate((one) => one === document.activeElement));
  await button.click();
  await dialog.getByRole("button", { name: "Delete everything" }).click();
  const told = result.getByText(/is deleted: one play/);
  await told.waitFor();
  assert.ok(await told.evaluate((one) => one === document.activeElement));
  const left = await (await fetch(`${server.address}api/plays?${new URLSearchParams({ puzzle: GRID })}`)).json();
  assert.equal(left.people, 0);
  assert.deepEqual(complaints, []);
  await close();
});

test("the play of a link is not kept as one's own", async () => {
  const { page, close } = await openPage(browser, playing(server.address, GRID));
  for (const vertex of [7, 8]) await at(page, vertex).click();
  const result = page.getByRole("region", { name: "Result" });
  await result.getByRole("button", { name: "Keep this play…" }).waitFor();
  // The address of a solved puzzle is that of the puzzle alone.
  await page.waitForFunction(() => !location.hash.includes("m="));
  const stranger = await openPage(browser, page.url());
  await at(stranger.page, 0).waitFor();
  assert.equal(await stranger.page.getByRole("region", { name: "Result" }).count(), 0);
  await stranger.close();
  const moves = await page.evaluate(() => JSON.parse(localStorage.getItem("hyperslide.plays"))[0][1].moves);
  const other = await openPage(browser, `${playing(server.address, GRID)}&m=${encodeURIComponent(moves)}`);
  const seen = other.page.getByRole("region", { name: "Result" });
  await seen.getByRole("button", { name: "Try it yourself" }).waitFor();
  await seen.getByRole("button", { name: "Watch the play" }).waitFor();
  await other.page.waitForLoadState("networkidle");
  assert.equal(await seen.getByRole("button", { name: /Keep this play/ }).count(), 0);
  await other.close();
  await close();
});

/** Somebody new, whom the server knows. */
async function somebody() {
  const { version } = await (await fetch(`${server.address}api/consent`)).json();
  const response = await fetch(`${server.address}api/people`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ consent: version }),
  });
  assert.equal(response.status, 201);
  return response.json();
}

const you = () => `${server.address}?page=you`;
/** Opens one's own page in a browser that keeps a person, or none. */
async function openYours(person) {
  const opened = await openPage(browser, `${server.address}?page=about`);
  if (person)
    await opened.page.evaluate(
      (person) => localStorage.setItem("hyperslide.person", JSON.stringify(person)),
      person,
    );
  await opened.page.goto(you());
  return opened;
}
const stored = (page) => page.evaluate(() => localStorage.getItem("hyperslide.person"));

test("a secret that the server does not know any more can be forgotten", async () => {
  const { page, close } = await openYours({ name: "calm-owl-100", secret: "0".repeat(32) });
  await page.getByRole("alert").getByText(/^Nobody has this secret/).waitFor();
  await page.getByText("You are calm-owl-100").waitFor();
  assert.doesNotMatch(await page.locator("main").textContent(), /Loading/);
  assert.equal(await page.getByRole("button", { name: "Delete everything…" }).count(), 0);
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag22aa"]).analyze();
  assert.deepEqual(violations.map(({ id }) => id), []);
  await page.getByRole("button", { name: "Forget it in this browser…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Forget it" }).click();
  await page.getByText(/has forgotten your secret/).waitFor();
  assert.equal(await stored(page), null);
  assert.equal(await page.getByRole("alert").count(), 0);
  await close();
});

test("the secret of another device is entered as it is, or as its link", async () => {
  const [first, second] = [await somebody(), await somebody()];
  const { page, close } = await openYours({ name: "calm-owl-100", secret: "0".repeat(32) });
  const field = page.getByLabel(/^Played on another device/);
  const enter = async (text) => {
    await field.fill(text);
    await page.getByRole("button", { name: "Use it here" }).click();
  };
  await enter("ключ");
  await page.getByRole("alert").getByText(/^This is no secret/).waitFor();
  assert.equal(await page.locator(".banner").count(), 0, "the server answers");
  await enter(` ${you()}#s=${first.secret} `);
  await page.getByText(`You are ${first.name}`).waitFor();
  await page.getByText("No plays of yours are kept.").waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
  await page.getByRole("button", { name: "Forget it in this browser…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Forget it" }).click();
  await page.getByText(/has forgotten your secret/).waitFor();
  await enter(second.secret);
  await page.getByText(`You are ${second.name}`).waitFor();
  await close();
});

test("a secret link that is opened while its page is shown is used there, once that is wanted", async () => {
  const [first, second] = [await somebody(), await somebody()];
  const { page, complaints, close } = await openYours();
  await page.getByRole("heading", { name: "Play a ranked start" }).waitFor();
  const follow = async ({ secret }) => {
    await page.evaluate((hash) => (location.hash = hash), `s=${secret}`);
    await page.waitForFunction(() => !location.hash);
  };
  await follow(first);
  await page.getByText(`You are ${first.name}`).waitFor();
  // One's own link changes nothing.
  await follow(first);
  assert.equal(await page.getByText(/^This link belongs to somebody other/).count(), 0);
  for (const [button, name] of [
    [`Keep using ${first.name}`, first.name],
    ["Use the link here", second.name],
  ]) {
    await follow(second);
    await page.getByText(/^This link belongs to somebody other/).waitFor();
    await page.getByRole("button", { name: button }).click();
    await page.getByText(`You are ${name}`).waitFor();
    assert.equal(await page.getByText(/^This link belongs to somebody other/).count(), 0);
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("a play of somebody whom the server does not know any more is kept under a new name", async () => {
  const { page, close } = await openYours({ name: "calm-owl-100", secret: "0".repeat(32) });
  await page.goto(playing(server.address, GRID));
  for (const vertex of [7, 8]) await at(page, vertex).click();
  const result = page.getByRole("region", { name: "Result" });
  await result.getByRole("button", { name: "Keep this play", exact: true }).click();
  await result.getByRole("alert").waitFor();
  await result.getByRole("button", { name: "Keep this play…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "I agree: keep it" }).click();
  await result.getByText(/kept under the name \w+-\w+-\d+/).waitFor();
  assert.notEqual(JSON.parse(await stored(page)).name, "calm-owl-100");
  await page.goto(you());
  await page.getByText("One play of yours is kept.").waitFor();
  await page.getByRole("button", { name: "Delete everything…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete everything" }).click();
  await page.getByText(/is deleted: one play/).waitFor();
  await close();
});

test("who does not agree leaves nothing", async () => {
  const { page, close } = await openPage(browser, playing(server.address, GRID));
  for (const vertex of [7, 8]) await at(page, vertex).click();
  const result = page.getByRole("region", { name: "Result" });
  await result.getByRole("button", { name: "Keep this play…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "No" }).click();
  await page.waitForTimeout(300);
  const left = await (await fetch(`${server.address}api/plays?${new URLSearchParams({ puzzle: GRID })}`)).json();
  assert.equal(left.people, 0);
  await close();
});
