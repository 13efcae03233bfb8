import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sourcePlacesIn, withSourcePlaces } from "../../../scripts/local/source-places.ts";

const SOURCE = `interface Nothing { a: string }

export function throwing(one?: Nothing): string {
  return one!.a;
}
`;
const folder = await mkdtemp(join(tmpdir(), "sluice-places-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The stack of an error that is thrown in a bundle with a source map. Built as text, because Vitest maps the stacks of its own errors. */
let stack: string;
beforeAll(async () => {
  await writeFile(join(folder, "thrower.ts"), SOURCE);
  const outfile = join(folder, "worker.js");
  await build({ entryPoints: [join(folder, "thrower.ts")], bundle: true, format: "esm", sourcemap: "linked", outfile });
  const lines = (await readFile(outfile, "utf8")).split("\n");
  const line = lines.findIndex((text) => text.includes("one.a"));
  const place = `${pathToFileURL(outfile).href}:${line + 1}:${lines[line]!.indexOf("one.a") + "one.".length + 1}`;
  stack = `TypeError: Cannot read properties of undefined (reading 'a')\n    at throwing (${place})\n    at async ${place}`;
});

const PLACE = /at throwing \(\S*thrower\.ts:4:15\)\n    at async \S*thrower\.ts:4:15$/;

test("the stack of a log line names file and line of the source", () => {
  const line = JSON.stringify({ event: "cron.task_failed", stack });
  const mapped = JSON.parse(withSourcePlaces(line)) as { event: string; stack: string };
  expect(mapped.event).toBe("cron.task_failed");
  expect(mapped.stack).toMatch(PLACE);
  expect(mapped.stack).not.toContain("worker.js:");
});

test("places without a map stay, and so does other output", () => {
  for (const text of ["at x (file:///nowhere/worker.js:3:4)", "Ready on http://127.0.0.1:8787/worker.js:1:2\n"])
    expect(withSourcePlaces(text)).toBe(text);
});

test("a log line that comes in pieces is passed on when it is complete, and other output at once", () => {
  const written: string[] = [];
  const pass = sourcePlacesIn((text) => void written.push(text));
  const line = `${JSON.stringify({ stack })}\n`;
  const cut = line.indexOf("worker.js") + 4;
  pass("building…");
  pass(` done\n${line.slice(0, cut)}`);
  expect(written).toEqual(["building…", " done\n"]);
  pass(line.slice(cut));
  expect(written).toHaveLength(3);
  expect(JSON.parse(written[2]!)).toEqual({ stack: expect.stringMatching(PLACE) });
  pass(`{"event":"cut`);
  pass();
  expect(written.at(-1)).toBe(`{"event":"cut`);
});
