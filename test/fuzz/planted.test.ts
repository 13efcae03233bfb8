import { join } from "node:path";
import { expect, test } from "vitest";
import { fuzz } from "./fuzz.ts";
import { inputOf } from "./inputs.ts";
import type { FuzzTarget } from "./target.ts";

test.each([
  ["throws", "planted"],
  ["hangs", "did not end within"],
  ["quadratic", "units of work"],
  ["heap", "heap out of memory"],
  ["buffers", "bytes of buffers"],
])("a fault that %s is found, with the seed of its input", async (name, why) => {
  const file = join(import.meta.dirname, "planted", `${name}.ts`);
  const { default: target } = (await import(/* @vite-ignore */ file)) as { default: FuzzTarget<number> };
  const failure = await fuzz(file, target, { seed: 1, runs: 1000, hangMs: name === "hangs" ? 1000 : 30_000 });
  expect(failure?.why).toContain(why);
  expect(inputOf(target, failure!.seed)).toBe(7);
});

test("a process that has not reached its first input accuses no input", async () => {
  const file = join(import.meta.dirname, "planted", "throws.ts");
  const { default: target } = (await import(/* @vite-ignore */ file)) as { default: FuzzTarget<number> };
  await expect(fuzz(file, target, { seed: 1, runs: 1, startMs: 1 })).rejects.toThrow(
    "not reached its first input within 1 ms",
  );
  await expect(fuzz(`${file}x`, target, { seed: 1, runs: 1 })).rejects.toThrow("ERR_MODULE_NOT_FOUND");
});
