/** Limits of subtitle files. */
import { ccDataOf } from "../../../protocol/media/captions/cc-data.ts";
import { CaptionsError, type Cue } from "../../../src/media/captions/cue.ts";
import { readCaptions } from "../../../src/media/captions/read-captions.ts";
import { cutSegments, TEXT_SEGMENT_MS } from "../../../src/media/captions/segments.ts";
import { vttBlock } from "../../../src/media/captions/write.ts";
import { readTranscription } from "../../../src/ai/providers/read-transcription.ts";
import { type CaptionVersion, expiredOf } from "../../../src/library/tracks/store/versions.ts";
import { annexB, h264Sei, triplet } from "../../support/cc-writer.ts";
import { TAKEN, type Trial, upTo } from "../../support/limits/trials.ts";

function outcome(work: () => unknown): string {
  try {
    work();
    return TAKEN;
  } catch (error) {
    if (error instanceof CaptionsError) return error.code;
    throw error;
  }
}

const read = (text: string) => outcome(() => readCaptions(new TextEncoder().encode(text), "en"));
const CUE = "00:00.000 --> 00:01.000\nx\n\n";

/** One cue in 1,024 segments, whose block has a 1,024th of the bytes. */
function segments(bytes: number): string {
  const count = 1024;
  const cue: Cue = { startMs: 0, endMs: count * TEXT_SEGMENT_MS, settings: "", text: "" };
  const cues = [{ ...cue, text: "x".repeat(Math.ceil(bytes / count) - vttBlock(cue).length) }];
  return outcome(() => cutSegments(cues));
}

/** Words of one picture, in as few `cc_data` as they need. */
function picture(words: number): string {
  const triplets = Array.from({ length: words }, () => triplet(0, [0x41, 0x42]));
  const messages = Array.from({ length: Math.ceil(words / 31) }, (_, n) =>
    h264Sei(triplets.slice(31 * n, 31 * (n + 1))),
  );
  const found = ccDataOf("h264", annexB(...messages), null).length / 3;
  return found === words ? TAKEN : `first ${found}`;
}

/** A paragraph whose text changes often, and others that make the sum of what is looked at exact. */
function changes(work: number): string {
  const [node, longest] = [16, 16_000];
  /** Each of `count` times shows one span more; all of them and the paragraph are looked at, and the text of those that are shown. */
  const cost = (count: number) => count * (node + count * node) + ((node + 1) * count * (count + 1)) / 2;
  let count = 1;
  while (cost(count + 1) + 3 * node <= work) count += 1;
  const spans = Array.from({ length: count }, (_, n) => `<span begin="${n}ms">a</span>`).join("");
  let rest = work - cost(count);
  const texts: string[] = [];
  while (rest > 0) {
    const length = Math.min(longest, rest - 2 * node);
    texts.push("x".repeat(length));
    rest -= length + 2 * node;
  }
  const paragraphs = texts.map((text) => `<p end="1s">${text}</p>`).join("");
  return read(`<tt><body><p end="1000s">${spans}</p>${paragraphs}</body></tt>`);
}

/** Versions of a text, the newest first. */
const versions = (count: number, bytes: number): CaptionVersion[] =>
  Array.from({ length: count }, (_, n) => ({
    trackId: "",
    version: count - n,
    folder: "",
    cueCount: 1,
    bytes,
    restoredFrom: null,
    createdAt: new Date(0),
  }));
const kept = (rows: CaptionVersion[]) => (expiredOf(rows).length === 0 ? TAKEN : "deleted");

const heard = (text: string, words: number) => {
  const list = Array.from({ length: words }, () => ({ word: "a", start: 0, end: 1 }));
  return readTranscription({ text, ...(words === 0 ? {} : { words: list }) }, 60_000) === null
    ? "ai_answer_unusable"
    : TAKEN;
};

export const CAPTIONS_TRIALS = {
  "subtitle-versions": upTo((count) => kept(versions(count, 1))),
  "subtitle-version-bytes": upTo((bytes) => kept(versions(2, bytes / 2))),
  "heard-words": upTo((count) => heard("", count)),
  "heard-text": upTo((length) => heard("x".repeat(length), 0)),
  "captions-file": upTo((bytes) => read(`WEBVTT\n\n${CUE}NOTE `.padEnd(bytes, "x"))),
  "captions-cues": upTo((count) => read(`WEBVTT\n\n${CUE.repeat(count)}`)),
  "captions-cue": upTo((length) => read(`WEBVTT\n\n00:00.000 --> 00:01.000\n${"x".repeat(length)}\n`)),
  "captions-lines": upTo((count) => read(`WEBVTT\n\n${CUE}`.padEnd(`WEBVTT\n\n${CUE}`.length + count - 6, "\n"))),
  "captions-tags": upTo((count) => read(`<tt><p begin="1s" end="2s">x</p>${"<a/>".repeat(count - 2)}</tt>`)),
  "captions-paragraph": upTo((count) => read(`<tt><body><p end="2s">x${"<a/>".repeat(count - 1)}</p></body></tt>`)),
  "captions-changes": upTo(changes),
  "captions-segments": upTo(segments),
  "picture-captions": upTo(picture),
} satisfies Record<string, Trial>;
