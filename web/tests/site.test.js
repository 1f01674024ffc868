// A static copy, as `hyperslide site` writes it, on a plain host of files: play, exact distances,
// levels, a lesson, and all of that without a network.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createReadStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";

import { at, openPage, playing, program, startBrowser } from "./server.js";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
};
const LEVEL = "cube:3:2 b=5,g=6,p=1,r=4 -> b=6,g=4,p=1,r=5";

let folder;
let host;
let address;
let browser;

/** Serves the files of a folder, and nothing else. */
function serveFiles(root) {
  return createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://host");
    const file = join(root, pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "hyperslide-site-"));
  execFileSync(program, ["site", "--out", join(folder, "copy")]);
  host = serveFiles(folder);
  await new Promise((resolve) => host.listen(0, "127.0.0.1", resolve));
  // Not at the root: a copy may stand anywhere.
  address = `http://127.0.0.1:${host.address().port}/copy/`;
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  host?.closeAllConnections();
  host?.close();
  rmSync(folder, { recursive: true, force: true });
});


/** Plays hints until the puzzle is solved, and returns their number. */
async function followHints(page) {
  const result = page.getByRole("region", { name: "Result" });
  let moves = 0;
  for (; moves < 20 && (await result.count()) === 0; moves++) {
    await page.getByRole("button", { name: /^Hint/ }).first().click();
    await page.getByRole("button", { name: "Play it", exact: false }).first().click();
    await page.waitForTimeout(250);
  }
  await result.waitFor();
  return moves;
}

test("a level is played by its exact distances, and then again without a network", async () => {
  const { page, context, complaints, close } = await openPage(browser, playing(address, LEVEL));
  await at(page, 0).waitFor();
  assert.equal(await followHints(page), 6);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.goto(`${address}?page=levels`);
  await page.getByText("First steps").first().waitFor();
  await context.setOffline(true);
  host.closeAllConnections();
  await page.goto(playing(address, LEVEL.replace("b=5", "b=0")));
  await at(page, 0).waitFor();
  await page.goto(`${address}?page=levels`);
  await page.getByText("The hardest states").first().waitFor();
  assert.deepEqual(complaints.filter((text) => !text.startsWith("Failed to load resource")), []);
  await close();
});

test("the lesson, the day's puzzle and the report are there", async () => {
  const { page, complaints, close } = await openPage(browser, `${address}?page=lesson`);
  const next = page.getByRole("button", { name: /Next step/ });
  await next.waitFor();
  await page.keyboard.press("ArrowRight");
  await page.goto(`${address}?page=daily`);
  await page.getByText(/minimum/).first().waitFor();
  await page.getByRole("link", { name: "Report" }).click();
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("what needs the program says so", async () => {
  const puzzle = "grid:4:4 5,1,2,4,9,6,3,7,13,10,11,8,0,14,15,12 -> 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0";
  const { page, close } = await openPage(browser, playing(address, puzzle));
  await at(page, 0).waitFor();
  await page.getByRole("button", { name: /^Hint/ }).first().click();
  await page.getByText(/needs the program/).first().waitFor();
  await close();
});
