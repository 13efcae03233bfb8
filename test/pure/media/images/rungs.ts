import type { Rendition } from "../../../../src/media/manifest/model.ts";

/** A whole rung of the ladder: 25 frames per second, a GOP each two seconds, segments of two GOPs. */
export function ladderRung({
  gops = 30,
  keyframeBytes,
  ...change
}: { gops?: number; keyframeBytes?: number[] } & Partial<Rendition> = {}): Rendition {
  const GOP_TICKS = 50;
  const [keyAt, gopBytes] = [(gop: number) => keyframeBytes?.[gop] ?? 1000, 20_000];
  const segments = Array.from({ length: Math.ceil(gops / 2) }, (_, n) => Math.min(2, gops - 2 * n));
  return {
    name: "v270",
    kind: "video",
    origin: "ladder",
    isWhole: true,
    isTopRung: false,
    arrivedSegments: null,
    codec: "avc1.640015",
    widthPx: 480,
    heightPx: 270,
    frameRateNum: 25,
    frameRateDen: 1,
    channels: null,
    languageCode: null,
    languageName: null,
    isDefault: false,
    isDescription: false,
    timescale: 25,
    initBytes: 700,
    segments: {
      durationTicks: segments.map((count) => count * GOP_TICKS),
      bytes: segments.map((count) => 24 + count * gopBytes),
      keyframes: segments.map((count, segment) =>
        Array.from({ length: count }, (_, n) => [24 + n * gopBytes, keyAt(2 * segment + n)] as [number, number]),
      ),
    },
    ...change,
  };
}
