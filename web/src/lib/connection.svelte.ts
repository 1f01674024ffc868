// Whether the server answered the last request.

import { untrack } from "svelte";
import { request, watchConnection } from "./api";

export const connection = $state({ lost: false });

/** How often a server that is away is asked whether it is back, in milliseconds. */
const ASK_AGAIN = 3000;

let asking: ReturnType<typeof setInterval> | undefined;

watchConnection((reachable) => {
  connection.lost = !reachable;
  if (reachable) {
    clearInterval(asking);
    asking = undefined;
  } else {
    asking ??= setInterval(() => void request("boards").catch(() => {}), ASK_AGAIN);
  }
});

/** Calls `again` whenever the server can be reached again. To be called while a component is created. */
export function whenBack(again: () => void): void {
  let away = false;
  $effect(() => {
    const back = away && !connection.lost;
    away = connection.lost;
    if (back) untrack(again);
  });
}
