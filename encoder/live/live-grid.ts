/** Plans frame rate, parts and segments of live picture and sound. Pure. */
import { AAC_FRAME_SAMPLES } from "../../protocol/media/audio-plan.ts";
import { outputRate } from "../media/frame-rate.ts";
import type { Fraction } from "../../protocol/source-facts.ts";
import { STANDARD_RATES } from "../../protocol/standard-rates.ts";

/**
 * Timescale of every live picture track. A rendition keeps one timescale for the whole session, even when the source changes.
 * A frame is a whole number of ticks at every standard rate (24000/1001: 5005).
 */
export const PICTURE_TIMESCALE = 120_000;

/** Every part but the last of a segment is at least this fraction of the part target (RFC 8216bis §4.4.4.9). */
const SHORTEST_PART = 0.85;
/** Playlists list sound in whole milliseconds (`src/media/live/playlist.ts`), so a part may be listed as shorter by less than that. */
const SOUND_ROUNDING_MS = 1;
const GOP_SECONDS = 1;
/** Rate of a source whose declared rate is missing or wrong. */
const RATE_UNKNOWN: Fraction = { num: 30, den: 1 };
const MAX_SANE_RATE = 250;
/** Minimum number of consecutive times to measure a rate. */
const TIMES_NEEDED = 5;
/** Minimum number of times to confirm the declared rate. */
const TIMES_TO_CONFIRM = 8;
const CONFIRMED_WITHIN = 0.02;
/** AAC priming of HE-AAC at 44.1 kHz, rounded up. */
const LONGEST_PRIMING_SECONDS = 0.05;
/** FLV timestamps are whole milliseconds. */
const ROUNDING_SECONDS = 0.002;
/** A picture interval that deviates by more than this fraction of a frame is irregular. */
const IRREGULAR_FRAMES = 0.2;

export interface LiveTimes {
  segmentMs: number;
  partTargetMs: number;
}

export interface LiveGrid {
  frameRate: Fraction;
  framesPerSegment: number;
  framesPerPart: number; // the last part of a segment may be shorter
  framesPerGop: number;
  ticksPerFrame: number;
}

/** @param times presentation times of the first frames in seconds, ascending; @param declared frames per second, 0 = unknown */
export function planLiveGrid(declared: number, times: number[], { segmentMs, partTargetMs }: LiveTimes): LiveGrid {
  const frameRate = suitable(measured(declared, times), partTargetMs);
  const hz = frameRate.num / frameRate.den;
  const framesPerSegment = Math.max(1, Math.round((segmentMs * hz) / 1000));
  return {
    frameRate,
    framesPerSegment,
    framesPerPart: Math.min(framesPerSegment, framesIn(partTargetMs, hz)),
    framesPerGop: Math.max(1, Math.round(GOP_SECONDS * hz)),
    ticksPerFrame: PICTURE_TIMESCALE / hz,
  };
}

/**
 * Moves the first time to one frame before the second. ffmpeg's fragmented MP4 shifts the picture by the audio priming but stamps the
 * first picture with 0. Without the correction, the grid and every later picture would precede their sound.
 *
 * @param times presentation times in seconds, ascending
 */
export function withFirstAligned(times: number[]): number[] {
  const [first, second, ...others] = times;
  const gaps = others.map((time, i) => time - times[i + 1]!);
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)];
  if (usual === undefined || times.length < TIMES_NEEDED) return times;
  const aligned = second! - usual;
  const isEarly = aligned - first! > ROUNDING_SECONDS && aligned - first! <= LONGEST_PRIMING_SECONDS;
  const areRegular = gaps.every((gap) => Math.abs(gap - usual) <= IRREGULAR_FRAMES * usual);
  return isEarly && areRegular ? [aligned, second!, ...others] : times;
}

/** Whether the first times match the declared rate, so that no more of them are needed. @param times ascending */
export function isRateConfirmed(declared: number, times: number[]): boolean {
  if (declared < 1 || declared > MAX_SANE_RATE || times.length < TIMES_TO_CONFIRM) return false;
  const frames = (times.at(-1)! - times[0]!) * declared;
  const isRegular = times.every((time, i) => Math.abs(time - times[0]! - i / declared) <= ROUNDING_SECONDS);
  return isRegular && Math.abs(frames / (times.length - 1) - 1) <= CONFIRMED_WITHIN;
}

function measured(declared: number, times: number[]): Fraction {
  const sane = declared >= 1 && declared <= MAX_SANE_RATE ? declared : 0;
  if (times.length < TIMES_NEEDED)
    return sane === 0 ? RATE_UNKNOWN : outputRate({ declared: sane, timesSeconds: [] }).frameRate;
  const seen = outputRate({ declared: 0, timesSeconds: times });
  // Metadata may say anything. At a declared rate below that of the pictures, some would be left out; at a higher one, they are repeated, and there
  // may be more of them later.
  const isEnough = sane >= (seen.frameRate.num / seen.frameRate.den) * (1 - CONFIRMED_WITHIN);
  if (isEnough && seen.isVariable) return outputRate({ declared: sane, timesSeconds: [] }).frameRate;
  if (!isEnough && !seen.isVariable) return seen.frameRate;
  return sane === 0 ? RATE_UNKNOWN : outputRate({ declared: sane, timesSeconds: times }).frameRate;
}

/**
 * Returns the rate itself when one frame is a whole number of ticks and a whole number of frames makes a part of valid length; otherwise
 * the nearest standard rate that satisfies both. At 24 fps, for example, no part is between 170 and 200 ms long.
 */
function suitable(rate: Fraction, partTargetMs: number): Fraction {
  const suits = ({ num, den }: Fraction) =>
    (PICTURE_TIMESCALE * den) % num === 0 &&
    framesIn(partTargetMs, num / den) * ((1000 * den) / num) >= SHORTEST_PART * partTargetMs - 1e-6;
  const distance = ({ num, den }: Fraction) => Math.abs(num / den - rate.num / rate.den);
  if (suits(rate)) return rate;
  return STANDARD_RATES.filter(suits).toSorted((a, b) => distance(a) - distance(b))[0] ?? rate;
}

const framesIn = (ms: number, hz: number) => Math.max(1, Math.floor((ms * hz) / 1000 + 1e-6));

/** AAC frames per part for a segment of `frames`: parts are as equal as the limits on part duration allow. */
export function soundPartFrames(frames: number, sampleRateHz: number, partTargetMs: number): number {
  const targetFrames = (partTargetMs * sampleRateHz) / 1000 / AAC_FRAME_SAMPLES;
  const most = Math.max(1, Math.floor(targetFrames + 1e-6));
  const listedMs = (SHORTEST_PART * partTargetMs + SOUND_ROUNDING_MS) * sampleRateHz;
  const fewest = Math.min(most, Math.ceil(listedMs / 1000 / AAC_FRAME_SAMPLES - 1e-6));
  return Math.max(fewest, Math.ceil(frames / Math.ceil(frames / most)));
}
