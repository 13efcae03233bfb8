/**
 * Fuzzes everything in `targets/`. FUZZ_RUNS inputs each (300), from FUZZ_SEED on (1), of FUZZ_TARGET alone if set.
 * A failing input is kept in `dist/fuzz/` and runs again with `npm run fuzz -- --target NAME --seed SEED --runs 1`.
 */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fuzz } from "./fuzz.ts";
import { inputOf } from "./inputs.ts";
import type { FuzzFailure, FuzzTarget } from "./target.ts";

const RUNS = Number(process.env["FUZZ_RUNS"] ?? 300);
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);
const ONLY = process.env["FUZZ_TARGET"];

const folder = join(import.meta.dirname, "targets");
const kept = join(import.meta.dirname, "../../dist/fuzz");
const files = (await readdir(folder)).filter((name) => name.endsWith(".ts")).map((name) => join(folder, name));

async function keep(target: FuzzTarget<unknown>, { seed, why }: FuzzFailure): Promise<string> {
  await mkdir(kept, { recursive: true });
  const file = join(kept, `${target.name}-${seed}.txt`);
  await writeFile(file, `${why}\n\n${fc.stringify(inputOf(target, seed))}\n`);
  return file;
}

describe.concurrent("fuzzing", async () => {
  for (const file of files) {
    const { default: target } = (await import(/* @vite-ignore */ file)) as { default: FuzzTarget<unknown> };
    if (ONLY !== undefined && ONLY !== target.name) continue;
    test(`${target.name}: no input crashes it, exceeds its work budget or its memory`, async () => {
      const failure = await fuzz(file, target, { seed: SEED, runs: RUNS });
      const where = failure === null ? "" : await keep(target, failure);
      expect(failure, `input kept in ${where}`).toBeNull();
    });
  }
});
