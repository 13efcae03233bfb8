import type { SourceFacts } from "../../protocol/source-facts.ts";

/** The facts that an encoder reports about a small source at 25 frames a second, with stereo sound. */
export function sourceFacts(
  durationMs: number,
  { video = {}, audio = {}, ...more }: { video?: object; audio?: object; containerFormat?: string } = {},
): SourceFacts {
  return {
    containerFormat: "webm",
    durationMs,
    video: {
      streamIndex: 0,
      codec: "vp9",
      widthPx: 320,
      heightPx: 180,
      rotationDegrees: 0,
      frameRate: { num: 25, den: 1 },
      variableFrameRate: false,
      interlaced: false,
      bitDepth: 8,
      hdr: null,
      startMs: 0,
      durationMs,
      bitrateBps: 0,
      ...video,
    },
    audio: [
      {
        streamIndex: 1,
        codec: "opus",
        channels: 2,
        sampleRateHz: 48_000,
        languageCode: "und",
        title: "",
        isDefault: true,
        startMs: 0,
        durationMs,
        ...audio,
      },
    ],
    ...more,
  };
}
