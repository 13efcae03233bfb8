/** Limits of subtitle files. */
import { CaptionsError, type Cue } from "../../../src/media/captions/cue.ts";
import { readCaptions } from "../../../src/media/captions/read-captions.ts";
import { cutSegments, TEXT_SEGMENT_MS } from "../../../src/media/captions/segments.ts";
import { vttBlock } from "../../../src/media/captions/write.ts";
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

export const CAPTIONS_TRIALS = {
  "captions-file": upTo((bytes) => read(`WEBVTT\n\n${CUE}NOTE `.padEnd(bytes, "x"))),
  "captions-cues": upTo((count) => read(`WEBVTT\n\n${CUE.repeat(count)}`)),
  "captions-cue": upTo((length) => read(`WEBVTT\n\n00:00.000 --> 00:01.000\n${"x".repeat(length)}\n`)),
  "captions-lines": upTo((count) => read(`WEBVTT\n\n${CUE}`.padEnd(`WEBVTT\n\n${CUE}`.length + count - 6, "\n"))),
  "captions-tags": upTo((count) => read(`<tt><p begin="1s" end="2s">x</p>${"<a/>".repeat(count - 4)}</tt>`)),
  "captions-segments": upTo(segments),
} satisfies Record<string, Trial>;
