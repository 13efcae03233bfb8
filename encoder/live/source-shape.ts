/** What a source's streams are, as the encoders have to take them. */
import type { Frame, Stream } from "node-av";
import type { Size } from "../../protocol/ladder.ts";
import { outputChannels, outputRateHz } from "../../protocol/media/audio-plan.ts";
import type { SourceVideo } from "../../protocol/jobs.ts";
import type { SoundFormat } from "./sound-converter.ts";

export const FALLBACK_SOUND: SoundFormat = { sampleRateHz: 48_000, channels: 2 };

/** A stream that has not told its format yet begins as silence of the usual one. */
export function soundFormat({ codecpar }: Stream): SoundFormat {
  if (codecpar.sampleRate <= 0) return FALLBACK_SOUND;
  return { sampleRateHz: outputRateHz(codecpar.sampleRate), channels: outputChannels(codecpar.channels) };
}

/** Upright, of square pixels: the coded height stays, the width follows the sample aspect ratio. */
export function displaySize(
  { width, height, sampleAspectRatio: { num, den } }: Frame,
  rotationDegrees: SourceVideo["rotationDegrees"],
): Size {
  const ratio = num > 0 && den > 0 ? num / den : 1;
  const isSane = ratio > 0.1 && ratio < 10;
  const widthPx = Math.max(1, Math.round(width * (isSane ? ratio : 1)));
  const isOnItsSide = rotationDegrees === 90 || rotationDegrees === 270;
  return isOnItsSide ? { widthPx: height, heightPx: widthPx } : { widthPx, heightPx: height };
}
