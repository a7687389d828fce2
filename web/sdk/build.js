/** Builds dist/: the client as one file, its types, and a copy for embedders in web/dist, which is served. */

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const here = dirname(fileURLToPath(import.meta.url));
/** `node build.js [FOLDER]`: with a folder, sdk/ and web/ are written in there instead. */
const target = process.argv[2];
const dist = target ? resolve(target, "sdk") : join(here, "dist");
const web = target ? resolve(target, "web") : join(here, "..", "dist");

rmSync(dist, { recursive: true, force: true });
mkdirSync(web, { recursive: true });
await build({ root: here, configFile: join(here, "vite.config.js"), logLevel: "warn", build: { outDir: dist, emptyOutDir: true } });
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
execFileSync(process.execPath, [tsc, "--project", join(here, "tsconfig.types.json"), "--outDir", join(dist, "types")], { stdio: "inherit" });
copyFileSync(join(dist, "voicepeer-client.js"), join(web, "client.js"));
