// A server of the tests' own, and a browser to look at it. HYPERSLIDE names the program, CHROMIUM a
// browser other than Debian's.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

export const program =
  process.env.HYPERSLIDE ?? fileURLToPath(new URL("../../target/debug/hyperslide", import.meta.url));

/** Starts a server on a port, 0 for any that is free. */
export async function startServer({ port = 0, database = "none", options = [] } = {}) {
  const kept = database ? ["--database", database] : [];
  const command = ["serve", "--port", String(port), "--rate", "100000", ...kept, ...options];
  const child = spawn(program, command, { stdio: ["ignore", "ignore", "pipe"] });
  const address = await new Promise((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (data) => {
      said += data;
      const found = said.match(/http:\/\/[^/]+\//);
      if (found) resolve(found[0]);
    });
    child.on("error", reject);
    child.on("exit", () => reject(new Error(`${program} ended: ${said}`)));
  });
  // A test that fails leaves its servers: they must not keep this process waiting, and end with it.
  child.unref();
  child.stderr.unref();
  process.once("exit", () => child.kill("SIGTERM"));
  return {
    address,
    port: Number(new URL(address).port),
    /** The answer to a question about a puzzle. */
    async ask(path, puzzle) {
      const response = await fetch(`${address}api/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ puzzle }),
      });
      assert.equal(response.status, 200, `${path} ${puzzle}`);
      return response.json();
    },
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.ref();
      child.kill("SIGTERM");
      await ended;
    },
  };
}

export const startBrowser = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });

/** Starts a server and a browser before the tests of a file, hands them over, and stops them after the tests. */
export function startBoth(handOver, database = () => "none") {
  let both = [];
  before(async () => {
    both = await Promise.all([startServer({ database: database() }), startBrowser()]);
    handOver(...both);
  });
  after(async () => {
    const [server, browser] = both;
    await browser?.close();
    await server?.stop();
  });
}

/** Does the same with a database for plays, into which `fill` may put some first. */
export function startWithPlays(handOver, fill = () => {}) {
  let folder;
  startBoth(handOver, () => {
    folder = mkdtempSync(join(tmpdir(), "hyperslide-plays-"));
    const database = `sqlite:${join(folder, "plays.sqlite")}`;
    fill(database);
    return database;
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
}

/** A vertex of the board that is played on; other pictures have none that can be pressed. */
export const at = (page, vertex) => page.locator(`[data-vertex="${vertex}"]`);

/** Opens a page and collects what the console complains of. */
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(url);
  return { page, context, complaints, close: () => context.close() };
}

/**
 * Keeps the answers to an address waiting. `asked` is the first request, and `letGo` lets the
 * answers through and waits for that one to be read.
 */
export async function holdAnswers(page, address) {
  let open = () => {};
  const wait = new Promise((done) => (open = done));
  await page.route(address, async (route) => {
    await wait;
    await route.continue().catch(() => {});
  });
  const asked = page.waitForRequest(address);
  return {
    asked,
    async letGo() {
      open();
      await (await asked).response();
      await page.waitForTimeout(400);
    },
  };
}

/**
 * Leaves a page for the levels while an answer to it is held back, and lets that come: no search
 * begins, and the address stays. `begin` does what asks for the answer.
 */
export async function leavesQuietly(page, begin) {
  let jobs = 0;
  page.on("request", (request) => (jobs += new URL(request.url()).pathname === "/api/jobs" ? 1 : 0));
  const { asked, letGo } = await holdAnswers(page, /api\/puzzles$/);
  await begin();
  await asked;
  await page.getByRole("link", { name: "Levels" }).click();
  await page.waitForURL(/page=levels/);
  await letGo();
  assert.match(page.url(), /page=levels/);
  assert.equal(jobs, 0);
}

/** The address of a puzzle in the player. */
export const playing = (address, puzzle, more = "") =>
  `${address}?page=play${more}#p=${encodeURIComponent(puzzle)}`;
