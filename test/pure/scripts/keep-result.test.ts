import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keepResult } from "../../../scripts/keep-result.ts";

const NAME = "of-a-test";
const root = join(import.meta.dirname, "../../..");
let folder: string;
let input: string;
let output: string;
let key: string;
let made: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-kept-"));
  [input, output] = [join(folder, "input"), join(folder, "output")];
  await writeFile(input, "first");
  await utimes(input, 1, 1); // what was written just now is not kept
  [key, made] = [randomUUID(), 0];
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  const kept = join(root, "dist/kept");
  for (const name of await readdir(kept)) if (name.startsWith(NAME)) await rm(join(kept, name));
});

async function make() {
  await writeFile(output, `made ${++made}`);
  const paths = { inputs: [input, join(folder, "absent")], outputs: [output] };
  return {
    value: made,
    inputs: paths.inputs.map((path) => relative(root, path)),
    outputs: paths.outputs.map((path) => relative(root, path)),
  };
}

test("a result is made once while nothing has changed, and again for another key", async () => {
  expect([await keepResult(NAME, key, make), await keepResult(NAME, key, make)]).toEqual([1, 1]);
  expect(await keepResult(NAME, `${key} other`, make)).toBe(2);
});

test.each([
  ["an input has changed", () => writeFile(input, "second and longer")],
  ["an input has appeared", () => writeFile(join(folder, "absent"), "")],
  ["an output is gone", () => rm(output)],
  ["an output was overwritten", () => writeFile(output, "by something else")],
])("a result is made again when %s", async (_, change) => {
  await keepResult(NAME, key, make);
  await change();
  expect(await keepResult(NAME, key, make)).toBe(2);
});

test("a result whose input was changed while it was made is not kept", async () => {
  await keepResult(NAME, key, async () => {
    const result = await make();
    await writeFile(input, "meanwhile");
    return result;
  });
  expect(await keepResult(NAME, key, make)).toBe(2);
});
