import * as fc from "fast-check";
import { CaptionsError } from "../../../src/media/captions/cue.ts";
import { readCaptions } from "../../../src/media/captions/read-captions.ts";
import { cutSegments } from "../../../src/media/captions/segments.ts";
import { writeSrt, writeTxt, writeVtt } from "../../../src/media/captions/write.ts";
import type { FuzzTarget } from "../target.ts";

const starts = fc.constantFrom(
  "WEBVTT\n\n",
  "\uFEFFWEBVTT\nX-TIMESTAMP-MAP=MPEGTS:90000,LOCAL:00:00:00.000\n\n",
  "1\n",
  "Scenarist_SCC V1.0\n\n",
  '<tt xmlns="http://www.w3.org/ns/ttml"><body><div>',
  "",
);
const parts = fc.oneof(
  fc.constantFrom(
    "00:00:01,000 --> 00:00:02,000\n",
    "-00:00:01.000 --> 00:00:00.500 line:0 align:start\n",
    "00:00:01.000 --> 99:59:59.999\n",
    "00:00:02.000 --> 00:00:01.000\n",
    "<i>",
    "</i>",
    "<b",
    "<v ",
    "<font color=red>",
    "&amp;",
    "&#0;",
    "&#x110000;",
    "{\\an8}",
    "-->",
    "\0",
    "\uFEFF",
    "\u202e\u2066\u200f",
    "\n\n",
    "\r",
    "NOTE\n",
    "STYLE\n::cue{}\n",
    '<p begin="1s" end="2s">',
    "</p>",
    "<span style='x'>",
    "<br/>",
    '<p begin="9999999h" dur="1t">',
    "<!DOCTYPE tt [<!ENTITY a 'b'>]>",
    "&a;",
    "00:00:01:00\t9420 9420 94ae 9470 c8e5 ecec ef80 942f\n",
    "00:00:02;00\t942c 1325 13a5 97a1\n",
    "99:99:99:99\tffff\n",
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const run = fc.tuple(
  parts,
  fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.integer({ min: 1, max: 3000 })),
);

/** A caption file of any content is refused with a reason, or has cues that can be written, cut and read again. */
export default {
  name: "captions",
  arbitrary: fc.record({
    start: starts,
    runs: fc.array(run, { maxLength: 30 }),
    language: fc.constantFrom("en", "ru", "ja-JP", "he", "zh-TW"),
    isWide: fc.boolean(),
  }),
  run({ start, runs, language, isWide }) {
    const text = start + runs.map(([part, times]) => part.repeat(times)).join("");
    const bytes = isWide ? new Uint8Array(Buffer.from(`\uFEFF${text}`, "utf16le")) : new TextEncoder().encode(text);
    try {
      const { cues } = readCaptions(bytes, language);
      for (const { startMs, endMs, text: payload } of cues) {
        if (!(startMs >= 0 && endMs > startMs)) throw new Error(`a cue from ${startMs} to ${endMs}`);
        if (/<(?!\/|[biucvlr\d])|\n\n|\0/.test(payload)) throw new Error(`markup of a cue: ${payload}`);
      }
      const again = readCaptions(new TextEncoder().encode(writeVtt(cues)), language);
      if (again.cues.length !== cues.length) throw new Error("WebVTT that was written has other cues");
      writeSrt(cues);
      writeTxt(cues);
      cutSegments(cues);
    } catch (error) {
      if (!(error instanceof CaptionsError)) throw error;
    }
  },
} satisfies FuzzTarget<{ start: string; runs: [string, number][]; language: string; isWide: boolean }>;
