import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { manifest } from "./manifest.ts";

// The server answers its own page only, so requests are passed on as that page's.
const target = "http://127.0.0.1:8123";
const proxied = { target, changeOrigin: true, headers: { origin: target } };

// The built page is committed and embedded in the server, so its names are the same in every build.
export default defineConfig({
  base: "./",
  plugins: [svelte(), manifest()],
  build: {
    outDir: "../crates/server/assets",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // One style sheet: a part of it that could not be loaded while the server was away would not be asked
    // for again.
    cssCodeSplit: false,
    rollupOptions: {
      output: {
        entryFileNames: "app.js",
        chunkFileNames: "assets/[name]-[hash].js",
        assetFileNames: ({ names }) =>
          names.some((name) => name.endsWith(".css")) ? "app.css" : "assets/[name]-[hash][extname]",
      },
    },
  },
  server: { proxy: { "/api": proxied, "/report": proxied } },
});
