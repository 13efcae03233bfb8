/** Formats in which a source's streams are encoded, and the labels of its sounds. */
import type { Frame, Stream } from "node-av/lib";
import type { Size } from "../../protocol/ladder.ts";
import { outputChannels, outputRateHz } from "../../protocol/media/audio-plan.ts";
import { languageTag } from "../../protocol/media/language-tag.ts";
import type { SourceVideo } from "../../protocol/source-facts.ts";
import { isDescription, languageOf, titleOf } from "../media/subtitle-facts.ts";
import { ANNOUNCED_ID, type SoundFormat, type SourceSound } from "./broadcast-sounds.ts";

export const FALLBACK_SOUND: SoundFormat = { sampleRateHz: 48_000, channels: 2 };

/** A sound of which only the codec is known. It is silent until its first packet, and is then decoded to this format. */
export const ANNOUNCED_SOUND: SourceSound = {
  streamId: ANNOUNCED_ID,
  format: FALLBACK_SOUND,
  languageCode: "und",
  isDescription: false,
  title: "",
};

export const sourceSound = (stream: Stream): SourceSound => ({
  streamId: stream.id,
  format: soundFormat(stream),
  languageCode: tagOf(stream),
  isDescription: isDescription(stream),
  title: titleOf(stream),
});

/** Tags are at most as long as those for which software has to have room (RFC 5646 §4.4.1). */
const MAX_TAG_LENGTH = 35;
function tagOf(stream: Stream): string {
  const tag = languageTag(languageOf(stream));
  return tag.length > MAX_TAG_LENGTH ? "und" : tag;
}

/** A stream without a known format starts as silence in the fallback format. */
function soundFormat({ codecpar }: Stream): SoundFormat {
  if (codecpar.sampleRate <= 0) return FALLBACK_SOUND;
  return { sampleRateHz: outputRateHz(codecpar.sampleRate), channels: outputChannels(codecpar.channels) };
}

/** Upright size in square pixels: keeps the coded height and scales the width by the sample aspect ratio. */
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
