// The route is in the query string and the puzzle in the fragment, so that any file host can serve
// the page.

export const PAGES = [
  "play",
  "levels",
  "daily",
  "ranked",
  "compare",
  "you",
  "watch",
  "lesson",
  "race",
  "about",
] as const;
export type Page = (typeof PAGES)[number];

export interface Route {
  page: Page;
  embed: boolean;
  /** The fragment: `p` is a puzzle line, `m` a play. */
  fragment: URLSearchParams;
}

/** Punctuation, as addresses have it: quotation marks are encoded. */
const AFTER_A_LINK = /(?:[.,;:!?)\]}']|%22|%C2%BB|%E2%80%9D)+$/i;

function current(): Route {
  const query = new URLSearchParams(location.search);
  const page = query.get("page") as Page | null;
  return {
    page: page && PAGES.includes(page) ? page : "play",
    embed: query.get("embed") === "1",
    // In a chat, a link is often followed by punctuation, which no puzzle and no play ends in.
    fragment: new URLSearchParams(location.hash.slice(1).replace(AFTER_A_LINK, "").replace(/\+/g, "%2B")),
  };
}

export const router = $state<{ route: Route }>({ route: current() });

const update = (): void => {
  router.route = current();
};

/** Asks whether the page may be left. */
let mayLeave: () => boolean = () => true;

/** Asks before the page is left from now on, until what is returned is called. */
export function guard(ask: () => boolean): () => void {
  mayLeave = ask;
  return () => {
    mayLeave = () => true;
  };
}

// Pages load what they show, so that the browser would scroll too early.
history.scrollRestoration = "manual";
/** The address of the page that is shown. */
let shown = location.href;

/** How long a page may take to become as long as it was, in milliseconds. */
const LONGEST_LOAD = 3000;

/** Scrolls to where the page was left, once it is long enough, unless the reader scrolls. */
function scrollBack(top: number): void {
  const until = performance.now() + LONGEST_LOAD;
  const ended = new AbortController();
  for (const event of ["wheel", "touchstart", "keydown"])
    addEventListener(event, () => ended.abort(), { passive: true, signal: ended.signal });
  const step = (): void => {
    if (ended.signal.aborted) return;
    const reached = document.documentElement.scrollHeight - innerHeight >= top;
    if (reached) scrollTo(0, top);
    if (reached || performance.now() >= until) ended.abort();
    else requestAnimationFrame(step);
  };
  step();
}

addEventListener("popstate", ({ state }) => {
  if (!mayLeave()) return history.pushState(null, "", shown);
  shown = location.href;
  update();
  scrollBack((state as { top?: number } | null)?.top ?? 0);
});
addEventListener("hashchange", update);
// A page that is loaded again is where it was.
addEventListener("pagehide", () => history.replaceState({ top: scrollY }, ""));
scrollBack((history.state as { top?: number } | null)?.top ?? 0);

/** Goes to an address of this page, and remembers how far this one is scrolled. */
function visit(address: string): void {
  if (!mayLeave()) return;
  const top = scrollY;
  if (top > 0) history.replaceState({ top }, "");
  if (new URL(address, location.href).href !== location.href) history.pushState(null, "", address);
  shown = location.href;
  update();
  scrollTo(0, 0);
}

/** The address of a page, with a puzzle and a play in the fragment. */
export function href(page: Page, puzzle?: string, play?: string): string {
  const readable = (text: string): string =>
    encodeURIComponent(text).replace(/%3A/g, ":").replace(/%2C/g, ",").replace(/%3D/g, "=");
  const fragment = puzzle ? `#p=${readable(puzzle)}${play ? `&m=${play}` : ""}` : "";
  return `${page === "play" ? "./" : `?page=${page}`}${fragment}`;
}

/** The address of the daily puzzle of a date. */
export const dayHref = (date: string): string => `${href("daily")}#d=${date}`;

export function go(page: Page, puzzle?: string, play?: string): void {
  visit(href(page, puzzle, play));
}

/** Follows a link within the page without loading it again. */
export function follow(event: MouseEvent): void {
  if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey)
    return;
  const link = (event.target as Element).closest?.("a");
  if (!link || link.target || link.origin !== location.origin || link.pathname !== location.pathname)
    return;
  if (!link.search && !link.hash && link.getAttribute("href") !== "./") return;
  event.preventDefault();
  visit(link.href);
}
