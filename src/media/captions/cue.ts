export type { Cue } from "../../../protocol/media/captions/cue.ts";
import type { Cue } from "../../../protocol/media/captions/cue.ts";

export type CaptionFormat = "srt" | "webvtt" | "ttml" | "scc";

/** Why a file yields no captions. */
export const CAPTION_ERRORS = {
  captions_unknown_format: "The file is none of SRT, WebVTT, TTML and SCC.",
  captions_malformed: "The file cannot be parsed.",
  captions_empty: "The file has no captions.",
  captions_too_large:
    "The file is larger than 10 MiB, or has more than 100,000 captions, 2,000,000 lines or 400,000 elements, or too many elements or timed spans in a paragraph.",
  captions_too_long: "A caption has more than 16,384 characters.",
  captions_too_dense: "Too many captions are shown at the same time.",
} as const;
export type CaptionErrorCode = keyof typeof CAPTION_ERRORS;

export class CaptionsError extends Error {
  override readonly name = "CaptionsError";
  readonly code: CaptionErrorCode;
  constructor(code: CaptionErrorCode, options?: ErrorOptions) {
    super(CAPTION_ERRORS[code], options);
    this.code = code;
  }
}

export const MAX_CAPTION_BYTES = 10 * 1024 * 1024;
export const MAX_CUES = 100_000;
/** UTF-16 code units. */
const MAX_CUE_LENGTH = 16_384;
/** The same of a caption with its markup, before the markup is cleaned. */
const MAX_PAYLOAD_LENGTH = 4 * MAX_CUE_LENGTH;

/** @throws {CaptionsError} captions_too_long, before any work on it */
export function requireShort(payload: string): string {
  if (payload.length > MAX_PAYLOAD_LENGTH) throw new CaptionsError("captions_too_long");
  return payload;
}

/** The lines of a caption with their markup. */
export class Payload {
  readonly #lines: string[] = [];
  #length = -1;

  /** @throws {CaptionsError} captions_too_long, before any work on it */
  add(line: string): void {
    this.#length += line.length + 1;
    if (this.#length > MAX_PAYLOAD_LENGTH) throw new CaptionsError("captions_too_long");
    this.#lines.push(line);
  }

  /** Removes empty lines at the end and, before them, one line that matches. */
  trimEnd(last: RegExp): void {
    const end = this.#lines.findLastIndex((line) => line.trim() !== "");
    const kept = end >= 0 && last.test(this.#lines[end]!) ? end : end + 1;
    this.#lines.length = kept;
  }

  text(): string {
    return this.#lines.join("\n");
  }
}

/** A media lasts 12 h at most; timecodes of a day of television are beyond any media, and are kept out of playlists. */
export const LATEST_MS = 100 * 3600_000;

/** A caption that no player can show. */
export interface SkippedCue {
  /** As the file has it; null = its times cannot be read. */
  startMs: number | null;
  why: string;
}

/** The others are counted. */
const MOST_NAMED = 5;

/** Collects cues with their bounds. What no player can show (no duration, before the start, no text) is skipped and counted, and the first ones are named. */
export class CueList {
  readonly cues: Cue[] = [];
  skipped = 0;
  readonly firstSkipped: SkippedCue[] = [];

  skip(startMs: number | null, why: string): void {
    this.skipped += 1;
    if (this.firstSkipped.length < MOST_NAMED) this.firstSkipped.push({ startMs, why });
  }

  /** @throws {CaptionsError} captions_too_large, captions_too_long */
  add({ startMs, endMs, settings, text }: Cue): void {
    const [start, end] = [Math.max(0, Math.round(startMs)), Math.round(endMs)];
    if (text === "") return this.skip(startMs, "it has no text");
    if (end <= 0) return this.skip(startMs, "it ends before the start of the media");
    if (!(end > start)) return this.skip(startMs, "it does not end after its start");
    if (start >= LATEST_MS) return this.skip(startMs, "it starts after 100 hours");
    if (text.length > MAX_CUE_LENGTH) throw new CaptionsError("captions_too_long");
    if (this.cues.length >= MAX_CUES) throw new CaptionsError("captions_too_large");
    this.cues.push({ startMs: start, endMs: Math.min(end, LATEST_MS), settings, text });
  }

  /** By start, and cues of the same start in the order of the file. */
  sorted(): Cue[] {
    return this.cues.toSorted((a, b) => a.startMs - b.startMs || a.endMs - b.endMs);
  }
}
