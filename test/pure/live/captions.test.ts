import { expect, test } from "vitest";
import { CaptionScreens } from "../../../encoder/live/caption-screens.ts";
import { RunCaptions } from "../../../encoder/live/run-captions.ts";
import { MAX_CAPTIONS_BYTES, PartCaptions } from "../../../protocol/live.ts";
import {
  cutAtParts,
  cuesBetween,
  isOpen,
  joinCues,
  liveText,
  partEdges,
  partTimes,
  withoutRepeats,
} from "../../../src/media/live/captions.ts";
import { channelWords, PADDING, textWords, triplet } from "../../support/cc-writer.ts";
import { session } from "../media/live/session.ts";

const RATE = { num: 30, den: 1 };
const msOf = (frame: number) => Math.round(10_000 + (frame * 1000) / 30);
const screen = (text: string, channel = "cc1") => [{ channel, text, settings: "" }];
const cue = (startMs: number, endMs: number, text = "HELLO") => ({ startMs, endMs, settings: "", text });

test("a caption is in each part that it overlaps, cut at the part's ends, and no part shows it before its picture", () => {
  const captions = new RunCaptions();
  for (let frame = 0; frame < 45; frame += 1)
    captions.show(frame, screen(frame < 5 || frame >= 32 ? "" : "HELLO"), RATE);
  const parts = [0, 15, 30].map((from) => captions.between(from, from + 15, msOf));
  expect(parts).toEqual([
    [{ channel: "cc1", cues: [cue(10_167, 10_500)] }],
    [{ channel: "cc1", cues: [cue(10_500, 11_000)] }],
    [{ channel: "cc1", cues: [cue(11_000, 11_067)] }],
  ]);
  expect(captions.between(32, 45, msOf)).toEqual([]);
  const all = parts.flatMap(([channel]) => channel!.cues);
  expect(all.reduce<typeof all>((cues, one) => joinCues(cues, [one]), [])).toEqual([cue(10_167, 11_067)]);
});

test("a channel without text has no captions, and a text that ends after the newest picture goes on", () => {
  const captions = new RunCaptions();
  captions.show(0, [...screen("", "cc1"), ...screen("ONE", "cc2")], RATE);
  expect(captions.between(0, 15, msOf)).toEqual([{ channel: "cc2", cues: [cue(10_000, 10_500, "ONE")] }]);
  expect(captions.between(3000, 3015, msOf)).toEqual([{ channel: "cc2", cues: [cue(110_000, 110_500, "ONE")] }]);
});

test("hostile captions are bounded: every part stays within what the Worker accepts, and what is too much is not shown", () => {
  const captions = new RunCaptions();
  const channels = ["cc1", "cc2", "cc3", "cc4", ...[1, 2, 3, 4, 5, 6].map((n) => `service${n}`)];
  let most = 0;
  let characters = 0;
  for (let frame = 0; frame < 3000; frame += 1) {
    const text = frame % 2 === 0 ? "" : `${frame}`.padEnd(1900, "\u4e00");
    captions.show(
      frame,
      channels.map((channel) => ({ channel, text, settings: "line:0" })),
      RATE,
    );
    if (frame % 15 !== 14) continue;
    const part = captions.between(frame - 14, frame + 1, msOf);
    expect(PartCaptions.safeParse(part).success).toBe(true);
    most = Math.max(most, Buffer.byteLength(JSON.stringify(part)));
    characters += part.flatMap(({ cues }) => cues).reduce((sum, one) => sum + one.text.length, 0);
  }
  expect(most).toBeLessThanOrEqual(MAX_CAPTIONS_BYTES);
  expect(characters).toBeGreaterThan(0);
  expect(characters / 100 / channels.length).toBeLessThan(8000); // per second and channel
  captions.show(3001, screen("A".repeat(2001)), RATE);
  expect(captions.between(3001, 3002, msOf)).not.toContainEqual(expect.objectContaining({ channel: "cc1" }));
});

test("text that is typed on the screen changes at most five times a second, and ends complete", () => {
  const captions = new RunCaptions();
  const words = "TYPED ON THE SCREEN";
  for (let frame = 0; frame < 60; frame += 1) captions.show(frame, screen(words.slice(0, frame + 1)), RATE);
  const cues = captions.between(0, 60, msOf)[0]!.cues;
  expect(cues.at(-1)!.text).toBe(words);
  expect(Math.min(...cues.map(({ startMs, endMs }) => endMs - startMs))).toBeGreaterThanOrEqual(199);
});

test("captions whose words stop are erased after 16 s", () => {
  const screens = new CaptionScreens();
  const words = channelWords(1).popOn("HELLO");
  screens.push(Uint8Array.from(words.flatMap((word) => triplet(0, word))), 100);
  const shown = () => screens.shown.find(({ channel }) => channel === "cc1")?.text;
  expect(shown()).toBe("HELLO");
  screens.push(Uint8Array.from(triplet(0, PADDING)), 115);
  screens.passUntil(115.9);
  expect(shown()).toBe("HELLO");
  screens.passUntil(116);
  expect(shown()).toBe("");
});

test("channels have the languages that the source announces; CC1 has that of service 1, which is the same captions", () => {
  const screens = new CaptionScreens(new Map(Object.entries({ SERVICE1: "eng", CC3: "spa" })));
  const words = channelWords(1).popOn("HELLO");
  screens.push(Uint8Array.from(words.flatMap((word) => triplet(0, word))), 1);
  const languages = screens.shown.flatMap(({ channel, language }) =>
    language === undefined ? [] : [[channel, language]],
  );
  expect(Object.fromEntries(languages)).toEqual({ cc1: "eng", cc3: "spa", service1: "eng" });
  const captions = new RunCaptions();
  captions.show(0, screens.shown, RATE);
  const cues = [{ ...cue(0, 1), settings: "position:10% align:start" }];
  expect(captions.between(0, 1, (frame) => frame)).toEqual([{ channel: "cc1", language: "eng", cues }]);
});

test("idle words show nothing and list no channel", () => {
  const screens = new CaptionScreens();
  screens.push(Uint8Array.from([...triplet(0, PADDING), ...triplet(1, PADDING), ...triplet(2, [0, 0])]), 1);
  expect(screens.shown).toEqual([]);
  screens.push(Uint8Array.from(triplet(0, textWords("AB")[0]!)), 2); // characters before a control word
  expect(screens.shown.every(({ text }) => text === "")).toBe(true);
});

test("cues of parts are joined where the same text goes on, and only there", () => {
  expect(joinCues([cue(0, 500)], [cue(500, 1000), cue(1000, 1500, "OTHER")])).toEqual([
    cue(0, 1000),
    cue(1000, 1500, "OTHER"),
  ]);
  expect(joinCues([cue(0, 500)], [cue(600, 1000)])).toHaveLength(2);
  expect(joinCues([cue(0, 500)], [{ ...cue(500, 1000), settings: "line:0" }])).toHaveLength(2);
});

test("the primary service of CEA-708 is left out if there is CC1, which has the same text", () => {
  const of = (...names: string[]) =>
    withoutRepeats(names.map((name) => ({ name, languageCode: "und" }))).map(({ name }) => name);
  expect(of("cc1", "cc3", "service1", "service2")).toEqual(["cc1", "cc3", "service2"]);
  expect(of("cc2", "service1")).toEqual(["cc2", "service1"]);
});

test("a whole segment has the very cues of its parts, also where their times round otherwise than the broadcaster's", () => {
  const { segments } = session(2);
  const edges = partEdges({ ...segments[1]!, decodeTicks: 60_016 }, 30_000, 1000);
  expect(edges).toEqual([2001, 2501, 3001, 3501, 4001]);
  const cues = [cue(1900, 2000, "BEFORE"), cue(2000, 2700), cue(3001, 4400, "LATER")];
  const ofParts = edges.slice(1).flatMap((end, part) => cuesBetween(cues, edges[part]!, end));
  expect(cutAtParts(cues, edges)).toEqual(ofParts);
  expect(ofParts).toEqual([cue(2001, 2501), cue(2501, 2700), cue(3001, 3501, "LATER"), cue(3501, 4001, "LATER")]);
});

test("a part's text is cut at the part's ends; media times and cue times are the same clock", () => {
  const live = session(2, 2); // segments of 2 s in parts of 500 ms; the third has two parts
  const times = partTimes(live, 1, 3, 1000)!;
  expect(times).toEqual({ start: 3500, end: 4000 });
  expect(partTimes(live, 2, 2, 1000)).toBeNull();
  expect([isOpen(live, 1), isOpen(live, 2), isOpen(live, 3)]).toEqual([false, true, true]);
  expect(liveText(cuesBetween([cue(3400, 3700), cue(3700, 9000, "LATER"), cue(0, 3500, "BEFORE")], 3500, 4000))).toBe(
    `WEBVTT
X-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000

00:00:03.500 --> 00:00:03.700
HELLO

00:00:03.700 --> 00:00:04.000
LATER

`,
  );
});
