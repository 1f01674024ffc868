// The boundaries of what can be pressed, and of fields, have three times the contrast of what is around them
// (WCAG 2.2, 1.4.11), in both schemes of colours.

import assert from "node:assert/strict";
import { test } from "node:test";

import { at, openPage, playing, startBoth } from "./server.js";

const GRID = "grid:3:3 1,2,3,5,0,6,4,7,8 -> 1,2,3,4,5,6,7,8,0";
const TESSERACT = "cube:4:3 b=5,g=4,p=7,r=13,y=1 -> b=4,g=13,p=7,r=5,y=1";

let server;
let browser;

startBoth((...both) => {
  [server, browser] = both;
});

/** The controls whose boundary is fainter than that, and that have no other: neither a colour nor an icon. */
const faint = () => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  /** A colour over another, as the screen shows it. */
  const over = (colour, [r, g, b]) => {
    canvas.fillStyle = `rgb(${r} ${g} ${b})`;
    canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((one) => (one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [a, b] = [luminance(one), luminance(other)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const ground = (element) =>
    element ? over(getComputedStyle(element).backgroundColor, ground(element.parentElement)) : [255, 255, 255];
  /** The element that draws the boundary: of buttons side by side in one frame it is the frame. */
  const framed = (element) => {
    const { borderTopWidth, borderTopStyle } = getComputedStyle(element);
    return parseFloat(borderTopWidth) > 0 && borderTopStyle !== "none";
  };
  const controls = "button, .button, input:not([type=radio], [type=checkbox], [type=range], .quiet), select, textarea";
  const all = [...document.querySelectorAll(`${controls}, .tabs label, nav[aria-label=Chapters] a`)];
  return all
    .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((one) => !one.disabled && one.getAttribute("aria-disabled") !== "true" && !one.closest("[hidden]"))
    .flatMap((one) => {
      const boundary = framed(one) || !one.parentElement || !framed(one.parentElement) ? one : one.parentElement;
      const style = getComputedStyle(boundary);
      const outside = ground(boundary.parentElement);
      const border = over(style.borderTopColor, outside);
      // Without a border a control is its text or its icon, which has another rule.
      if (!framed(boundary) || /rgba\(.*, 0\)|transparent/.test(style.borderTopColor)) return [];
      const best = Math.max(contrast(border, outside), contrast(ground(boundary), outside));
      return best < 3 ? [`${one.outerHTML.slice(0, 90)}: ${best.toFixed(2)}`] : [];
    });
};

for (const scheme of ["light", "dark"])
  test(`boundaries of controls are seen, ${scheme}`, async () => {
    const { page, close } = await openPage(browser, "about:blank", { colorScheme: scheme, reducedMotion: "reduce" });
    const found = {};
    const look = async (name) => {
      const those = await page.evaluate(faint);
      if (those.length) found[name] = [...new Set(those)];
    };
    for (const [name, url] of Object.entries({
      play: playing(server.address, TESSERACT),
      grid: playing(server.address, GRID),
      levels: `${server.address}?page=levels`,
      daily: `${server.address}?page=daily`,
      ranked: `${server.address}?page=ranked`,
      compare: `${server.address}?page=compare`,
      you: `${server.address}?page=you`,
      lesson: `${server.address}?page=lesson`,
      watch: `${server.address}?page=watch`,
      race: `${server.address}?page=race`,
      about: `${server.address}?page=about`,
    })) {
      await page.goto(url);
      await page.waitForLoadState("networkidle");
      await look(name);
    }
    await page.goto(playing(server.address, GRID));
    await at(page, 0).waitFor();
    await page.getByRole("button", { name: /^New/ }).first().click();
    await page.getByRole("dialog").waitFor();
    await look("new puzzle");
    assert.deepEqual(found, {});
    await close();
  });
