/** Bytes that encryption adds for a sample at most: a row of the tables with all columns, and the entry of a sample with two slices. */
const SAMPLE_BYTES = 32;
/** Bits that the boxes of a fragment add in a second, at most. */
const FRAGMENT_BPS = 2000;
const AAC_FRAME_SAMPLES = 1024;
const MAX_FRAME_RATE = 60;
const MAX_SAMPLE_RATE_HZ = 48_000;

/** Bits per second that encryption adds to a rendition, for the bandwidths in manifests. */
export function protectionBps({ kind, frameRateNum, frameRateDen, timescale }: RateFacts): number {
  const samplesPerSecond =
    kind === "audio" ? timescale / AAC_FRAME_SAMPLES : (frameRateNum ?? MAX_FRAME_RATE) / (frameRateDen ?? 1);
  return Math.ceil(samplesPerSecond * SAMPLE_BYTES * 8) + FRAGMENT_BPS;
}

interface RateFacts {
  kind: "video" | "audio";
  /** Null = unknown. */
  frameRateNum: number | null;
  frameRateDen: number | null;
  /** Sample rate, for audio. */
  timescale: number;
}

/** The same for a broadcast, at the highest frame and sample rates. */
export const liveProtectionBps = (kind: "video" | "audio"): number =>
  protectionBps({ kind, frameRateNum: null, frameRateDen: null, timescale: MAX_SAMPLE_RATE_HZ });
