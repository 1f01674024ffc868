import { describe, expect, it } from "vitest";
import { choice, faultOf, nameOf, requestOf } from "../../src/lib/solve/choice";
import { bytes, changed, fault, members, toggled } from "../../src/lib/solve/settings";
import type { Algorithms, Setting } from "../../src/lib/types";

const setting = (more: Partial<Setting>): Setting => ({
  name: "width",
  value: "N",
  default: "100",
  summary: "",
  allowed: "",
  type: "integer",
  ...more,
});

describe("fault", () => {
  it("accepts the empty text, which stands for the default", () => {
    expect(fault(setting({ minimum: 1 }), " ")).toBeNull();
  });
  it("checks the range of whole numbers", () => {
    const width = setting({ minimum: 1, maximum: 10 });
    expect(fault(width, "10")).toBeNull();
    expect(fault(width, "11")).toContain("from 1 to 10");
    expect(fault(width, "2.5")).toContain("whole number");
  });
  it("knows auto", () => {
    expect(fault(setting({ type: "integer-or-auto" }), "auto")).toBeNull();
    expect(fault(setting({ type: "integer" }), "auto")).not.toBeNull();
  });
  it("counts decimal places", () => {
    const weight = setting({ type: "number", minimum: 0, maximum: 1000, decimal_places: 3 });
    expect(fault(weight, "1.125")).toBeNull();
    expect(fault(weight, "1.1251")).toContain("at most 3");
    expect(fault(weight, "-1")).not.toBeNull();
  });
  it("refuses what is not a choice", () => {
    expect(fault(setting({ type: "choice", choices: ["a", "b"] }), "c")).toContain("a, b");
  });
});

describe("changed", () => {
  it("sends only what differs from the default", () => {
    const settings = [setting({}), setting({ name: "weight", default: "3" })];
    expect(changed(settings, { width: "100", weight: " 4 ", other: "x" })).toEqual({ weight: "4" });
  });
});

describe("subsets", () => {
  const parts = setting({ type: "subset", choices: ["learning", "preference", "shortening"] });
  it("are written in the order of the choices", () => {
    expect(toggled(parts, "shortening", "learning")).toBe("learning+shortening");
    expect(toggled(parts, "learning+shortening", "learning")).toBe("shortening");
    expect(members("nothing")).toEqual([]);
  });
});

describe("bytes", () => {
  it("reads units of both kinds", () => {
    expect(bytes("512M")).toBe(512 * 2 ** 20);
    expect(bytes("1.5 GB")).toBe(1.5e9);
    expect(bytes("2GiB")).toBe(2 ** 31);
    expect(bytes("much")).toBeNull();
  });
});

const catalog: Algorithms = {
  algorithms: [
    {
      name: "weighted-astar",
      summary: "",
      optimal: false,
      guarantee: "",
      when: "",
      source: "",
      uses_heuristic: true,
      looks_up_tables: false,
      shows_expansions: true,
      settings: [setting({ name: "weight", type: "number", default: "3", minimum: 0 })],
    },
  ],
  heuristics: [
    {
      name: "patterns",
      summary: "",
      admissible: true,
      consistent: true,
      parameter: setting({ name: "sizes", type: "text", default: "auto" }),
    },
  ],
};

describe("a choice", () => {
  it("becomes a request with nothing but what was changed", () => {
    expect(requestOf(catalog, "LINE", choice("weighted-astar"))).toEqual({
      puzzle: "LINE",
      algorithm: "weighted-astar",
    });
    const chosen = {
      ...choice("weighted-astar", "patterns"),
      parameter: "6-6-3",
      settings: { weight: "2" },
    };
    const more = { observe: true, limits: { seconds: "5", memory: "1 GB" } };
    expect(requestOf(catalog, "LINE", chosen, more)).toEqual({
      puzzle: "LINE",
      algorithm: "weighted-astar",
      heuristic: "patterns:6-6-3",
      settings: { weight: "2" },
      limits: { seconds: 5, memory_bytes: 1e9 },
      observe: true,
    });
    expect(nameOf(catalog, chosen)).toBe("Weighted A* with patterns:6-6-3 (weight 2)");
  });
  it("says what is wrong", () => {
    const chosen = { ...choice("weighted-astar"), settings: { weight: "x" } };
    expect(faultOf(catalog, chosen)).toContain("weight");
    expect(faultOf(catalog, choice("none"))).toContain("none");
    const limits = { seconds: "-1", memory: "" };
    expect(faultOf(catalog, choice("weighted-astar"), limits)).toContain("Seconds");
  });
});
