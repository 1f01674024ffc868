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
  await page.waitForURL(/&m=/);
  const other = await openPage(browser, page.url());
  const seen = other.page.getByRole("region", { name: "Result" });
  await seen.getByRole("button", { name: "Watch the play" }).waitFor();
  await other.page.waitForLoadState("networkidle");
  assert.equal(await seen.getByRole("button", { name: /Keep this play/ }).count(), 0);
  await other.close();
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
