/** Builds the facts reported before a broadcast's first part. */
import { avGetCodecName, type Frame, type Stream } from "node-av/lib";
import type { VideoRung } from "../../protocol/jobs.ts";
import type { Fraction } from "../../protocol/source-facts.ts";
import type { SoundFacts } from "../../protocol/live.ts";
import type { Copy } from "./copied-rung.ts";
import { peakBitrateBps } from "./live-rung.ts";
import type { BroadcastSound } from "./broadcast-sounds.ts";
import type { InitFacts, StartedFacts } from "./output.ts";
import { soundBitrate } from "./sound-rendition.ts";
import { FALLBACK_SOUND } from "./source-shape.ts";

interface EncodedBroadcast {
  /** The first picture; null without one. */
  like: Frame | null;
  frameRate: Fraction | null;
  rungs: VideoRung[];
  /** The rung copied from the source. */
  copy: Copy | null;
  sounds: readonly BroadcastSound[];
  segmentMs: number;
  inits: readonly { name: string; init: { facts: InitFacts } }[];
}

export function startedFacts(
  { video, streamOf }: { video: Stream | null; streamOf: (soundId: number | null) => Stream | null },
  { like, frameRate, rungs, copy, sounds, segmentMs, inits }: EncodedBroadcast,
): StartedFacts {
  const bitrates = new Map(rungs.map((rung) => [rung.name, peakBitrateBps(rung, segmentMs)]));
  if (copy !== null) bitrates.set(copy.rung.name, copy.bitrateBps);
  for (const { name, format } of sounds) bitrates.set(name, soundBitrate(format));
  const first = sounds.find(({ streamId }) => streamId !== null);
  const audio = first === undefined ? null : streamOf(first.streamId);
  return {
    // The container may not know the size yet; the decoder does.
    video: like && {
      codec: video === null ? "unknown" : codecName(video),
      widthPx: like.width,
      heightPx: like.height,
      frameRate: frameRate === null ? 0 : frameRate.num / frameRate.den,
    },
    audio:
      first === undefined
        ? null
        : {
            codec: audio === null ? "unknown" : codecName(audio),
            sampleRateHz: audio?.codecpar.sampleRate || FALLBACK_SOUND.sampleRateHz,
            channels: audio?.codecpar.channels || FALLBACK_SOUND.channels,
          },
    frameRate,
    renditions: inits.map(({ name, init }) => {
      const sound = sounds.find((one) => one.name === name);
      const { frameRate: _, ...facts } = init.facts;
      const common = { name, bitrateBps: bitrates.get(name)!, ...facts };
      return sound === undefined ? { ...common, kind: "video" } : { ...common, kind: "audio", sound: labelled(sound) };
    }),
  };
}

/** The facts after one of the sounds has begun that were silent before. */
export const withSounds = (facts: StartedFacts, sounds: readonly BroadcastSound[]): StartedFacts => ({
  ...facts,
  renditions: facts.renditions.map((rendition) => {
    const sound = sounds.find(({ name }) => name === rendition.name);
    return sound === undefined ? rendition : { ...rendition, sound: labelled(sound) };
  }),
});

const labelled = ({ streamId, languageCode, isDescription, title, format }: BroadcastSound): SoundFacts => ({
  ...(languageCode === "und" ? {} : { languageCode }),
  ...(isDescription ? { isDescription } : {}),
  ...(title === "" ? {} : { title }),
  ...(streamId === null ? { isAbsent: true } : {}),
  channels: format.channels,
});

const codecName = ({ codecpar }: Stream) => avGetCodecName(codecpar.codecId) ?? "unknown";
