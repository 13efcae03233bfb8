import * as fc from "fast-check";
import { readDirectives } from "../../../src/media/live/reload.ts";
import { canonicalSelection, readSelection, selectRungs } from "../../../src/media/manifest/selection.ts";
import { Problem } from "../../../src/platform/http/problems.ts";
import { readClipRequest } from "../../../src/live/clips/clips-request.ts";
import type { FuzzTarget } from "../target.ts";

const names = fc.constantFrom(
  ..."minResolution min_resolution maxResolution max_resolution resolution renditionOrder rendition_order _HLS_msn _HLS_part _HLS_skip start end clipAccess".split(
    " ",
  ),
);
const values = fc.oneof(
  fc.constantFrom("720p", "2160p", "240p", "asc", "desc", "YES", "v2", "10s", "0s", "999999.999s", "public", "private"),
  fc.constantFrom(
    "",
    "-1",
    "1e3",
    "0x10",
    "NaN",
    "Infinity",
    "٣",
    "10 s",
    "9".repeat(15),
    "9".repeat(16),
    "1".repeat(5000),
  ),
  fc.nat().map(String),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const RUNGS = [
  { widthPx: 1920, heightPx: 1080 },
  { widthPx: 1280, heightPx: 534 },
  { widthPx: 270, heightPx: 480 },
  { widthPx: null, heightPx: null },
];

/** Runs a reader; null when it refuses and names the invalid fields. */
function orRefusal<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem && error.code === "validation_failed" && error.fields.length > 0) return null;
    throw error;
  }
}

/** A playlist's query is refused with the parameter's name, or read within its bounds. Written and read again, it has the same result. */
export default {
  name: "playlist-queries",
  arbitrary: fc.array(fc.tuple(fc.oneof({ weight: 9, arbitrary: names }, fc.string()), values), { maxLength: 12 }),
  run(pairs) {
    const query = new URLSearchParams(pairs);
    const selection = orRefusal(() => readSelection(query));
    if (selection !== null) {
      const again = canonicalSelection(selection);
      const reread = readSelection(new URLSearchParams(again.replace(/^\?/, "")));
      if (JSON.stringify(reread) !== JSON.stringify(selection)) throw new Error(`a selection changed: ${again}`);
      const kept = selectRungs(RUNGS, selection);
      if (kept.length === 0 || new Set(kept).size !== kept.length) throw new Error("no rung, or one twice");
    }
    const directives = readDirectives(query);
    if (!("problem" in directives) && directives.waitFor !== null) {
      const { msn, part } = directives.waitFor;
      if (!Number.isSafeInteger(msn) || msn < 0) throw new Error(`a sequence number: ${msn}`);
      if (part !== null && (!Number.isSafeInteger(part) || part < 0)) throw new Error(`a part number: ${part}`);
    }
    const clip = orRefusal(() => readClipRequest(query));
    if (clip === null) return;
    const { startSeconds, endSeconds } = clip;
    if (!(startSeconds >= 0 && endSeconds > startSeconds && endSeconds < 1e6)) throw new Error("a clip out of bounds");
  },
} satisfies FuzzTarget<[string, string][]>;
