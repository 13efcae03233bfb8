import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { REJECT } from "../../../encoder/gateway/srt/handshake.ts";
import { END_REASONS } from "../../../protocol/live.ts";
import { CreateStream } from "../../../src/live/streams/schemas.ts";

const guide = readFileSync("docs/guides/live.md", "utf8");
const section = (title: string) => guide.split(`\n## ${title}\n`)[1]!.split("\n## ")[0]!;
/** Of every row of a section's tables, its cells. */
const rows = (text: string) =>
  [...text.matchAll(/^\|(.+)\|$/gm)].map(([, row]) => row!.split("|").map((c) => c.trim()));

describe("docs/guides/live.md", () => {
  test("explains every setting that a stream is created with, and its default", () => {
    const { drmConfigurationId: _, ...settings } = CreateStream.shape.inputMediaSettings.shape;
    const parsed = CreateStream.parse({ playbackSettings: {}, inputMediaSettings: {} });
    const known = parsed.inputMediaSettings as Record<string, string | number | boolean | undefined>;
    const told = rows(section("Create a stream"))
      .filter(([name, value]) => /^`[a-zA-Z]+`$/.test(name!) && !value!.includes("://"))
      .map(([name, , preset]): [string, string] => [name!.replaceAll("`", ""), preset!.replaceAll("`", "")]);
    const presets = Object.keys(settings).map((name): [string, string] => [name, String(known[name] ?? "")]);
    expect(new Map(told)).toEqual(new Map(presets));
  });

  test("has every rejection of an SRT caller, but those that libsrt sends by itself", () => {
    const told = rows(section("What goes wrong")).flatMap(([, , , code]) => (/^\d+$/.test(code ?? "") ? [+code!] : []));
    const { resource: _, rogue: _also, ...sent } = REJECT;
    expect(new Set(told)).toEqual(new Set(Object.values(sent)));
  });

  test("has the words in which an RTMP client is refused", () => {
    const source = readFileSync("encoder/gateway/rtmp/connection.ts", "utf8");
    const [, words = ""] = /const WORDS[^{]*\{(.*?)\n\};/s.exec(source.replace(/Record<.*?>\s*=/s, "= ")) ?? [];
    const sentences = [...words.matchAll(/"([^"]+)"/g)].map(([, sentence]) => sentence!);
    expect(sentences.length).toBeGreaterThan(4);
    for (const sentence of sentences) expect(guide).toContain(sentence);
  });

  test("has every reason for which the Worker ends a broadcast", () => {
    for (const reason of END_REASONS) expect(section("What goes wrong")).toContain(`\`${reason}\``);
  });
});

test("docs/architecture/ingest.md has every variable of a gateway", () => {
  const [, schema = ""] = /const environment = z(.*?)\.safeParse/s.exec(
    readFileSync("encoder/gateway/gateway.ts", "utf8"),
  )!;
  const names = [...schema.matchAll(/^ +([A-Z_]+):/gm)].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(8);
  const page = readFileSync("docs/architecture/ingest.md", "utf8");
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
