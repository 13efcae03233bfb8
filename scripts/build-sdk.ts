/** `npm run build:sdk`: makes the npm package of `sdk/` in `dist/sdk`, compiled for Node 20, browsers and Workers. */
import { execFile } from "node:child_process";
import { chmod, copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDER = `${ROOT}dist/sdk`;

interface Manifest {
  private?: boolean;
  exports: object;
  bin: object;
  files?: string[];
}

/** @returns the package's folder */
export async function buildSdk(): Promise<string> {
  await rm(FOLDER, { recursive: true, force: true });
  await Promise.all([compile(), declareTypes()]);
  const { private: _, ...manifest } = JSON.parse(await readFile(`${ROOT}sdk/package.json`, "utf8")) as Manifest;
  const exported = (name: string) => ({ types: `./types/${name}.d.ts`, default: `./${name}.js` });
  const published = {
    ...manifest,
    exports: { ".": exported("index"), "./node": exported("node") },
    bin: { sluice: "./sluice.js" },
  };
  await writeFile(`${FOLDER}/package.json`, `${JSON.stringify(published, null, 2)}\n`);
  await Promise.all([
    copyFile(`${ROOT}sdk/README.md`, `${FOLDER}/README.md`),
    copyFile(`${ROOT}LICENSE`, `${FOLDER}/LICENSE`),
    chmod(`${FOLDER}/sluice.js`, 0o755),
  ]);
  return FOLDER;
}

async function compile(): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: { index: "sdk/index.ts", node: "sdk/node.ts", sluice: "sdk/cli/start.ts" },
    outdir: FOLDER,
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

async function declareTypes(): Promise<void> {
  const project = ["-p", `${ROOT}sdk/tsconfig.types.json`, "--outDir", `${FOLDER}/types`];
  await promisify(execFile)(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, ...project]);
}

if (import.meta.main) console.log(await buildSdk());
