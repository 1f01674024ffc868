// A static copy works offline once it was opened: what was loaded is kept, and is asked for again
// whenever there is a network. The program's own server registers no such worker.

const KEPT = "hyperslide";
const FIRST = [
  "./",
  "manifest.json",
  "data/boards.json",
  "data/levels.json",
  "data/tables.json",
  "data/lessons.json",
  "data/algorithms.json",
];

async function keepAll() {
  const cache = await caches.open(KEPT);
  await cache.addAll(FIRST);
  const { files } = await (await cache.match("manifest.json")).json();
  await cache.addAll(Object.keys(files).filter((name) => name !== "index.html" && name !== "sw.js"));
}

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(keepAll());
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

async function answer(request) {
  const cache = await caches.open(KEPT);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    // The page is one, whatever its query says.
    const kept = await cache.match(request, { ignoreSearch: request.mode === "navigate" });
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && new URL(request.url).origin === location.origin)
    event.respondWith(answer(request));
});
