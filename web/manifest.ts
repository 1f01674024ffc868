// The manifest of a build: from which sources it was made, by which tools, and what it consists of. The
// built page is committed, and a test in Rust that needs no Node.js compares it with this.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Plugin } from "vite";

const SOURCES = [
  "index.html",
  "manifest.ts",
  "package.json",
  "package-lock.json",
  "public",
  "src",
  "svelte.config.js",
  "tsconfig.json",
  "vite.config.ts",
];

const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");

/** All files at a path, which may be missing, in the order of their names' bytes. */
function filesAt(path: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  if (stat.isFile()) return [path];
  return readdirSync(path).flatMap((name) => filesAt(join(path, name)));
}

/** Names and digests of files, in the order of the names. */
function digests(root: string, paths: string[]): [string, string][] {
  const files = paths.flatMap((path) => filesAt(join(root, path)));
  const named = files.map((file): [string, string] => [
    relative(root, file).replaceAll("\\", "/"),
    sha256(readFileSync(file)),
  ]);
  return named.sort(([a], [b]) => (a < b ? -1 : 1));
}

export function manifest(): Plugin {
  let out = "";
  return {
    name: "hyperslide-manifest",
    apply: "build",
    configResolved(config) {
      out = join(config.root, config.build.outDir);
      if (config.build.outDir.startsWith("/")) out = config.build.outDir;
    },
    closeBundle() {
      const version = (name: string) => {
        const file = join(import.meta.dirname, "node_modules", name, "package.json");
        return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
      };
      const sources = digests(import.meta.dirname, SOURCES);
      const content = {
        sources: sha256(sources.map(([name, digest]) => `${name}\n${digest}\n`).join("")),
        tools: { node: process.versions.node.split(".")[0], vite: version("vite"), svelte: version("svelte") },
        files: Object.fromEntries(digests(out, ["."]).filter(([name]) => name !== "manifest.json")),
      };
      writeFileSync(join(out, "manifest.json"), `${JSON.stringify(content, null, 2)}\n`);
    },
  };
}
