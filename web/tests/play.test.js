// The web application in a browser: levels are played to their end in every way there is to play, and
// everything that the page offers is used once.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { AxeBuilder } from "@axe-core/playwright";

import { at, holdAnswers, openPage, playing, startBoth, startServer } from "./server.js";

const GRID = "grid:3:3 1,2,3,5,0,6,4,7,8 -> 1,2,3,4,5,6,7,8,0";
const PUZZLES = {
  "a grid": GRID,
  "a cube": "cube:3:2 b=5,g=6,p=1,r=4 -> b=6,g=4,p=1,r=5",
  "a tesseract": "cube:4:3 b=5,g=4,p=7,r=13,y=1 -> b=4,g=13,p=7,r=5,y=1",
  "a 5-cube": "cube:5:3 a=0,b=9,c=22 -> a=31,b=22,c=9",
};
/** One that no search finishes soon. */
const ENDLESS =
  "grid:6:6 35,34,33,32,31,30,29,28,27,26,25,24,23,22,21,20,19,18,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,1,2,0";

/** A solve of 26 moves in 0.909 s, as the simulator's own page shares it. */
const SLIDYSIM =
  "https://slidysim.github.io/replay?r=eNqFUl1v2jAU%2FSuRXxcRE6CBCJAADW0t38lKo1JVN7EhBieOYic0dP3vc6CqtqfJD%2FY9537Y5%2Fj5HZ0ZUTFy2yaKKTvE6nrkFAjNQwE58auMIhcpllBkokikKhdcamQuCllDB0joXJA6yVOQEl2jUcJkxqH6rP6LSHX6lHFFc42TLCZJqlEoD5ymyG2at0luD%2FdMlIiS6lH2HcZYE1l97t7h1i1JKkgyXeK0HaeDm01stzsmkoKX9JWAglcogXEIuW6n8oKaqGSECs7Skx4dK93PtaxKFKpohNSCxWUxTbv79fysL8TklobI3QOX9MNE9P7Mj758WF%2B%2Bz8eTb3i%2Bz2ZvBc6fNjxaPc0swN46yGIVH5tVz1mVZTrDGFqt6v6XYl04FZ63bY6OXo9Ox5ul5MsHbz2BYDLGSxEFW%2FtxjWEUr5zAaZGAcIdIOV7YXW8bOGzz49HH0BntWx1rgX%2FSy3owQOa7vqKfF1JRcnveh3nTpq0X6ssMUiPiIOVgh4BnMeiIRadajh0a9lly%2BKJpIo5shwyZRzpiCRyovOkS0gaLhKaAK00FovA1Zlx1NL7krfv9M2%2B7WY01%2BLzdvBh9q6aGXm2LEVbGzfJ%2BmA997aGxGhu%2FjetX0ruN7U4Ddxo2%2FqzSRvzHp%2BvTkFkL8PIHntDrWw%3D%3D";

let server;
let browser;

startBoth((...both) => {
  [server, browser] = both;
});


const isGrid = (puzzle) => puzzle.startsWith("grid");

const ways = {
  async mouse(page, { from, to }, puzzle) {
    await at(page, from).click();
    if (!isGrid(puzzle)) await at(page, to).click();
  },
  async touch(page, { from, to }, puzzle) {
    await at(page, from).tap();
    if (!isGrid(puzzle)) await at(page, to).tap();
  },
  async drag(page, { from, to }) {
    const middle = async (vertex) => {
      const { x, y, width, height } = await at(page, vertex).boundingBox();
      return [x + width / 2, y + height / 2];
    };
    await page.mouse.move(...(await middle(from)));
    await page.mouse.down();
    await page.mouse.move(...(await middle(to)), { steps: 6 });
    await page.mouse.up();
  },
  async keyboard(page, { from, to }, puzzle) {
    // From wherever the focus is to the token: the board is one stop of the tab key, and arrows move
    // inside it, which tests/unit holds to the pictures.
    await at(page, from).focus();
    await page.keyboard.press("Enter");
    if (isGrid(puzzle)) return;
    const label = await at(page, to).getAttribute("aria-label");
    const number = Number(label.match(/destination (\d+)/)[1]);
    if (number < 10) return page.keyboard.press(String(number));
    await at(page, to).focus();
    await page.keyboard.press("Enter");
  },
  async typing(page, { token, to }, puzzle) {
    await page.getByLabel("Type moves").fill(isGrid(puzzle) ? token : `${token} ${to}`);
    await page.keyboard.press("Enter");
  },
};

for (const [name, puzzle] of Object.entries(PUZZLES)) {
  describe(`${name} is played to its end`, () => {
    for (const way of Object.keys(ways)) {
      test(`by ${way}`, async () => {
        const options = way === "touch" ? { hasTouch: true, viewport: { width: 390, height: 844 } } : {};
        const { solution } = await server.ask("hint", puzzle);
        const { page, complaints, close } = await openPage(browser, playing(server.address, puzzle), options);
        await at(page, solution[0].from).waitFor();
        for (const move of solution) await ways[way](page, move, puzzle);
        const result = page.getByRole("region", { name: "Result" });
        await result.waitFor();
        assert.match(await result.textContent(), new RegExp(`\\b${solution.length}\\b`));
        assert.deepEqual(complaints, []);
        await close();
      });
    }
  });
}

test("the first steps teach a stranger", async () => {
  const { page, complaints, close } = await openPage(browser, server.address);
  await page.getByRole("region", { name: "First steps" }).waitFor();
  const { solution } = await server.ask("hint", "cube:3:2 b=0,r=3 -> b=7,r=3");
  for (const move of solution) await ways.mouse(page, move, "cube");
  await page.getByText("Solved", { exact: false }).first().waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("whoever comes by a link is offered the first steps, and is brought back", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, PUZZLES["a tesseract"]));
  const welcome = page.getByRole("region", { name: "Welcome" });
  await welcome.getByRole("button", { name: "First steps" }).click();
  await page.getByRole("heading", { name: "First steps" }).waitFor();
  assert.equal(await welcome.count(), 0);
  const { solution } = await server.ask("hint", "cube:3:2 b=0,r=3 -> b=7,r=3");
  for (const move of solution) await ways.mouse(page, move, "cube");
  await page.getByRole("button", { name: "Back to your puzzle" }).click();
  await at(page, 13).waitFor();
  assert.match(page.url(), /cube:4:3/);
  await page.reload();
  await at(page, 13).waitFor();
  assert.equal(await welcome.count(), 0, "it is offered once");
  assert.deepEqual(complaints, []);
  await close();
});

test("whoever refuses the first steps is not offered them again", async () => {
  const { page, close } = await openPage(browser, playing(server.address, PUZZLES["a tesseract"]));
  const welcome = page.getByRole("region", { name: "Welcome" });
  await welcome.getByRole("button", { name: "No, thanks" }).click();
  await welcome.waitFor({ state: "detached" });
  await page.evaluate(() => localStorage.removeItem("hyperslide.last"));
  await page.reload();
  await at(page, 13).waitFor();
  assert.equal(await welcome.count(), 0);
  await close();
});

test("a hint is shown with what it is, and can be played", async () => {
  const { page, close } = await openPage(browser, playing(server.address, PUZZLES["a tesseract"]));
  await at(page, 0).waitFor();
  await page.getByRole("button", { name: /^Hint/ }).first().click();
  await page.getByText(/8 moves to go, by the table of all positions/).first().waitFor();
  await close();
});

test("a solution that was played for somebody is not theirs, nor is it after a reset", async () => {
  const line = "grid:3:3 1,2,3,4,0,6,7,5,8 -> 1,2,3,4,5,6,7,8,0";
  const { page, close } = await openPage(browser, playing(server.address, line));
  await at(page, 0).waitFor();
  await page.getByRole("button", { name: /^Hint/ }).first().click();
  await page.getByRole("button", { name: "Play all 2" }).click();
  await page.getByRole("heading", { name: "A shortest solution." }).waitFor();
  assert.equal(await page.getByRole("button", { name: /Keep this play/ }).count(), 0);
  await page.reload();
  await page.getByRole("heading", { name: "A shortest solution." }).waitFor();
  assert.equal(await page.getByRole("button", { name: /Keep this play/ }).count(), 0);
  await page.getByRole("button", { name: "Try it yourself" }).click();
  await page.getByText("Not solved by you yet").first().waitFor();
  assert.equal(await page.getByRole("button", { name: "Play it" }).count(), 0, "the hint has gone");
  await at(page, 7).click();
  await at(page, 8).click();
  await page.getByRole("heading", { name: "Solved, with help." }).waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem("hyperslide.bests")), null);
  await close();
});

test("whoever gets a link with moves chooses where to begin", async () => {
  const line = "grid:3:3 1,2,3,4,0,6,7,5,8 -> 1,2,3,4,5,6,7,8,0";
  const friend = await openPage(browser, playing(server.address, line));
  await at(friend.page, 7).click();
  await friend.page.waitForURL(/&m=/);
  const { page, complaints, close } = await openPage(browser, friend.page.url());
  await friend.close();
  await page.getByText("These moves are not yours").waitFor();
  await page.getByRole("button", { name: "Go on from here" }).click();
  await page.getByText("These moves are not yours").waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("button", { name: "Begin at the start" }).click();
  await page.getByText("move 0 of 0").waitFor({ state: "attached" });
  await page.waitForURL((url) => !url.hash.includes("&m="));
  assert.deepEqual(complaints, []);
  await close();
});

test("a solution that is being played can be stopped", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, PUZZLES["a tesseract"]));
  await at(page, 0).waitFor();
  await page.getByRole("button", { name: /^Hint/ }).first().click();
  await page.getByRole("button", { name: /^Play all \d/ }).click();
  await page.getByText("A solution is being played.").waitFor();
  await page.getByText(/^move [1-4] of/).waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("A solution is being played.").waitFor({ state: "detached" });
  const before = await page.getByText(/^move \d+ of/).textContent();
  await page.waitForTimeout(1000);
  assert.equal(await page.getByText(/^move \d+ of/).textContent(), before);
  assert.deepEqual(complaints, []);
  await close();
});

test("a panel that is opened and closed is no help, and a search is", async () => {
  const line = "grid:3:3 1,2,3,4,0,6,7,5,8 -> 1,2,3,4,5,6,7,8,0";
  const { page, close } = await openPage(browser, playing(server.address, line));
  await at(page, 0).waitFor();
  await page.keyboard.press("s");
  await page.getByRole("heading", { name: "Solve this position" }).waitFor();
  await page.keyboard.press("s");
  await at(page, 7).click();
  await at(page, 8).click();
  await page.getByRole("heading", { name: "Solved in the minimum!" }).waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.keyboard.press("s");
  const panel = page.getByRole("region", { name: "Solve" });
  await panel.getByRole("button", { name: "Search" }).click();
  await panel.getByRole("button", { name: /Play/ }).first().waitFor();
  await at(page, 7).click();
  await at(page, 8).click();
  await page.getByRole("heading", { name: "Solved, with help." }).waitFor();
  await close();
});

test("on a low phone the board stays under the finger that touches it", async () => {
  const options = { viewport: { width: 390, height: 664 }, hasTouch: true, isMobile: true };
  const { page, close } = await openPage(browser, playing(server.address, PUZZLES["a tesseract"]), options);
  await at(page, 0).waitFor();
  const tokens = await page.locator('[data-vertex][aria-label*="token"]').all();
  assert.ok(tokens.length > 1, `${tokens.length}`);
  for (const token of tokens) {
    const before = await token.boundingBox();
    await token.tap();
    await page.waitForTimeout(50);
    assert.equal(await page.evaluate(() => scrollY), 0);
    assert.deepEqual(await token.boundingBox(), before);
  }
  await close();
});

test("a link that is followed by punctuation opens its puzzle", async () => {
  const line = "grid:3:3 1,2,3,4,0,6,7,5,8 -> 1,2,3,4,5,6,7,8,0";
  for (const end of [".", ")", "),", "!”"]) {
    const { page, close } = await openPage(browser, playing(server.address, line) + end);
    await at(page, 0).waitFor();
    await close();
  }
});

test("tiles that are pushed in one go set no record of no time", async () => {
  const line = "grid:3:3 1,2,3,4,5,6,0,7,8 -> 1,2,3,4,5,6,7,8,0";
  const { page, close } = await openPage(browser, playing(server.address, line));
  await at(page, 8).click();
  await page.getByRole("heading", { name: "Solved in the minimum!" }).waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem("hyperslide.solves")), null);
  await close();
});

test("a move is undone and done again, and a reset asks first", async () => {
  const { page, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 3).click();
  const count = () => page.getByRole("region", { name: "Moves" }).locator(".big").first().textContent();
  assert.equal((await count()).trim(), "1");
  await page.keyboard.press("u");
  assert.equal((await count()).trim(), "0");
  await page.keyboard.press("r");
  assert.equal((await count()).trim(), "1");
  await page.getByRole("button", { name: /^Reset/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  assert.equal((await count()).trim(), "1");
  await page.getByRole("button", { name: /^Reset/ }).click();
  await dialog.waitFor();
  await page.keyboard.press("Enter");
  assert.equal((await count()).trim(), "0");
  await close();
});

test("what blocks a token is said in words", async () => {
  const { page, close } = await openPage(browser, playing(server.address, "cube:3:2 a=0,b=3,c=5,d=6 -> a=0,b=3,c=6,d=5"));
  await at(page, 0).click();
  await page.getByText(/blocked|cannot move/i).first().waitFor();
  await close();
});

test("a link holds the puzzle and the play, also after a reload", async () => {
  const { page, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 3).click();
  await page.waitForURL(/&m=/);
  const link = page.url();
  await page.reload();
  await at(page, 0).waitFor();
  assert.match(await at(page, 4).getAttribute("aria-label"), /token 5/);
  const other = await openPage(browser, link);
  await at(other.page, 0).waitFor();
  assert.match(await at(other.page, 4).getAttribute("aria-label"), /token 5/);
  await other.close();
  await close();
});

test("an unsolvable position is said, with the reason", async () => {
  const puzzle = "grid:3:3 2,1,3,4,5,6,7,8,0 -> 1,2,3,4,5,6,7,8,0";
  const { page, close } = await openPage(browser, playing(server.address, puzzle));
  const told = page.getByRole("region", { name: "This puzzle cannot be solved" });
  await told.waitFor();
  assert.match(await told.textContent(), /odd/);
  await close();
});

test("any algorithm solves the position, and its solution is played back", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, PUZZLES["a tesseract"]));
  await at(page, 0).waitFor();
  await page.getByRole("button", { name: /^Solve/ }).first().click();
  const panel = page.getByRole("region", { name: "Solve" });
  await panel.getByLabel("Algorithm").selectOption("astar");
  await panel.getByRole("button", { name: "Search" }).click();
  await panel.getByText(/8 moves/).first().waitFor();
  await panel.getByRole("button", { name: "To the end" }).click();
  await panel.getByRole("button", { name: "Play it on the board" }).click();
  await page.getByRole("region", { name: "Result" }).waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("the model of how people move is watched as it plays", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 0).waitFor();
  await page.getByRole("button", { name: /^Solve/ }).first().click();
  const panel = page.getByRole("region", { name: "Solve" });
  await panel.getByLabel("Algorithm").selectOption("humanlike");
  // That its usual weights come from simulated plays is said with it.
  await panel.getByText(/simulated/i).first().waitFor({ state: "attached" });
  await panel.getByRole("button", { name: "Search" }).click();
  const solved = panel.getByText(/\d+ moves/).first();
  await solved.waitFor({ timeout: 60_000 });
  await panel.getByRole("button", { name: "To the end" }).click();
  await panel.getByRole("button", { name: "Play it on the board" }).click();
  const result = page.getByRole("region", { name: "Result" });
  await result.waitFor({ timeout: 60_000 });
  // What a program played is nobody's own solution.
  assert.equal(await result.getByRole("button", { name: "Keep this play…" }).count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

test("tori, cylinders and named graphs are drawn and played", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 0).waitFor();
  const dialog = page.getByRole("dialog", { name: "New puzzle" });
  const draw = async () => {
    await dialog.getByRole("button", { name: "Draw a puzzle" }).click();
    await dialog.getByRole("button", { name: "Play it" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    return new URLSearchParams(new URL(page.url()).hash.slice(1)).get("p");
  };
  const begin = async (kind) => {
    await page.getByRole("button", { name: /^New/ }).first().click();
    await dialog.getByText(kind, { exact: true }).click();
  };
  for (const sides of ["torus", "cylinder"]) {
    await begin("Grid");
    await dialog.getByLabel("Rows").fill("2");
    await dialog.getByLabel("Columns").fill("3");
    await dialog.getByLabel("Sides").selectOption(sides);
    const { violations } = await new AxeBuilder({ page }).include("dialog").analyze();
    assert.deepEqual(violations.map(({ id }) => id), []);
    const puzzle = await draw();
    assert.ok(puzzle.startsWith(`${sides}:2:3 `), puzzle);
    await page.getByRole("heading", { name: `2 × 3 ${sides}` }).first().waitFor();
    const { solution } = await server.ask("hint", puzzle);
    for (const move of solution) await ways.drag(page, move);
    if (solution.length > 0) await page.getByRole("region", { name: "Result" }).waitFor();
  }
  // A name that is not right is corrected.
  await begin("Graph");
  const name = dialog.getByLabel("Name of the graph");
  await name.fill("petersn");
  await dialog.getByRole("button", { name: "Draw a puzzle" }).click();
  await dialog.getByRole("alert").getByText(/petersn.*Did you mean graph:petersen\?/).waitFor();
  await name.fill("theta0");
  const puzzle = await draw();
  assert.match(puzzle, /^graph:7:/);
  assert.equal(puzzle.split(" -> ")[0].split("=").length - 1, 6);
  assert.deepEqual(complaints.filter((line) => !line.includes("400")), []);
  await close();
});

test("a board of one's own is read, played on, and its errors are shown where they are", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 0).waitFor();
  await page.getByRole("button", { name: /^New/ }).first().click();
  const dialog = page.getByRole("dialog", { name: "New puzzle" });
  await dialog.getByText("Your own").click();
  // An edge to a vertex that is not there.
  await dialog.getByRole("button", { name: "A graph" }).click();
  const text = dialog.locator("textarea");
  await text.fill((await text.inputValue()).replace("[5, 0]", "[5, 9]"));
  await dialog.getByRole("button", { name: "Play on it" }).click();
  const alert = dialog.getByRole("alert");
  await alert.getByText(/vertex 9/).first().waitFor();
  await alert.getByText("Line 5", { exact: true }).waitFor();
  assert.match(await text.evaluate((field) => field.value.slice(field.selectionStart, field.selectionEnd)), /\[5, 9\]/);
  // A text that is no TOML.
  await text.fill("vertices = 3\nedges = [[0, 1], [1 2]]");
  await dialog.getByRole("button", { name: "Play on it" }).click();
  await alert.getByText("Line 2", { exact: true }).waitFor();
  const { violations } = await new AxeBuilder({ page }).include("dialog").analyze();
  assert.deepEqual(violations.map(({ id }) => id), []);
  // Both kinds are played; a file is read as well.
  await dialog.getByRole("button", { name: "A board with faces" }).click();
  await dialog.getByRole("button", { name: "Play on it" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const { solution } = await server.ask("hint", new URLSearchParams(new URL(page.url()).hash.slice(1)).get("p"));
  assert.ok(solution.length > 0);
  for (const move of solution) await ways.mouse(page, move, "faces");
  await page.getByRole("region", { name: "Result" }).waitFor();
  await page.getByRole("button", { name: /^New/ }).first().click();
  const file = { name: "ring.json", mimeType: "application/json", buffer: Buffer.from('{"vertices": 4, "edges": [[0, 1], [1, 2], [2, 3], [3, 0]]}') };
  await dialog.locator('input[type="file"]').setInputFiles(file);
  await dialog.getByText("ring.json").waitFor();
  await dialog.getByLabel("Start and goal of the tokens").fill("a=0,b=1 -> a=2,b=3");
  await dialog.getByRole("button", { name: "Play on it" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.deepEqual(complaints.filter((line) => !line.includes("400")), []);
  await close();
});

test("a replay link of slidysim is watched with its times", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 0).waitFor();
  await page.getByRole("button", { name: "Import and export" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/replay\s+link of slidysim/).fill(SLIDYSIM);
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  const watch = page.getByRole("dialog", { name: /Watch/ });
  await watch.getByText("of 26").waitFor();
  await watch.getByText("0.91").first().waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("a search is followed and cancelled", async () => {
  const { page, close } = await openPage(browser, playing(server.address, ENDLESS));
  await at(page, 0).waitFor();
  await page.getByRole("button", { name: /^Solve/ }).first().click();
  const panel = page.getByRole("region", { name: "Solve" });
  await panel.getByLabel("Algorithm").selectOption("idastar");
  await panel.getByRole("button", { name: "Search" }).click();
  await panel.getByRole("button", { name: "Stop the search" }).click();
  await panel.getByRole("button", { name: "Search" }).waitFor();
  await close();
});

test("two algorithms race", async () => {
  const { page, complaints, close } = await openPage(browser, `${server.address}?page=race`);
  await page.getByRole("button", { name: "Start the race" }).click();
  await page.getByRole("radiogroup", { name: "Clock" }).waitFor({ timeout: 60_000 });
  assert.deepEqual(complaints, []);
  await close();
});

test("a search is watched as it grows, from the moment the page is there", async () => {
  const { page, complaints, close } = await openPage(browser, `${server.address}?page=watch`);
  const answer = page.getByRole("status").getByText(/31 moves, and it is proven/);
  await answer.waitFor({ timeout: 60_000 });
  // What was over sooner than one can see is shown again, dot by dot.
  await page.getByRole("button", { name: "Pause" }).waitFor();
  const state = page.getByRole("region", { name: "The state of a dot" });
  const dot = async () => Number((await state.getByText(/^Expansion/).innerText()).replace(/\D/g, ""));
  const early = await dot();
  await page.waitForFunction(
    (early) => Number(document.querySelector('[aria-label="The state of a dot"]').textContent.match(/Expansion ([\d,]+)/)[1].replace(/,/g, "")) > early,
    early,
  );
  // Another search takes its place.
  await page.getByLabel("Algorithm").first().selectOption("breadth-first");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await answer.waitFor({ state: "detached" });
  await answer.waitFor({ timeout: 60_000 });
  assert.deepEqual(complaints, []);
  await close();
});

test("a lesson goes step by step to its end", async () => {
  const { page, complaints, close } = await openPage(browser, `${server.address}?page=lesson`);
  const next = page.getByRole("button", { name: /Next step/ });
  await next.waitFor();
  for (let step = 0; step < 200 && (await next.isEnabled()); step++) await page.keyboard.press("ArrowRight");
  assert.equal(await next.isEnabled(), false);
  assert.deepEqual(complaints, []);
  await close();
});

test("brackets change the slice, and Space draws another puzzle", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, PUZZLES["a 5-cube"]));
  await at(page, 0).focus();
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("data-vertex"));
  const seen = [];
  for (const key of ["]", "]", "]", "]", "["]) {
    await page.keyboard.press(key);
    seen.push(await focused());
  }
  assert.deepEqual(seen, ["8", "16", "24", "0", "24"]);
  // A vertex that was reached by keys is a button: Space presses it.
  await at(page, 9).focus();
  await page.keyboard.press("Space");
  assert.equal(await at(page, 9).getAttribute("aria-pressed"), "true");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("Space");
  await page.waitForFunction(() => !location.hash.includes("b=9,c=22"));
  assert.match(decodeURIComponent(new URL(page.url()).hash), /^#p=cube:5:3 \S+ -> /);
  assert.deepEqual(complaints, []);
  await close();
});

test("Space asks before it draws another puzzle while one is played", async () => {
  const { page, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 3).click();
  await page.keyboard.press("Space");
  await page.getByRole("dialog").getByText("Another puzzle?").waitFor();
  await page.getByRole("button", { name: "Go on playing" }).click();
  assert.match(await at(page, 4).getAttribute("aria-label"), /token 5/);
  await close();
});

test("a long press shows what blocks a token", async () => {
  const { page, close } = await openPage(browser, playing(server.address, "cube:3:2 a=0,b=3 -> a=7,b=3"));
  const { x, y, width, height } = await at(page, 0).boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.getByText("a on 0: b on 3 blocks one of its three squares.").first().waitFor();
  await page.mouse.up();
  assert.equal(await at(page, 0).getAttribute("aria-pressed"), "false");
  await close();
});

test("two fingers turn a projection toward the fourth axis", async () => {
  const options = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } };
  const { page, context, close } = await openPage(browser, playing(server.address, PUZZLES["a tesseract"]), options);
  await page.getByRole("button", { name: "Projection" }).click();
  const place = () => at(page, 8).locator("circle").getAttribute("cx");
  const before = await place();
  const { x, y, width, height } = await page.locator("svg.projected").boundingBox();
  const touches = await context.newCDPSession(page);
  const send = (type, by) => {
    const at = (side) => ({ x: x + width / 2 + side * 40 + by, y: y + height / 2, id: side + 1 });
    const touchPoints = type === "touchEnd" ? [] : [at(-1), at(1)];
    return touches.send("Input.dispatchTouchEvent", { type, touchPoints });
  };
  await send("touchStart", 0);
  for (let by = 10; by <= 60; by += 10) await send("touchMove", by);
  await send("touchEnd", 60);
  assert.notEqual(await place(), before);
  await close();
});

test("a grid is played without its numbers until the player is done", async () => {
  const puzzle = "grid:3:3 1,2,3,4,5,6,0,7,8 -> 1,2,3,4,5,6,7,8,0";
  const { page, complaints, close } = await openPage(browser, playing(server.address, puzzle));
  await page.getByText("Blind:").first().click();
  await at(page, 7).click();
  assert.match(await at(page, 6).getAttribute("aria-label"), /a hidden tile/);
  await at(page, 8).click();
  assert.equal(await page.getByRole("region", { name: "Result" }).count(), 0);
  await page.keyboard.press("Space");
  await page.getByRole("region", { name: "Result" }).waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("a play is watched at its own times, and enters statistics that can be deleted", async () => {
  const puzzle = "grid:3:3 1,2,3,4,5,6,0,7,8 -> 1,2,3,4,5,6,7,8,0";
  const { page, complaints, close } = await openPage(browser, playing(server.address, puzzle));
  await at(page, 7).click();
  await page.waitForTimeout(700);
  await at(page, 8).click();
  const result = page.getByRole("region", { name: "Result" });
  await result.getByRole("table").waitFor();
  await result.getByRole("button", { name: "Watch your play" }).click();
  const watch = page.getByRole("dialog");
  const end = Number((await watch.locator(".counts").textContent()).match(/of ([\d.]+) s/)[1]);
  assert.ok(end >= 0.65 && end < 10, `${end} s`);
  await watch.getByRole("button", { name: "To the end" }).click();
  await watch.getByText("move 2 of 2").waitFor();
  await page.goto(`${server.address}?page=levels`);
  await page.getByRole("button", { name: "Delete my statistics" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  assert.equal(await page.evaluate(() => localStorage.getItem("hyperslide.solves")), null);
  assert.deepEqual(complaints, []);
  await close();
});

test("a puzzle that cannot be drawn is refused in words", async () => {
  const { page, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 0).waitFor();
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Grid", { exact: true }).click();
  await dialog.getByLabel("Distance in moves").fill("60");
  await dialog.getByRole("radio", { name: /^Exactly/ }).check();
  await dialog.getByRole("button", { name: "Draw a puzzle" }).click();
  await dialog.getByText("No start is 60 moves away: the farthest is 31.").waitFor();
  await close();
});

/** A page on which a move was made, and whose server, which was on this port, has stopped. */
async function leftAlone() {
  const own = await startServer();
  const { page, close } = await openPage(browser, playing(own.address, GRID));
  await at(page, 3).click();
  await page.waitForURL(/&m=/);
  await own.stop();
  return { page, close, port: own.port };
}

test("without its server the page says so, play goes on, and nothing is lost", async () => {
  const { page, close, port } = await leftAlone();
  await page.getByRole("button", { name: /^Hint/ }).first().click();
  await page.getByText("The server cannot be reached.").first().waitFor();
  await at(page, 6).click();
  assert.match(await at(page, 3).getAttribute("aria-label"), /token 4/);
  await page.waitForTimeout(600);
  const again = await startServer({ port });
  await page.reload();
  await at(page, 0).waitFor();
  assert.match(await at(page, 3).getAttribute("aria-label"), /token 4/);
  await again.stop();
  await close();
});

test("what is opened while the server is away can be closed, and is whole when it is back", async () => {
  const { page, close, port } = await leftAlone();
  await page.keyboard.press("n");
  await page.getByRole("dialog", { name: "This could not be loaded" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Backspace");
  await page.getByRole("dialog", { name: "Start again?" }).getByRole("button", { name: "Go on playing" }).click();
  await page.keyboard.press("u");
  await page.getByTestId("live").getByText("Undone").waitFor();
  await page.getByRole("link", { name: "Levels" }).click();
  await page.getByText("This page could not be loaded.").waitFor();
  await page.getByRole("link", { name: "Play", exact: true }).click();
  await page.getByRole("button", { name: /^Hint/ }).first().click();
  await page.getByText("The server cannot be reached.").first().waitFor();
  const again = await startServer({ port });
  // The page finds out by itself.
  await page.locator(".banner").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Levels" }).click();
  const level = page.getByRole("link", { name: /minimum/ }).first();
  await level.waitFor();
  assert.ok((await level.boundingBox()).width < 500, "the page has its styles");
  await again.stop();
  await close();
});

test("pages that were empty without the server fill when it is back", async () => {
  const own = await startServer();
  const { page, close } = await openPage(browser, `${own.address}?page=about`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  // The code of this page is there, and what it shows is not.
  await page.getByRole("link", { name: "Levels" }).click();
  await page.getByRole("heading", { name: "Levels", exact: true }).waitFor();
  await page.getByRole("link", { name: "About" }).click();
  await own.stop();
  await page.getByRole("link", { name: "Levels" }).click();
  await page.getByText("The server cannot be reached.").first().waitFor();
  const again = await startServer({ port: own.port });
  await page.getByRole("link", { name: /minimum/ }).first().waitFor();
  await again.stop();
  // Nothing of this page is there.
  await page.getByRole("link", { name: "Daily" }).click();
  await page.getByText("This page could not be loaded.").waitFor();
  const third = await startServer({ port: own.port });
  await page.getByRole("heading", { name: "Daily", exact: false }).first().waitFor();
  await third.stop();
  await close();
});

test("an answer that comes late does not replace a newer puzzle", async () => {
  const { page, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 0).waitFor();
  const asked = page.waitForRequest((request) => request.url().endsWith("/api/puzzles"));
  await page.route(/api\/puzzles$/, async (route) => {
    if (route.request().postData().includes("cube:3:2")) await new Promise((done) => setTimeout(done, 1200));
    await route.continue();
  });
  const open = (puzzle) => page.evaluate((hash) => (location.hash = hash), `p=${encodeURIComponent(puzzle)}`);
  await open(PUZZLES["a cube"]);
  await asked;
  await open(PUZZLES["a 5-cube"]);
  await at(page, 31).waitFor();
  await page.waitForTimeout(1600);
  assert.equal(await at(page, 31).count(), 1);
  assert.match(page.url(), /cube:5:3/);
  await close();
});

for (const [what, address, ask] of [
  [
    "a puzzle that was asked for",
    /api\/puzzles$/,
    (page) => page.evaluate((hash) => (location.hash = hash), `p=${encodeURIComponent(PUZZLES["a cube"])}`),
  ],
  ["another puzzle of the same kind", /api\/random/, (page) => page.keyboard.press("Space")],
])
  test(`${what} does not call back those who have left`, async () => {
    const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
    await at(page, 0).waitFor();
    const { asked, letGo } = await holdAnswers(page, address);
    await ask(page);
    await asked;
    await page.getByRole("link", { name: "Levels" }).click();
    await page.waitForURL(/page=levels/);
    await letGo();
    assert.match(page.url(), /page=levels/);
    assert.deepEqual(complaints, []);
    await close();
  });

test("the card of a puzzle that could not be opened goes with it", async () => {
  const { page, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 0).waitFor();
  const card = page.getByRole("heading", { name: "This puzzle could not be opened" });
  await page.evaluate(() => (location.hash = "p=grid:3:3"));
  await card.waitFor();
  // What the server refuses it refuses again.
  assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
  assert.equal(await page.getByRole("link", { name: "Another puzzle" }).count(), 1);
  // Keys do not move what is not seen.
  await page.keyboard.press("ArrowUp");
  await page.goBack();
  await at(page, 0).waitFor();
  assert.equal(await card.count(), 0);
  await page.getByText("move 0 of 0").waitFor({ state: "attached" });
  await close();
});

test("a puzzle that could not be opened while the server was away is opened when it is back", async () => {
  const { page, close, port } = await leftAlone();
  const card = page.getByRole("heading", { name: "This puzzle could not be opened" });
  await page.evaluate((hash) => (location.hash = hash), `p=${encodeURIComponent(PUZZLES["a 5-cube"])}`);
  await card.waitFor();
  assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 1);
  const again = await startServer({ port });
  await at(page, 31).waitFor();
  assert.equal(await card.count(), 0);
  await again.stop();
  await close();
});

test("a line that is read after its dialog was closed is not opened", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, GRID));
  await at(page, 0).waitFor();
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "New puzzle" });
  await dialog.getByText("A line", { exact: true }).click();
  await dialog.getByLabel(/^Any board/).fill(PUZZLES["a cube"]);
  const { asked, letGo } = await holdAnswers(page, /api\/puzzles$/);
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  await asked;
  await page.keyboard.press("Escape");
  await letGo();
  assert.match(decodeURIComponent(page.url()), /grid:3:3/);
  assert.equal(await at(page, 8).count(), 1);
  assert.deepEqual(complaints, []);
  await close();
});

test("Levels are found by their dimension, and are as they were left when one comes back", async () => {
  const { page, close } = await openPage(browser, `${server.address}?page=levels`);
  const search = page.getByRole("searchbox", { name: "Find levels" });
  await search.fill("4d");
  const level = page.locator("a.level").last();
  await level.scrollIntoViewIfNeeded();
  const top = await page.evaluate(() => scrollY);
  assert.ok(top > 0, "there are many");
  await level.click();
  await at(page, 15).waitFor();
  await page.goBack();
  await page.waitForFunction((top) => Math.abs(scrollY - top) < 3, top);
  assert.equal(await search.inputValue(), "4d");
  await close();
});

test("the result of a daily puzzle stays however many levels are opened", async () => {
  const { page, close } = await openPage(browser, `${server.address}?page=daily`);
  const { puzzle } = await (await fetch(`${server.address}api/daily`)).json();
  await page.getByRole("region", { name: "Puzzle of the day" }).getByRole("link", { name: "Play" }).click();
  await at(page, 0).waitFor();
  await page.evaluate(
    ([puzzle]) => {
      const write = (name, value) => localStorage.setItem(`hyperslide.${name}`, JSON.stringify(value));
      write("bests", { [puzzle]: { moves: 999, ms: 1000 } });
      write("known", []);
    },
    [puzzle],
  );
  await page.goto(`${server.address}?page=daily`);
  await page.getByRole("button", { name: /solved in 999/ }).waitFor();
  await close();
});

test("?embed=1 shows the board alone, and leaves the visitor's own puzzle", async () => {
  const { page, complaints, close } = await openPage(browser, playing(server.address, PUZZLES["a cube"]));
  await at(page, 0).waitFor();
  await page.goto(playing(server.address, GRID, "&embed=1"));
  await at(page, 3).click();
  assert.equal(await page.getByRole("navigation").count(), 0);
  await page.keyboard.press("n");
  await page.waitForTimeout(200);
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.goto(server.address);
  await at(page, 7).waitFor();
  assert.match(page.url(), /cube:3:2/);
  assert.deepEqual(complaints, []);
  await close();
});
