import type { Started } from "../../protocol/live.ts";

/** What a gateway reports of a broadcast in 720p with sound and one rung. */
export const FACTS: Started = {
  video: { codec: "h264", widthPx: 1280, heightPx: 720, frameRate: 30 },
  audio: { codec: "aac", sampleRateHz: 48_000, channels: 2 },
  renditions: [
    {
      name: "v720",
      kind: "video",
      widthPx: 1280,
      heightPx: 720,
      bitrateBps: 3_000_000,
      codec: "avc1.64001f",
      timescale: 30_000,
    },
    {
      name: "a1",
      kind: "audio",
      widthPx: null,
      heightPx: null,
      bitrateBps: 128_000,
      codec: "mp4a.40.2",
      timescale: 48_000,
    },
  ],
};
