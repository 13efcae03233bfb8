import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { expect, test } from "vitest";
import type { PartCaptions } from "../../../protocol/live.ts";
import { joinCues } from "../../../src/media/live/captions.ts";
import { captionedBroadcast } from "../../support/captioned.ts";
import { captionedFilm } from "../../support/captioned-film.ts";
import { PAGES } from "../../support/caption-script.ts";
import { captionTables, channelWords, dtvcc, packetTriplets, triplet } from "../../support/cc-writer.ts";
import { broadcast, broadcastOf, H264, type Made, partsOf } from "../../support/live.ts";
import { checkParts } from "../../support/live-checks.ts";

Log.setLevel(AV_LOG_QUIET);

const [CC1, CC3] = [channelWords(1), channelWords(3)];
const on = (field: 0 | 1, words: [number, number][]) => words.map((word) => triplet(field, word));
/** A run does not end between two parts. */
const PICTURES = 158;
const frameMs = (frame: number) => Math.round((frame * 1000) / 30);

/** Shown from picture 10, from 75 and from 130 on, in addition to others in two channels. The last one is on the screen at the end. */
const CAPTIONS = new Map([
  [10, on(0, CC1.popOn("FIRST"))],
  [45, on(0, CC1.erase())],
  [50, on(1, CC3.popOn("TERCERO"))],
  [60, packetTriplets([...dtvcc.window(0, { isVisible: true }), ...dtvcc.text("SERVICE")])],
  [75, [...on(0, CC1.popOn("SECOND", "ROW")), ...on(1, CC3.erase())]],
  [130, on(0, CC1.popOn("THIRD"))],
]);
const EXPECTED = {
  cc1: [
    [frameMs(10), frameMs(45), "FIRST"],
    [frameMs(75), frameMs(130), "SECOND\nROW"],
    [frameMs(130), frameMs(PICTURES), "THIRD"],
  ],
  cc3: [[frameMs(50), frameMs(75), "TERCERO"]],
  service1: [[frameMs(60), frameMs(PICTURES), "SERVICE"]],
};

/** The cues of each channel, joined over the parts of a rendition. */
function cuesIn(made: Made, rendition: string): Record<string, unknown[]> {
  const joined: Record<string, PartCaptions[number]["cues"]> = {};
  for (const { facts } of partsOf(made, rendition))
    for (const { channel, cues } of facts.captions ?? []) joined[channel] = joinCues(joined[channel] ?? [], cues);
  const rowOf = ({ startMs, endMs, text }: PartCaptions[number]["cues"][number]) => [startMs, endMs, text];
  return Object.fromEntries(Object.entries(joined).map(([channel, cues]) => [channel, cues.map(rowOf)]));
}

test.each<["flv" | "mpegts", number, string]>([
  ["mpegts", 0, "in the order of display"],
  ["mpegts", 2, "with pictures that are sent in another order than they are shown"],
  ["flv", 2, "with pictures that are sent in another order than they are shown"],
])("%s, %i B-frames: every rung brings the captions with the pictures that carry them, %s", async (format, bFrames) => {
  const made = await broadcast(await captionedBroadcast(format, PICTURES, CAPTIONS, bFrames));
  checkParts(made);
  expect(made.parts.some(({ bytes }) => bytes.includes("GA94"))).toBe(false); // encoded pictures carry none
  for (const { name } of made.started[0]!.renditions) expect([name, cuesIn(made, name)]).toEqual([name, EXPECTED]);
  for (const { facts } of made.parts)
    for (const { cues } of facts.captions ?? [])
      for (const { startMs, endMs } of cues) {
        const partMs = [facts.decodeTicks, facts.decodeTicks + facts.durationTicks].map((ticks) =>
          Math.round(ticks / 120),
        );
        expect([startMs >= partMs[0]!, endMs <= partMs[1]!]).toEqual([true, true]);
      }
});

test("a copied top rung brings them too, also when no picture had a place for captions before, and a session's clock counts on", async () => {
  const start = { msn: 7, isDiscontinuous: true, initVersion: 3, seconds: 100, ticks: {} };
  const source = await captionedBroadcast("mpegts", 150, new Map([[100, on(0, CC1.popOn("COPIED"))]]));
  const made = await broadcast(source, { encodesTopRung: false, start });
  expect(made.started[0]!.renditions.length).toBeGreaterThan(1);
  for (const { name } of made.started[0]!.renditions)
    expect([name, cuesIn(made, name)]).toEqual([name, { cc1: [[100_000 + frameMs(100), 105_000, "COPIED"]] }]);
});

test("a channel has the language that the transport stream announces", async () => {
  const source = await captionedBroadcast("mpegts", 40, new Map([[10, on(0, CC1.popOn("FIRST"))]]));
  const { parts } = await broadcast(Buffer.concat([captionTables([["CC1", "spa"]]), source]));
  const languages = parts.flatMap(({ facts }) => (facts.captions ?? []).map(({ language }) => language));
  expect([...new Set(languages)]).toEqual(["spa"]);
});

test("pages of teletext are channels of their own, with the pictures of their time, languages, and for whom they are", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-teletext-"));
  try {
    const path = join(folder, "broadcast.ts");
    await captionedFilm(path, 5, { teletext: PAGES });
    const made = await broadcast(await readFile(path));
    checkParts(made);
    const frame = 1001 / 30;
    const near = (ms: number) => expect.toSatisfy((at: number) => Math.abs(at - ms) <= frame + 1, `near ${ms} ms`);
    const expected = {
      teletext888: [[near(1000), near(4000), "Wir sahen eine Blume\nim Garten, grün"]],
      teletext889: [[near(1500), near(4500), "(Musik)\nWir sahen eine Blume"]],
    };
    for (const { name } of made.started[0]!.renditions.filter(({ kind }) => kind === "video"))
      expect([name, cuesIn(made, name)]).toEqual([name, expected]);
    const labels = made.parts
      .flatMap(({ facts }) => facts.captions ?? [])
      .map(({ channel, language, isSubtitle }) => JSON.stringify({ channel, language, isSubtitle }));
    expect([...new Set(labels)].map((text) => JSON.parse(text) as unknown)).toEqual([
      { channel: "teletext888", language: "ger", isSubtitle: true },
      { channel: "teletext889", language: "ger" },
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a broadcast without captions brings none, and an idle place for captions is none", async () => {
  const idle = new Map(Array.from({ length: 60 }, (_, n) => [n, [triplet(0, [0, 0]), triplet(1, [0, 0])]]));
  const sources = [captionedBroadcast("mpegts", 60, idle), broadcastOf(`$STRIP -t 2 ${H264} -an -f flv`)];
  for (const source of sources) {
    const { parts } = await broadcast(await source);
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.filter(({ facts }) => "captions" in facts)).toEqual([]);
  }
});
