import { MAX_CLIP_SECONDS } from "../../../protocol/images.ts";
import { misspeltParameters } from "../../platform/http/hints/misspelt-parameters.ts";
import type { FieldProblem } from "../../platform/http/hints/field-problem.ts";
import { Problem } from "../../platform/http/problems.ts";
import { MAX_MEDIA_BYTES } from "./media-bound.ts";
import { type Fit, FIT_MODES, MAX_SIZE_PX, snap } from "./sizes.ts";

export interface StillParameters {
  /** Time of the presentation, to the millisecond; null = not given. */
  seconds: number | null;
  fit: Fit;
}

export interface ClipParameters {
  startSeconds: number;
  endSeconds: number;
  widthPx: number | null;
  heightPx: number | null;
  framesPerSecond: number;
}

/** As sizes are snapped, so that strangers cannot ask for every strength. */
const BLUR_STEP = 10;
const CLIP_DEFAULTS = { seconds: 5, widthPx: 320, framesPerSecond: 10 };
const MAX_CLIP_PX = 640;
const MAX_CLIP_RATE = 30;
/** Seconds with at most nine decimals, up to eleven days. */
const SECONDS = /^\d{1,6}(?:\.\d{1,20})?$/;

const ROTATIONS = { "0": 0, "90": 90, "180": 180, "270": 270 } as const;
const FLIPS = { h: "h", v: "v", hv: "hv", vh: "hv", horizontal: "h", vertical: "v", both: "hv", none: "none" } as const;

/**
 * Parses the parameters of a thumbnail (media contract, playback): `time`, `width`, `height`, `fit_mode`, `rotate`, `flip`, and `blur` in percent. Ignores others, unless they
 * are these, misspelt.
 *
 * @throws {Problem} validation_failed with every invalid field
 */
export function readStill(query: URLSearchParams): StillParameters {
  const read = new Reader(query, ["time", "width", "height", "fit_mode", "fitMode", "rotate", "flip", "blur"]);
  const parameters: StillParameters = {
    seconds: read.seconds("time"),
    fit: {
      widthPx: read.size("width", MAX_SIZE_PX),
      heightPx: read.size("height", MAX_SIZE_PX),
      mode: read.oneOf("fit_mode", Object.fromEntries(FIT_MODES.map((mode) => [mode, mode])), "fitMode") ?? "preserve",
      rotate: read.oneOf("rotate", ROTATIONS) ?? 0,
      flip: read.oneOf("flip", FLIPS) ?? "none",
      blur: BLUR_STEP * Math.ceil((read.whole("blur", 0, 100) ?? 0) / BLUR_STEP),
    },
  };
  read.end();
  return parameters;
}

/**
 * Parses the parameters of `clip.gif` and `clip.webp`: `start`, `end`, `width`, `height`, `fps`.
 *
 * @throws {Problem} validation_failed with every invalid field
 */
export function readClip(query: URLSearchParams): ClipParameters {
  const read = new Reader(query, ["start", "end", "width", "height", "fps"]);
  const startSeconds = read.seconds("start") ?? 0;
  const endSeconds = read.seconds("end") ?? startSeconds + CLIP_DEFAULTS.seconds;
  if (endSeconds <= startSeconds) read.refuse("end", "must be after start");
  if (endSeconds - startSeconds > MAX_CLIP_SECONDS)
    read.refuse("end", `must be at most ${MAX_CLIP_SECONDS} s after start`);
  const widthPx = read.size("width", MAX_CLIP_PX);
  const heightPx = read.size("height", MAX_CLIP_PX);
  const framesPerSecond = read.whole("fps", 1, MAX_CLIP_RATE) ?? CLIP_DEFAULTS.framesPerSecond;
  read.end();
  const isSized = widthPx !== null || heightPx !== null;
  return { startSeconds, endSeconds, widthPx: isSized ? widthPx : CLIP_DEFAULTS.widthPx, heightPx, framesPerSecond };
}

/** `interval` of an advanced sprite sheet: 1 to 10 s, 10 when it is not said. @throws {Problem} validation_failed */
export function readInterval(query: URLSearchParams): number {
  const read = new Reader(query, ["interval"]);
  const seconds = read.whole("interval", 1, 10) ?? 10;
  read.end();
  return seconds;
}

/** @throws {Problem} validation_failed */
export function refuseTime(field: "time" | "start", endSeconds: number): never {
  const hint = `the media ends at ${endSeconds.toFixed(3)} s`;
  throw new Problem("validation_failed", "the query is not valid", {
    fields: [{ field, message: "is after the end", hint }],
  });
}

/** @param reachedSeconds of a broadcast on air @throws {Problem} validation_failed */
export function refuseTimeAhead(reachedSeconds: number): never {
  const hint = `the broadcast has come to ${reachedSeconds.toFixed(3)} s`;
  throw new Problem("validation_failed", "the query is not valid", {
    fields: [{ field: "time", message: "lies beyond what has been broadcast", hint }],
  });
}

/**
 * The media at a time, or between the times of an animation, has more bytes than are read for one picture.
 *
 * @throws {Problem} validation_failed
 */
export function refuseMediaSize(field: "time" | "end"): never {
  const hint = field === "end" ? "ask for a shorter animation" : "ask for another time";
  const message = `takes more than ${MAX_MEDIA_BYTES >> 20} MiB of media`;
  throw new Problem("validation_failed", "the query is not valid", { fields: [{ field, message, hint }] });
}

class Reader {
  readonly #query: URLSearchParams;
  readonly #fields: FieldProblem[];

  constructor(query: URLSearchParams, known: readonly string[]) {
    this.#fields = misspeltParameters(query, known);
    this.#query = query;
  }

  seconds(field: string): number | null {
    const value = this.#query.get(field);
    if (value === null) return null;
    if (SECONDS.test(value)) return Math.round(Number(value) * 1000) / 1000;
    this.refuse(field, "is invalid", "must be a number of seconds, such as 12 or 12.5");
    return null;
  }

  whole(field: string, min: number, max: number): number | null {
    const value = this.#query.get(field);
    if (value === null) return null;
    if (/^\d{1,5}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
    this.refuse(field, "is invalid", `must be a whole number from ${min} to ${max}`);
    return null;
  }

  size(field: string, max: number): number | null {
    const px = this.whole(field, 1, max);
    return px === null ? null : Math.min(snap(px), max);
  }

  oneOf<Value>(field: string, values: Record<string, Value>, otherSpelling = field): Value | null {
    const value = this.#query.get(field) ?? this.#query.get(otherSpelling);
    if (value === null) return null;
    const found = Object.hasOwn(values, value) ? values[value] : undefined;
    if (found !== undefined) return found;
    this.refuse(field, "is invalid", `must be one of ${Object.keys(values).join(", ")}`);
    return null;
  }

  refuse(field: string, message: string, hint?: string): void {
    this.#fields.push(hint === undefined ? { field, message } : { field, message, hint });
  }

  /** @throws {Problem} validation_failed */
  end(): void {
    if (this.#fields.length > 0)
      throw new Problem("validation_failed", "the query is not valid", { fields: this.#fields });
  }
}
