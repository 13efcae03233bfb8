/** `npm run build:sdk`: makes the npm package of `sdk/` in `dist/sdk`, compiled for Node 20, browsers and Workers. */
import { execFile } from "node:child_process";
import { chmod, copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Manifest {
  private?: boolean;
  exports: object;
  bin: object;
  files?: string[];
}

/** @param folder is replaced */
export async function buildSdk(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await Promise.all([compile(folder), declareTypes(folder)]);
  const { private: _, ...manifest } = JSON.parse(await readFile(`${ROOT}sdk/package.json`, "utf8")) as Manifest;
  const exported = (name: string) => ({ types: `./types/${name}.d.ts`, default: `./${name}.js` });
  const published = {
    ...manifest,
    exports: { ".": exported("index"), "./node": exported("node") },
    bin: { sluice: "./sluice.js" },
  };
  await writeFile(`${folder}/package.json`, `${JSON.stringify(published, null, 2)}\n`);
  await Promise.all([
    copyFile(`${ROOT}sdk/README.md`, `${folder}/README.md`),
    copyFile(`${ROOT}LICENSE`, `${folder}/LICENSE`),
    chmod(`${folder}/sluice.js`, 0o755),
  ]);
}

async function compile(folder: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: { index: "sdk/index.ts", node: "sdk/node.ts", sluice: "sdk/cli/start.ts" },
    outdir: folder,
    bundle: true,
    splitting: true, // one set of error classes for all entries
    packages: "external",
    format: "esm",
    platform: "neutral",
    external: ["node:*"],
    target: ["es2022", "node20"],
    logLevel: "warning",
  });
}

async function declareTypes(folder: string): Promise<void> {
  const project = ["-p", `${ROOT}sdk/tsconfig.types.json`, "--outDir", `${folder}/types`];
  await promisify(execFile)(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, ...project]);
}

if (import.meta.main) {
  const folder = `${ROOT}dist/sdk`;
  await buildSdk(folder);
  console.log(folder);
}
