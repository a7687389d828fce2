/** Builds dist/: the client as one file, its types, and a copy for embedders in web/dist, which is served. */

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
/**
 * `node build.js [FOLDER]`: with a folder, sdk/ and web/ are written in there instead. With
 * `--if-missing` only where there is no dist/: before packing, or the package would be empty.
 */
const ifMissing = process.argv[2] === "--if-missing";
const target = ifMissing ? undefined : process.argv[2];
const dist = target ? resolve(target, "sdk") : join(here, "dist");
const web = target ? resolve(target, "web") : join(here, "..", "dist");

if (ifMissing && existsSync(join(dist, "voicepeer-client.js")) && existsSync(join(dist, "types", "index.d.ts"))) process.exit();

const { build } = await import("vite"); // Only now: packing what is built needs no tools.
rmSync(dist, { recursive: true, force: true });
mkdirSync(web, { recursive: true });
await build({ root: here, configFile: join(here, "vite.config.js"), logLevel: "warn", build: { outDir: dist, emptyOutDir: true } });
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
execFileSync(process.execPath, [tsc, "--project", join(here, "tsconfig.types.json"), "--outDir", join(dist, "types")], { stdio: "inherit" });
copyFileSync(join(dist, "voicepeer-client.js"), join(web, "client.js"));
