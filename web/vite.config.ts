import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { manifest } from "./manifest";

// The built page is committed and embedded in the server, so its names are the same in every build.
export default defineConfig({
  base: "./",
  plugins: [svelte(), manifest()],
  build: {
    outDir: "../crates/server/assets",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        entryFileNames: "app.js",
        chunkFileNames: "assets/[name]-[hash].js",
        assetFileNames: ({ names }) =>
          names.includes("index.css") ? "app.css" : "assets/[name]-[hash][extname]",
      },
    },
  },
  server: { proxy: { "/api": "http://127.0.0.1:8123", "/report": "http://127.0.0.1:8123" } },
});
