import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Into plain files with lasting names, which the service sends with entity tags. */
export default defineConfig({
  base: "./",
  resolve: { alias: { "@voicepeer/client": here("../sdk/src/index.ts") } },
  build: {
    outDir: process.env["PAGE_OUT_DIR"] ?? here("../dist"),
    // The client for embedders lies there as well.
    emptyOutDir: false,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rollupOptions: { output: { entryFileNames: "app.js", assetFileNames: "style[extname]" } },
  },
  server: { proxy: { "/ws": { target: "ws://localhost:8080", ws: true }, "/v1": "http://localhost:8080", "/readyz": "http://localhost:8080" } },
});
