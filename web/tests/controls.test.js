// The ways to play and to look at a puzzle that levels do not need: hover, keys of one's own, views that turn,
// free faces, and what a screen reader hears.

import assert from "node:assert/strict";
import { test } from "node:test";

import { AxeBuilder } from "@axe-core/playwright";

import { at, openPage, playing, startBoth } from "./server.js";

const GRID = "grid:3:3 1,2,3,5,0,6,4,7,8 -> 1,2,3,4,5,6,7,8,0";
const TESSERACT = "cube:4:3 b=5,g=4,p=7,r=13,y=1 -> b=4,g=13,p=7,r=5,y=1";
const SQUARES = "cube:4:2 a=0,b=15 -> a=15,b=0";

let server;
let browser;

startBoth((...both) => {
  [server, browser] = both;
});

const label = (page, vertex) => at(page, vertex).getAttribute("aria-label");
/** What a screen reader says now. */
const heard = (page) => page.getByTestId("live");

test("tiles follow the mouse, at once", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 0).waitFor();
  await page.getByText("Tiles follow the mouse").first().click();
  await page.evaluate(() => {
    globalThis.motions = 0;
    document.addEventListener("transitionrun", (event) => {
      if (event.target.closest(".token")) globalThis.motions += 1;
    });
  });
  const { solution } = await server.ask("hint", GRID);
  for (const { from } of solution) {
    const { x, y, width, height } = await at(page, from).boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
  }
  await page.getByRole("region", { name: "Result" }).getByText(/^\d × \d grid, hover/).waitFor();
  assert.equal(await page.evaluate(() => globalThis.motions), 0, "a tile moved slowly");
  assert.deepEqual(complaints, []);
  await close();
});

test("what keys do is heard", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, SQUARES));
  await at(page, 0).click();
  for (const [key, words] of [
    ["f", /Number 2 is shown/],
    ["v", /View: flat/],
    ["Escape", /No token is selected/],
    ["u", /nothing to undo/],
    ["r", /nothing to redo/],
  ]) {
    await page.keyboard.press(key);
    await heard(page).getByText(words).waitFor();
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("every key can be changed, is listed, and stays so", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 3).click();
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await dialog.waitFor();
  // The dialog has the focus, not its closing cross.
  assert.equal(await page.evaluate(() => document.activeElement.localName), "dialog");
  await dialog.getByRole("button", { name: "Change the key of: Undo" }).click();
  await page.keyboard.press("q");
  await dialog.getByRole("button", { name: /^Q\s*change the key of: Undo/i }).waitFor();
  await dialog.getByRole("status").filter({ hasText: "“Undo” has the key Q." }).waitFor();
  await page.keyboard.press("Escape");
  await page.reload();
  await at(page, 4).waitFor();
  assert.match(await label(page, 4), /token 5/);
  await page.keyboard.press("u");
  assert.match(await label(page, 4), /token 5/);
  await page.keyboard.press("q");
  assert.match(await label(page, 3), /token 5/);
  await page.keyboard.press("?");
  await page.getByRole("button", { name: "Restore the default keys" }).click();
  await page.keyboard.press("Escape");
  await page.keyboard.press("r");
  await page.keyboard.press("u");
  assert.match(await label(page, 3), /token 5/);
  assert.deepEqual(complaints, []);
  await close();
});

test("the free faces of a token are shown one at a time, in the picture and in words", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, SQUARES));
  await at(page, 0).click();
  const words = page.getByRole("region", { name: "Puzzle" }).getByText(/can reach ten corners over six free squares/);
  await words.waitFor();
  const seen = new Set();
  for (let i = 0; i < 6; i++) {
    const corners = (await words.textContent()).match(/shown: ([\d ·]+)/)[1].trim();
    seen.add(corners);
    // The picture has the numbers that the words speak of.
    const shown = page.getByRole("group", { name: /^Board/ }).locator("text.number");
    assert.deepEqual(await shown.allTextContents(), corners.split(" · "));
    assert.match(await words.textContent(), new RegExp(`Number ${i + 1} is shown`));
    await page.keyboard.press("f");
  }
  assert.equal(seen.size, 6);
  // The places where it may go are numbered, and those out of reach say why.
  const labels = await page.locator("[data-vertex]").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  assert.equal(labels.filter((text) => /destination \d+/.test(text)).length, 10);
  await at(page, 7).click();
  await page.getByText("a cannot slide from 0 to 7: no square holds both corners.").first().waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

/** Drags from a vertex to a place, which is another vertex or in pixels. */
async function drag(page, from, to) {
  const middle = async (vertex) => {
    const { x, y, width, height } = await at(page, vertex).boundingBox();
    return { x: x + width / 2, y: y + height / 2 };
  };
  const [a, b] = [await middle(from), typeof to === "number" ? await middle(to) : to];
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move(b.x, b.y, { steps: 5 });
  await page.mouse.up();
}

test("a token that is let go where it may not slide returns, and it is said why", async () => {
  const puzzle = "cube:4:2 b=9,g=4,p=1,r=0,y=11 -> b=4,g=13,p=7,r=5,y=1";
  const { page, complaints, close } = await openPage(browser, playing(server.address, puzzle));
  await at(page, 0).waitFor();
  const said = page.getByRole("region", { name: "Puzzle" });
  await drag(page, 0, 7);
  await said.getByText("r cannot slide from 0 to 7: no square holds both corners.").waitFor();
  await drag(page, 0, 4);
  await said.getByText("r cannot slide from 0 to 4: g is there.").waitFor();
  await drag(page, 0, { x: 1400, y: 880 });
  await said.getByText("r stays where it was: no corner was near enough.").waitFor();
  assert.match(await label(page, 0), /token r/);
  await page.getByText("move 0 of 0").waitFor({ state: "attached" });
  await drag(page, 0, 2);
  assert.match(await label(page, 2), /token r/);
  assert.equal(await said.getByText(/cannot slide|stays where/).count(), 0);
  // Where only one cell is empty, a tile slides as soon as it is dragged.
  await page.goto(playing(server.address, GRID));
  await at(page, 3).waitFor();
  await drag(page, 3, 4);
  assert.match(await label(page, 4), /token 5/);
  assert.equal(await said.getByText(/cannot slide|stays where/).count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

test("a tap on an empty corner says which tokens can come there, and marks them", async () => {
  const puzzle = "cube:4:2 b=9,g=4,p=1,r=0,y=11 -> b=4,g=13,p=7,r=5,y=1";
  const { page, complaints, close } = await openPage(browser, playing(server.address, puzzle));
  await at(page, 5).click();
  const said = page.getByRole("region", { name: "Puzzle" }).getByText(/can slide to 5\. Tap one of them\./);
  await said.waitFor();
  const tokens = (await said.textContent()).match(/\w on \d+/g);
  assert.ok(tokens.length > 1);
  assert.equal(await page.locator("circle.beckon").count(), tokens.length);
  await at(page, Number(tokens[0].match(/\d+/)[0])).click();
  assert.match(await label(page, 5), /destination/);
  assert.equal(await page.locator("circle.beckon").count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

test("on grids moves are said by their directions, not by numbers that nobody sees", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 3).waitFor();
  await page.keyboard.press("h");
  const hint = page.getByRole("region", { name: "Puzzle" }).locator(".hinting b");
  const { solution } = await server.ask("hint", GRID);
  const { token, from, to } = solution[0];
  const way = { 1: "right", "-1": "left", 3: "down", "-3": "up" }[to - from];
  assert.equal(await hint.textContent(), `${token} ${way}.`);
  await at(page, from).click();
  assert.match(await heard(page).textContent(), new RegExp(`^${token} ${way}\\. `));
  await page.keyboard.press("u");
  assert.equal(await heard(page).textContent(), "Undone. No moves.");
  await page.keyboard.press("r");
  assert.equal(await heard(page).textContent(), "Redone. One move.");
  assert.deepEqual(complaints, []);
  await close();
});

test("a click without a pointer, as programs make that read the page aloud, presses a vertex once", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 3).dispatchEvent("click", { detail: 0 });
  assert.match(await label(page, 4), /token 5/);
  await page.getByText("move 1 of 1").waitFor();
  await page.goto(playing(server.address, SQUARES));
  await at(page, 0).dispatchEvent("click", { detail: 0 });
  assert.equal(await at(page, 0).getAttribute("aria-pressed"), "true");
  // A pointer or a key presses once too.
  for (const press of [() => at(page, 0).click(), () => page.keyboard.press("Enter")]) {
    await press();
    assert.equal(await at(page, 0).getAttribute("aria-pressed"), "false");
    await at(page, 0).focus();
    await page.keyboard.press("Enter");
    assert.equal(await at(page, 0).getAttribute("aria-pressed"), "true");
  }
  assert.deepEqual(complaints, []);
  await close();
});

test("the focus stays when a button has done its work", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 3).click();
  const focus = () => page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.getAttribute("data-vertex"));
  const press = async (name) => {
    await page.getByRole("button", { name }).first().focus();
    await page.keyboard.press("Enter");
  };
  await press(/^Undo/);
  assert.match(await focus(), /^Undo/);
  assert.ok(await page.getByRole("button", { name: /^Undo/ }).first().isDisabled());
  await press(/^Hint/);
  await page.getByRole("button", { name: "Play it" }).waitFor();
  assert.match(await focus(), /^Hint/);
  const { solution } = await server.ask("hint", GRID);
  await press("Play it");
  assert.equal(await focus(), String(solution[0].to));
  await press(/^Reset/);
  await page.getByRole("dialog").getByRole("button", { name: "Go on playing" }).click();
  assert.match(await focus(), /^Reset/);
  assert.deepEqual(complaints, []);
  await close();
});

test("a projection is turned by the mouse, toward the fourth axis, by quarters, and comes to rest", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, TESSERACT), { reducedMotion: "reduce" });
  await at(page, 0).waitFor();
  await page.getByRole("button", { name: "Projection" }).click();
  const picture = page.locator("svg.projected");
  await picture.waitFor();
  const places = () =>
    page.locator("[data-vertex] circle:first-of-type").evaluateAll((all) => all.map((one) => `${one.getAttribute("cx")} ${one.getAttribute("cy")}`).join());
  const { x, y, width, height } = await picture.boundingBox();
  const drag = async () => {
    await page.mouse.move(x + width * 0.5, y + height * 0.08);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.6, y + height * 0.2, { steps: 5 });
    await page.mouse.up();
  };
  const resting = await places();
  await drag();
  const turned = await places();
  assert.notEqual(turned, resting);
  await page.getByRole("button", { name: "Resting view" }).click();
  assert.equal(await places(), resting);
  await page.keyboard.down("Shift");
  await drag();
  await page.keyboard.up("Shift");
  assert.ok(![resting, turned].includes(await places()), "Shift turns toward the fourth axis");
  await page.getByRole("button", { name: "Resting view" }).click();
  const planes = page.getByRole("group", { name: "Turn by 90 degrees" }).getByRole("button");
  assert.equal(await planes.count(), 6);
  for (let i = 0; i < 4; i++) {
    await page.getByRole("button", { name: /^xw:/ }).click();
    if (i < 3) assert.notEqual(await places(), resting);
  }
  const close_ = (a, b) => a.split(/[ ,]/).every((one, i) => Math.abs(one - b.split(/[ ,]/)[i]) < 0.5);
  assert.ok(close_(await places(), resting), "four quarters are the whole");
  await page.getByRole("button", { name: "Petrie view" }).click();
  const petrie = (await places()).split(",");
  assert.equal(new Set(petrie).size, 16, "vertices coincide");
  assert.deepEqual(complaints, []);
  await close();
});

test("by keys alone, and by ear: every move is announced, with what it leads to", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, TESSERACT));
  await at(page, 0).waitFor();
  await page.getByText("minimum 8").first().waitFor();
  // The board is one stop of the tab key.
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement.hasAttribute("data-vertex"))) break;
  }
  const stop = () => page.evaluate(() => Number(document.activeElement.getAttribute("data-vertex")));
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.hasAttribute("data-vertex")), false);
  await page.keyboard.press("Shift+Tab");
  const { solution } = await server.ask("hint", TESSERACT);
  const here = await stop();
  const found = await leads(page, stop);
  await at(page, here).focus();
  for (const { from, to } of solution) {
    const way = keysTo(found, await stop(), from);
    assert.ok(way, `no keys lead to ${from}`);
    for (const key of way) await page.keyboard.press(key);
    assert.equal(await stop(), from);
    await page.keyboard.press("Enter");
    assert.match(await heard(page).textContent(), new RegExp(`^\\w on ${from} can reach`));
    const number = (await label(page, to)).match(/destination (\d+)/)[1];
    await page.keyboard.press(number);
    assert.match(await heard(page).textContent(), new RegExp(`^\\w from ${from} to ${to}\\.`));
    assert.equal(await stop(), to, "the focus goes with the token");
  }
  assert.match(await heard(page).textContent(), /Solved in 8 moves, minimum 8\./);
  assert.deepEqual(complaints, []);
  await close();
});

const KEYS = ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "]", "["];

/** Where every key leads from every vertex of a board with 16 of them. */
async function leads(page, stop) {
  const found = [];
  for (let from = 0; from < 16; from++)
    for (const key of KEYS) {
      await at(page, from).focus();
      await page.keyboard.press(key);
      found.push([from, key, await stop()]);
    }
  return found;
}

test("graphs that have a name are called by it", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, "graph:petersen a=0 -> a=1"));
  const seen = new Set();
  for (const name of [
    "petersen", "theta0", "k33", "tetrahedron", "cube", "octahedron", "dodecahedron", "icosahedron",
    "truncated-tetrahedron", "cuboctahedron", "heawood", "mobius-kantor", "pappus", "desargues", "nauru", "mcgee",
    "tutte-coxeter", "franklin", "frucht", "grotzsch", "chvatal", "clebsch", "shrikhande", "hoffman-singleton",
    "moser-spindle", "diamond", "bull", "butterfly", "house",
  ]) {
    const { board } = await (await fetch(`${server.address}api/boards/graph:${name}`)).json();
    await page.evaluate((hash) => (location.hash = hash), `p=${encodeURIComponent(`graph:${name} a=0 -> a=1`)}`);
    await page.waitForFunction((board) => decodeURIComponent(location.hash).startsWith(`#p=${board} `), board);
    const title = page.getByRole("heading", { level: 1 });
    const words = (await title.textContent()).replace(/, one token$/, "");
    assert.doesNotMatch(words, /^Graph of \d/, name);
    // The name is that of the graph, with other letters.
    const plain = (text) => text.normalize("NFD").replace(/[^a-z]/gi, "").toLowerCase();
    if (!["theta0", "k33"].includes(name)) assert.ok(plain(words).includes(plain(name)), `${name}: ${words}`);
    seen.add(words);
  }
  assert.equal(seen.size, 29);
  // Families are called by what their numbers mean.
  const families = {
    "cycle-6": "Cycle of 6 vertices",
    "path-5": "Path of 5 vertices",
    "star-4": "Star with 4 leaves",
    "wheel-5": "Wheel with 5 spokes",
    "complete-5": "Complete graph of 5 vertices",
    "complete-bipartite-2-3": "Complete bipartite graph of 2 and 3 vertices",
    "complete-bipartite-3-2": "Complete bipartite graph of 3 and 2 vertices",
    "theta-1-2-2": "Theta graph with paths of 1, 2 and 2 vertices",
    "theta-3-2-4": "Theta graph with paths of 3, 2 and 4 vertices",
    "ladder-4": "Ladder with 4 rungs",
    "prism-5": "Prism with 5 sides",
    "antiprism-4": "Antiprism with 4 sides",
    "mobius-ladder-4": "Möbius ladder with 4 rungs",
    "generalized-petersen-7-2": "Generalized Petersen graph (7, 2)",
    "knight-3-4": "Knight’s moves on 3 × 4 squares",
    "king-3-3": "King’s moves on 3 × 3 squares",
    // The largest ones.
    "cycle-64": "Cycle of 64 vertices",
    "theta-20-20-22": "Theta graph with paths of 20, 20 and 22 vertices",
    "complete-64": "Complete graph of 64 vertices",
    "knight-8-8": "Knight’s moves on 8 × 8 squares",
  };
  for (const [name, words] of Object.entries(families)) {
    await page.evaluate((hash) => (location.hash = hash), `p=${encodeURIComponent(`graph:${name} a=0 -> a=1`)}`);
    await page.getByRole("heading", { level: 1, name: `${words}, one token` }).waitFor();
  }
  // And so they are where one chooses them.
  await page.getByRole("button", { name: /^New/ }).first().click();
  const dialog = page.getByRole("dialog", { name: "New puzzle" });
  await dialog.getByText("Graph", { exact: true }).click();
  const field = dialog.getByLabel("Name of the graph");
  for (const name of ["cycle-6", "theta-1-2-2", "hoffman-singleton"]) {
    await field.fill(name);
    await dialog.getByText(`${families[name] ?? "Hoffman–Singleton graph"}.`, { exact: true }).waitFor();
  }
  await field.fill("cycle-6");
  await dialog.getByRole("button", { name: "Draw a puzzle" }).click();
  await dialog.getByText("Cycle of 6 vertices, one vertex empty", { exact: false }).waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("where there are many edges, those of the vertex that is meant stand out", async () => {
  const { board } = await (await fetch(`${server.address}api/boards/graph:hoffman-singleton`)).json();
  const goal = Array.from({ length: 49 }, (_, i) => `t${i}=${i}`).join();
  const puzzle = `${board} ${goal.replace("t48=48", "t48=49")} -> ${goal}`;
  const { page, complaints, close } = await openPage(browser, playing(server.address, puzzle));
  await at(page, 0).waitFor();
  const group = page.getByRole("group", { name: /^Board/ });
  const middle = async (vertex) => {
    const { x, y, width, height } = await at(page, vertex).boundingBox();
    return [x + width / 2, y + height / 2];
  };
  /** The ends of the edges that stand out, but for the vertex itself. */
  const ends = async (vertex) => {
    const lines = await group.locator("line.followed").evaluateAll((all) =>
      all.map((line) => {
        const to = line.getScreenCTM();
        const end = (n) => [line[`x${n}`].baseVal.value * to.a + to.e, line[`y${n}`].baseVal.value * to.d + to.f];
        return [end(1), end(2)];
      }),
    );
    const places = await Promise.all(Array.from({ length: 50 }, (_, v) => middle(v)));
    const nearest = ([x, y]) => {
      const far = places.map(([a, b]) => Math.hypot(a - x, b - y));
      return far.indexOf(Math.min(...far));
    };
    return lines.map((line) => line.map(nearest).find((v) => v !== vertex)).sort((a, b) => a - b);
  };
  const neighbours = (vertex) =>
    board.split(":")[2].split(",").map((edge) => edge.split("-").map(Number)).filter((edge) => edge.includes(vertex))
      .map(([a, b]) => (a === vertex ? b : a)).sort((a, b) => a - b);
  // Where only one vertex is empty, these lead to the tokens that can move.
  assert.deepEqual(await ends(48), neighbours(48));
  await at(page, 3).hover();
  assert.deepEqual(await ends(3), neighbours(3));
  await at(page, 20).focus();
  assert.deepEqual(await ends(20), neighbours(20));
  // No token is on another, and each is large enough for a finger's or a pointer's aim.
  const places = await Promise.all(Array.from({ length: 50 }, (_, v) => middle(v)));
  const apart = Math.min(...places.flatMap(([x, y], v) => places.slice(v + 1).map(([a, b]) => Math.hypot(a - x, b - y))));
  assert.ok(apart >= 24, `${apart} px`);
  await at(page, neighbours(48)[0]).click();
  await page.getByText("move 1 of 1").waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

/** The keys from one vertex to another. */
function keysTo(found, from, goal) {
  const ways = new Map([[from, []]]);
  for (const here of ways.keys())
    for (const [a, key, b] of found) if (a === here && !ways.has(b)) ways.set(b, [...ways.get(here), key]);
  return ways.get(goal);
}

test("what was not proven at once is proven while one looks at it", async () => {
  const { page, complaints, close } = await openPage(browser, "about:blank");
  let asked = 0;
  await page.route("**/api/hint", async (route) => {
    const response = await route.fetch();
    const hint = await response.json();
    asked += 1;
    if (asked === 1)
      Object.assign(hint, { proven: false, explanation: `${hint.distance} moves to go on the best known path; a shorter one may exist.` });
    await route.fulfill({ response, json: hint });
  });
  // Too large for a table of all distances.
  const puzzle = "grid:4:4 1,2,3,4,5,6,7,8,9,10,0,12,13,14,11,15 -> 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0";
  await page.goto(playing(server.address, puzzle));
  await page.getByText("shortest known").first().waitFor();
  await page.getByText("minimum 2").first().waitFor();
  assert.ok(asked >= 2);
  assert.deepEqual(complaints, []);
  await close();
});

test("why a position cannot be solved is said and drawn: parity, stuck tokens, or a part of the board", async () => {
  for (const [puzzle, words, picture] of [
    ["grid:3:3 2,1,3,4,5,6,7,8,0 -> 1,2,3,4,5,6,7,8,0", /odd permutation of the tiles/, /swapped/],
    ["cube:3:3 a=0,b=1,c=2,d=3,e=4 -> a=1,b=0,c=2,d=3,e=4", /can never move/, /hold each other in place/],
    ["graph:4:0-1,2-3 a=0 -> a=2", /./, null],
  ]) {
    const { page, complaints, close } = await openPage(browser, playing(server.address, puzzle));
    const told = page.getByRole("region", { name: "This puzzle cannot be solved" });
    await told.getByText(words).first().waitFor();
    if (picture) await told.getByRole("group", { name: picture }).or(told.getByRole("img", { name: picture })).first().waitFor();
    assert.equal(await page.getByRole("button", { name: /^Hint/ }).first().isDisabled(), true);
    assert.deepEqual(complaints, []);
    await close();
  }
});

test("how far all positions are is drawn, with a mark where one is", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  const chart = page.getByRole("img", { name: /The farthest of 181,440 positions is 31 moves away; this one is 4\./ });
  await chart.getByText("you").waitFor();
  await at(page, 3).click();
  await page.getByRole("img", { name: /this one is 3\./ }).waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("a dialog is closed by a press beside it, and not by a text that is selected to beyond it", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 3).waitFor();
  const dialog = page.getByRole("dialog", { name: "New puzzle" });
  const open = async () => {
    await page.keyboard.press("n");
    await dialog.getByText("Your own").click();
    return dialog.locator("textarea");
  };
  const field = await open();
  await field.fill("vertices = 3\nedges = [[0, 1], [1, 2]]");
  const { x, y } = await field.boundingBox();
  await page.mouse.move(x + 60, y + 20);
  await page.mouse.down();
  await page.mouse.move(20, y + 20, { steps: 5 });
  await page.mouse.up();
  assert.ok(await field.isVisible());
  await page.mouse.click(20, y + 20);
  await dialog.waitFor({ state: "detached" });
  // What was written is not lost.
  assert.match(await (await open()).inputValue(), /^vertices = 3\n/);
  assert.deepEqual(complaints, []);
  await close();
});

test("a key right after Escape is not one of the dialog's any more", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 3).waitFor();
  for (let round = 0; round < 10; round++) {
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("n");
    await page.getByRole("dialog", { name: "New puzzle" }).waitFor();
    await page.keyboard.press("Escape");
  }
  assert.deepEqual(complaints, []);
  await close();
});

for (const [width, colorScheme] of [
  [1440, "dark"],
  [390, "light"],
])
  test(`every dialog is accessible, fits ${width} px, and takes the focus`, async () => {
    const options = { viewport: { width, height: 844 }, colorScheme, reducedMotion: "reduce" };
    const { page, complaints, close } = await openPage(browser, playing(server.address, GRID), options);
    await at(page, 3).click();
    const dialog = page.getByRole("dialog");
    const button = (name) => page.getByRole("button", { name }).filter({ visible: true }).first();
    /** Opens one from the menu of phones, or from the page. */
    const choose = async (name) => {
      if (width < 760) await button(/^More/).click();
      await (width < 760 ? dialog.getByRole("button", { name }) : button(name)).click();
    };
    for (const [title, open] of [
      ["Keys", () => choose("Keys")],
      ["Import and export", () => choose("Import and export")],
      ["New puzzle", () => page.keyboard.press("n")],
      ["Start again?", () => choose(/^Reset/)],
      ["Another puzzle?", () => choose(/^Another of this kind/)],
      ["3 × 3 grid", () => (width < 760 ? button(/^More/).click() : null)],
    ]) {
      if ((await open()) === null) continue;
      await page.getByRole("dialog", { name: title }).waitFor();
      const [{ x, y, width: wide, height: high }, { left, over }] = [
        await dialog.boundingBox(),
        await dialog.evaluate((one) => ({ left: one.contains(document.activeElement), over: one.scrollWidth - one.clientWidth })),
      ];
      assert.ok(x >= 0 && y >= 0 && x + wide <= width && y + high <= 844, `${title} is cut off`);
      assert.ok(over <= 0, `${title} scrolls sideways`);
      assert.ok(left, `${title} has not the focus`);
      const { violations } = await new AxeBuilder({ page }).include("dialog").analyze();
      assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), [], title);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      assert.match(await label(page, 4), /token 5/, `${title} lost the move`);
    }
    assert.deepEqual(complaints, []);
    await close();
  });

test("one press moves a token that can go to one place only, and arrows lead over the sides of a torus", async () => {
  const torus = "torus:3:3 1,2,3,4,5,6,7,8,0 -> 1,2,0,4,5,3,7,8,6";
  const { page, complaints, close } = await openPage(browser, playing(server.address, torus));
  await at(page, 5).click();
  await page.getByText(/^1 move/).first().waitFor();
  assert.match(await label(page, 8), /6/);
  await page.keyboard.press("ArrowLeft");
  assert.match(await label(page, 5), /4/);
  await page.keyboard.press("ArrowRight");
  assert.match(await label(page, 3), /4/);
  // Not next to the empty cell: what it could do is shown.
  await at(page, 0).click();
  assert.match(await label(page, 0), /1/);
  assert.deepEqual(complaints, []);
  await close();
});

test("arrow keys move tiles after a box was ticked", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 0).waitFor();
  await page.getByText("Colour tiles by layer").first().click();
  await page.keyboard.press("ArrowUp");
  assert.match(await label(page, 4), /7/);
  assert.deepEqual(complaints, []);
  await close();
});
