import { beforeEach, describe, expect, test, vi } from "vitest";

// The page says in its first element whether it has a server.
vi.stubGlobal("document", { documentElement: { dataset: {} } });
const { ApiError } = await import("../../src/lib/api");
const { becomes, everything, forgetFormer, former, leftBehind, readSecret } = await import("../../src/lib/people");

describe("a secret", () => {
  const secret = "0123456789abcdef0123456789abcdef";

  test("is read from what the page gives out, and from what is copied of it", () => {
    expect(readSecret(secret)).toBe(secret);
    expect(readSecret(` ${secret}\n`)).toBe(secret);
    expect(readSecret(`http://127.0.0.1:8000/?page=you#s=${secret}`)).toBe(secret);
    expect(readSecret(`https://example.org/slides/?page=you#a=b&s=${secret} `)).toBe(secret);
  });

  test("is refused in a sentence where it can be none", () => {
    for (const text of ["", "ключ", `${secret} ${secret}`, "https://example.org/?page=you", `?page=you#s=${secret}é`])
      expect(() => readSecret(text)).toThrow(/^This is no secret: .+\.$/);
  });
});

describe("of a person", () => {
  let kept: Map<string, string>;
  beforeEach(() => {
    kept = new Map([["hyperslide.person", '{"name":"calm-owl-100","secret":"0"}']]);
    vi.stubGlobal("localStorage", {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => kept.set(name, value),
      removeItem: (name: string) => kept.delete(name),
    });
  });

  test("everything is read, however many answers that takes, the last play first", async () => {
    const plays = [4, 1, 5, 2, 3].map((number) => ({ id: `p${number}`, number }));
    const asked: string[] = [];
    vi.stubGlobal("fetch", (path: string, { headers }: { headers: Record<string, string> }) => {
      asked.push(path);
      expect(headers["X-Person-Secret"]).toBe("0");
      const after = new URLSearchParams(path.split("?")[1]).get("after");
      const from = plays.findIndex(({ id }) => id === after) + 1;
      const body = { name: "calm-owl-100", code: "c", consent: 1, day: "2026-11-24", starts: [{ start: "s" }] };
      return Promise.resolve(Response.json({ ...body, plays: plays.slice(from, from + 2) }));
    });
    const all = await everything({ secret: "0" });
    expect(all).toMatchObject({ name: "calm-owl-100", code: "c", consent: 1, day: "2026-11-24", starts: [{ start: "s" }] });
    expect(all.plays.map(({ number }) => number)).toEqual([5, 4, 3, 2, 1]);
    expect(asked.map((path) => path.replace("api/people/me", ""))).toEqual(["", "?after=p1", "?after=p2", "?after=p3"]);
  });

  test("once the server does not know the secret, it is only put aside, and nothing happens while it is away", async () => {
    expect(leftBehind(new ApiError(0, "The server cannot be reached."))).toBe(false);
    expect(leftBehind(new ApiError(403, "another refusal"))).toBe(false);
    expect(kept.size).toBe(1);
    expect(leftBehind(new ApiError(403, "nobody has this secret", "unknown-secret"))).toBe(true);
    expect([...kept.keys()]).toEqual(["hyperslide.former"]);
    expect(former()).toEqual([{ name: "calm-owl-100", secret: "0" }]);
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ name: "bold-owl-200" })));
    await becomes("1");
    await becomes("0");
    expect(former()).toEqual([{ name: "bold-owl-200", secret: "1" }]);
    forgetFormer("1");
    expect(former()).toEqual([]);
  });
});
