// Whether the server answered the last request.

import { watchConnection } from "./api";

export const connection = $state({ lost: false });

watchConnection((reachable) => {
  connection.lost = !reachable;
});
