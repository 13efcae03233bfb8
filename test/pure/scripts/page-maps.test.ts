/** Source maps of the pages' scripts and styles. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { type SourceMapPayload, SourceMap } from "node:module";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** Where a text of a bundle is in the source. Both have it once. */
async function placeOf(text: string, name: string): Promise<{ path: string; line: string | undefined }> {
  const bundle = await readFile(`dist/assets/player/${name}`, "utf8");
  const [, link] = /^(?:\/\/|\/\*)# sourceMappingURL=(\S+)(?: \*\/)?$/m.exec(bundle) ?? [];
  expect(link).toBe(`${name}.map`);
  const map = JSON.parse(await readFile(`dist/assets/player/${name}.map`, "utf8")) as SourceMapPayload;
  const before = bundle.slice(0, bundle.indexOf(text)).split("\n");
  const entry = new SourceMap(map).findEntry(before.length - 1, before.at(-1)!.length);
  if (!("originalSource" in entry)) throw new Error(`${name}.map has no place of ${text}`);
  const content = map.sourcesContent[map.sources.indexOf(entry.originalSource)]!;
  return { path: resolve("dist/assets/player", entry.originalSource), line: content.split("\n")[entry.originalLine] };
}

test("each script and style has a source map beside it that contains the sources", async () => {
  await promisify(execFile)(process.execPath, ["scripts/build.ts"]);
  for (const [text, name, source] of [
    ['"#player"', "player.js", "player/player.ts"],
    ['"#reference"', "reference.js", "player/reference.ts"],
    [".notice .code", "player.css", "player/page.css"],
  ] as const)
    expect(await placeOf(text, name)).toEqual({
      path: resolve(source),
      line: expect.stringContaining(text) as unknown,
    });
});
