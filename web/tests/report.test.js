// The committed report in a browser: at desktop and phone size, light and dark, with and without
// script. `cargo xtask test` runs it; CHROMIUM names another browser than Debian's.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";

const REPORT = new URL("../../docs/report.html", import.meta.url).href;
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

let browser;

before(async () => {
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});

after(() => browser?.close());

/** Opens the report and collects what the console complains of. */
async function open(options) {
  // Smooth scrolling could move a button away between press and release.
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) complaints.push(`a request of ${request.url()}`);
  });
  await page.goto(REPORT);
  return { page, complaints, close: () => context.close() };
}

/**
 * Leaves one element of each kind on the page and opens all that is folded away. Axe takes minutes for
 * thousands of rows and marks of which nothing but the text differs. Elements are of one kind when they
 * and all their descendants have the same tags, classes, roles and colours, and stand below the same
 * kinds of elements.
 */
function leaveOneOfEachKind() {
  const content = /^(aria-(label|labelledby|describedby)|data-value|for|headers|href|id|name|style|title|value)$/;
  const geometry = /^(c[xy]|d|height|points|r[xy]?|transform|viewBox|width|[xy][12]?)$/;
  const own = (element) => {
    const named = [...element.attributes].map(({ name, value }) =>
      content.test(name) || geometry.test(name) ? name : `${name}=${value}`);
    return `${element.localName} ${named.sort()} ${element.style?.color} ${element.style?.background}`;
  };
  const kind = (element) => `${own(element)}(${[...element.children].map(kind)})`;
  const seen = new Set();
  const visit = (element, place) => {
    for (const child of [...element.children]) {
      const key = `${place}>${kind(child)}`;
      // A row keeps its cells, a cell or an input what names it, and a table or a list at least one row.
      const stays = child.matches("th, th *, td, label, tbody > :first-child, li:first-child");
      if (seen.has(key) && !stays) {
        child.remove();
      } else {
        seen.add(key);
        visit(child, `${place}>${child.localName}.${child.getAttribute("class") ?? ""}`);
      }
    }
  };
  visit(document.body, "");
  for (const details of document.querySelectorAll("details")) details.open = true;
  const style = document.createElement("style");
  style.textContent = ".view { display: block !important }";
  document.head.append(style);
  return document.querySelectorAll("*").length;
}

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1440, 390]) {
    describe(`${colorScheme}, ${width} pixels`, () => {
      let view;
      before(async () => {
        view = await open({ colorScheme, viewport: { width, height: 900 } });
      });
      after(() => view.close());

      test("nothing is wider than the window, and the console is silent", async () => {
        const widths = await view.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(widths[0] <= widths[1], `${widths}`);
        assert.deepEqual(view.complaints, []);
      });

      test("axe finds nothing", async () => {
        const left = await view.page.evaluate(leaveOneOfEachKind);
        assert.ok(left > 2_000, `only ${left} elements are left`);
        // All rules; what passes is not listed, which takes longer than the rules themselves.
        const axe = new AxeBuilder({ page: view.page }).options({ resultTypes: ["violations"] });
        const { violations } = await axe.analyze();
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120))}`);
        assert.deepEqual(found, []);
      });
    });
  }
}

describe("reading", () => {
  let view;
  before(async () => {
    view = await open({ viewport: { width: 1440, height: 900 } });
  });
  after(() => view.close());

  test("every tile of the matrix leads to a table or a figure with its heading", async () => {
    const targets = await view.page.$$eval(".tile", (tiles) => tiles.map((tile) => tile.getAttribute("href").slice(1)));
    assert.ok(targets.length > 30, `${targets.length} tiles`);
    assert.equal(new Set(targets).size, targets.length, "two tiles lead to the same place");
    for (const target of targets) {
      assert.equal(await view.page.locator(`article[id="${target}"] h3`).count(), 1, target);
    }
  });

  test("no name is given twice, and every reference to one leads somewhere", async () => {
    const { names, references } = await view.page.evaluate(() => {
      const values = (attribute) =>
        [...document.querySelectorAll(`[${attribute}]`)].flatMap((element) => element.getAttribute(attribute).split(" "));
      const links = values("href").filter((href) => href.startsWith("#")).map((href) => href.slice(1));
      return { names: values("id"), references: [...links, ...values("for"), ...values("aria-labelledby")] };
    });
    const known = new Set(names);
    assert.equal(known.size, names.length, "an id is given twice");
    assert.deepEqual(references.filter((name) => !known.has(name)), []);
  });

  test("the views of a figure are chosen with the keyboard", async () => {
    const figure = view.page.locator("#cubical-figure-2");
    await figure.locator("input").first().focus();
    assert.ok(await figure.locator(".view.chart").isVisible());
    await view.page.keyboard.press("ArrowRight");
    assert.ok(await figure.locator(".view.table").isVisible());
    assert.ok(!(await figure.locator(".view.chart").isVisible()));
    await view.page.keyboard.press("ArrowRight");
    assert.ok(await figure.locator(".view.source").isVisible());
  });

  test("a table is sorted by its numbers, and a third time as printed", async () => {
    const table = view.page.locator("#cubical-table-2 table");
    const column = () => table.locator("tbody tr:not(.remark) th").allTextContents();
    const printed = await column();
    const nodes = table.locator("thead button", { hasText: "astar nodes" });
    const sorted = async () => {
      const cells = await table.locator("tbody tr:not(.remark) td:nth-child(7)").allTextContents();
      return cells.map((text) => Number(text.replaceAll(",", "")));
    };
    await nodes.click();
    const ascending = await sorted();
    assert.deepEqual(ascending, [...ascending].sort((a, b) => a - b));
    await nodes.click();
    const descending = await sorted();
    assert.deepEqual(descending, [...ascending].reverse().sort((a, b) => b - a));
    await nodes.click();
    assert.deepEqual(await column(), printed);
  });

  test("a remark stays with its row when a table is sorted", async () => {
    const table = view.page.locator("#cubical-graphs-table-5 table");
    const remarks = () =>
      table.locator("tr.remark").evaluateAll((rows) =>
        rows.map((row) => [row.previousElementSibling.cells[0].textContent, row.textContent]).sort());
    const printed = await remarks();
    assert.ok(printed.length > 3, `${printed}`);
    await table.locator("thead button", { hasText: "empty" }).click();
    await table.locator("thead button", { hasText: "empty" }).click();
    assert.deepEqual(await remarks(), printed);
  });

  test("the contents lead to every exhibit and say where the reader is", async () => {
    const places = (selector) =>
      view.page.$$eval(selector, (links) => links.map((link) => link.getAttribute("href")));
    assert.deepEqual(await places(".rail ol ol a"), await places(".tile"));
    await view.page.locator("#cubical-graphs-table-6").evaluate((article) => article.scrollIntoView({ behavior: "instant" }));
    const current = view.page.locator(".rail a[aria-current]");
    await view.page.waitForFunction(() => document.querySelectorAll(".rail a[aria-current]").length === 2);
    assert.deepEqual(await current.allTextContents(), ["Cubical puzzles", "T6"]);
    assert.ok(await current.last().isVisible());
    const { height } = await current.last().boundingBox();
    assert.ok(height >= 24, `${height} pixels are too few for a finger`);
  });

  test("the heading of a long table stays in sight", async () => {
    await view.page.locator("#cubical-ea-table-4 .more summary").first().click();
    const row = view.page.locator("#cubical-ea-table-4 table").first().locator("tbody tr").nth(60);
    await row.evaluate((own) => own.scrollIntoView({ block: "center", behavior: "instant" }));
    const head = await view.page.locator("#cubical-ea-table-4 thead").first().boundingBox();
    assert.ok(head.y >= 0 && head.y < 60, `${head.y}`);
  });

  test("a folded table that is sorted shows all its rows", async () => {
    const article = view.page.locator("#cubical-cpu");
    const rows = article.locator("tbody tr");
    const shown = () => rows.evaluateAll((own) => own.filter((row) => row.checkVisibility()).length);
    assert.equal(await shown(), 8);
    await article.locator("thead button", { hasText: "expanded" }).click();
    assert.equal(await shown(), await rows.count());
  });
});

test("the theme that was chosen in the application holds", async () => {
  const paint = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const colours = {};
  for (const colorScheme of ["light", "dark"]) {
    const view = await open({ colorScheme });
    colours[colorScheme] = await paint(view.page);
    await view.close();
  }
  for (const [colorScheme, chosen] of [["light", "dark"], ["dark", "light"]]) {
    const view = await open({ colorScheme });
    await view.page.evaluate((theme) => localStorage.setItem("hyperslide.theme", JSON.stringify(theme)), chosen);
    await view.page.reload();
    assert.equal(await paint(view.page), colours[chosen]);
    const verdict = (page) => page.evaluate(() => getComputedStyle(document.querySelector(".v-equal")).backgroundColor);
    assert.equal(await verdict(view.page), chosen === "dark" ? "rgb(33, 57, 45)" : "rgb(217, 230, 223)");
    await view.close();
  }
  assert.notEqual(colours.light, colours.dark);
});

test("without script the page is complete", async () => {
  const withScript = await open({});
  const without = await open({ javaScriptEnabled: false });
  const count = (view, selector) => view.page.locator(selector).count();
  for (const selector of ["table", "tbody tr", "svg", ".tile", "article", "details"]) {
    assert.equal(await count(without, selector), await count(withScript, selector), selector);
  }
  const table = without.page.locator("#dynamic-programming-3x4");
  const last = table.locator("table").first().locator("tbody tr").last();
  assert.ok(!(await last.isVisible()));
  await table.locator(".more summary").click();
  assert.ok(await last.isVisible(), "a table is unfolded without script");
  await without.page.locator("label[for=cubical-figure-2-table]").click();
  assert.ok(await without.page.locator("#cubical-figure-2 .view.table").isVisible());
  await withScript.close();
  await without.close();
});

test("on paper every figure shows its chart, and every table its rows", async () => {
  const view = await open({});
  await view.page.emulateMedia({ media: "print" });
  const hidden = await view.page.locator("article > .wrap tbody tr").evaluateAll((rows) =>
    rows.filter((row) => getComputedStyle(row).display === "none").length);
  assert.equal(hidden, 0);
  const cut = await view.page.locator("article > .wrap").evaluateAll((tables) =>
    tables.filter((table) => getComputedStyle(table).overflow !== "visible").length);
  assert.equal(cut, 0);
  const shown = await view.page.locator(".view.chart").evaluateAll((charts) =>
    charts.every((chart) => getComputedStyle(chart).display === "block"));
  assert.ok(shown);
  await view.close();
});

