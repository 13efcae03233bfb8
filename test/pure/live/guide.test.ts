import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { GatewayEnvironment } from "../../../encoder/gateway/environment.ts";
import { HANG_UP_REASONS } from "../../../encoder/gateway/reception/hang-up-reasons.ts";
import { REJECT } from "../../../encoder/gateway/srt/handshake.ts";
import { CreateStream, InputMediaSettings } from "../../../src/live/streams/schemas.ts";

const guide = readFileSync("docs/guides/live.md", "utf8");
const section = (title: string) => guide.split(`\n## ${title}\n`)[1]!.split("\n## ")[0]!;
/** The cells of every row of a section's tables. */
const rows = (text: string) =>
  [...text.matchAll(/^\|(.+)\|$/gm)].map(([, row]) => row!.split("|").map((c) => c.trim()));

describe("docs/guides/live.md", () => {
  test("explains every setting that a stream is created with, and its default", () => {
    const { drmConfigurationId: _, ...settings } = InputMediaSettings.shape;
    const parsed = CreateStream.parse({});
    const known = parsed.inputMediaSettings as Record<string, string | number | boolean | undefined>;
    const documented = rows(section("Create a stream"))
      .filter(([name, value]) => /^`[a-zA-Z]+`$/.test(name!) && !value!.includes("://"))
      .map(([name, , preset]): [string, string] => [name!.replaceAll("`", ""), preset!.replaceAll("`", "")]);
    const presets = Object.keys(settings).map((name): [string, string] => [name, String(known[name] ?? "")]);
    expect(new Map(documented)).toEqual(new Map(presets));
  });

  test("has every rejection of an SRT caller, and no other", () => {
    const documented = rows(section("What goes wrong")).flatMap(([, , , code]) =>
      /^\d+$/.test(code ?? "") ? [+code!] : [],
    );
    expect(documented).toHaveLength(Object.keys(REJECT).length);
    expect(new Set(documented)).toEqual(new Set(Object.values(REJECT)));
  });

  test("explains every reason for which a broadcaster is disconnected, and no other", () => {
    const [, , reasons = ""] = section("What goes wrong").split("| Reason ");
    const explained = rows(reasons.split("\n\n")[0]!).flatMap(([cell]) =>
      [...cell!.matchAll(/`(\w+)`/g)].map(([, reason]) => reason!),
    );
    expect(explained.toSorted()).toEqual(HANG_UP_REASONS.filter((reason) => reason !== "broadcaster_left").toSorted());
    expect(section("Broadcast")).toContain("`broadcaster_left`"); // the answer to a push that was complete
  });
});

test("docs/architecture/ingest.md lists the variables that a gateway reads, and no others", () => {
  const page = readFileSync("docs/architecture/ingest.md", "utf8");
  const table = rows(page.slice(page.indexOf("| Variable")).split("\n\n")[0]!);
  const listed = table.flatMap(([cell]) => [...cell!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!));
  const explained = new Set(
    table.flatMap((cells) => [...cells.join().matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name)),
  );
  const ofProcesses = ["GATEWAY_CREDENTIAL_FILE", "MEDIA_UID", "MEDIA_GID"]; // secret-environment.ts, media-process.ts
  const known = [...Object.keys(GatewayEnvironment.shape), ...ofProcesses];
  expect(known.filter((name) => !explained.has(name))).toEqual([]);
  expect(listed.filter((name) => !known.includes(name))).toEqual([]);
});
