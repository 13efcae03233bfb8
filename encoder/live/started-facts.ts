/** Builds the facts reported before a broadcast's first part. */
import { avGetCodecName, type Stream } from "node-av/lib";
import type { Fraction, VideoRung } from "../../protocol/jobs.ts";
import type { Copy } from "./copied-rung.ts";
import { peakBitrateBps } from "./live-rung.ts";
import { type InitFacts, SOUND_NAME, type StartedFacts } from "./output.ts";
import type { SoundFormat } from "./sound-converter.ts";
import { soundBitrate } from "./sound-rendition.ts";
import { FALLBACK_SOUND } from "./source-shape.ts";

interface EncodedBroadcast {
  frameRate: Fraction | null;
  rungs: VideoRung[];
  /** The rung copied from the source. */
  copy: Copy | null;
  sound: SoundFormat | null;
  segmentMs: number;
  inits: readonly { name: string; init: { facts: InitFacts } }[];
}

export function startedFacts(
  { video, audio }: { video: Stream | null; audio: Stream | null },
  { frameRate, rungs, copy, sound, segmentMs, inits }: EncodedBroadcast,
): StartedFacts {
  const bitrates = new Map(rungs.map((rung) => [rung.name, peakBitrateBps(rung, segmentMs)]));
  if (copy !== null) bitrates.set(copy.rung.name, copy.bitrateBps);
  if (sound !== null) bitrates.set(SOUND_NAME, soundBitrate(sound));
  return {
    video: video && {
      codec: codecName(video),
      widthPx: video.codecpar.width,
      heightPx: video.codecpar.height,
      frameRate: frameRate === null ? 0 : frameRate.num / frameRate.den,
    },
    audio: audio && {
      codec: codecName(audio),
      sampleRateHz: audio.codecpar.sampleRate || FALLBACK_SOUND.sampleRateHz,
      channels: audio.codecpar.channels || FALLBACK_SOUND.channels,
    },
    frameRate,
    renditions: inits.map(({ name, init }) => ({
      name,
      kind: name === SOUND_NAME ? "audio" : "video",
      bitrateBps: bitrates.get(name)!,
      ...init.facts,
    })),
  };
}

const codecName = ({ codecpar }: Stream) => avGetCodecName(codecpar.codecId) ?? "unknown";
