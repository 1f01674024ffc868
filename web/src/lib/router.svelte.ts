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

function current(): Route {
  const query = new URLSearchParams(location.search);
  const page = query.get("page") as Page | null;
  return {
    page: page && PAGES.includes(page) ? page : "play",
    embed: query.get("embed") === "1",
    fragment: new URLSearchParams(location.hash.slice(1).replace(/\+/g, "%2B")),
  };
}

export const router = $state<{ route: Route }>({ route: current() });

const update = (): void => {
  router.route = current();
};
addEventListener("popstate", update);
addEventListener("hashchange", update);

/** The address of a page, with a puzzle and a play in the fragment. */
export function href(page: Page, puzzle?: string, play?: string): string {
  const readable = (text: string): string =>
    encodeURIComponent(text).replace(/%3A/g, ":").replace(/%2C/g, ",").replace(/%3D/g, "=");
  const fragment = puzzle ? `#p=${readable(puzzle)}${play ? `&m=${play}` : ""}` : "";
  return `${page === "play" ? "./" : `?page=${page}`}${fragment}`;
}

export function go(page: Page, puzzle?: string, play?: string): void {
  history.pushState(null, "", href(page, puzzle, play));
  update();
  scrollTo(0, 0);
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
  if (link.href !== location.href) history.pushState(null, "", link.href);
  update();
  scrollTo(0, 0);
}
