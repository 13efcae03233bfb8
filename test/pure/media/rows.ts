import type { ManifestFacts, Rendition } from "../../../src/media/manifest/model.ts";

/** A rung of 25 pictures a second in segments of 4 s; `bytes` of each segment. */
export function videoRow(
  name: string,
  widthPx: number,
  heightPx: number,
  bytes: number[],
  change: Partial<Rendition> = {},
): Rendition {
  return {
    name,
    kind: "video",
    origin: "ladder",
    isWhole: true,
    isTopRung: false,
    arrivedSegments: null,
    codec: "avc1.64001f",
    widthPx,
    heightPx,
    frameRateNum: 25,
    frameRateDen: 1,
    channels: null,
    languageCode: null,
    languageName: null,
    isDefault: false,
    isDescription: false,
    timescale: 25,
    initBytes: 800,
    segments: {
      durationTicks: bytes.map(() => 100),
      bytes,
      keyframes: bytes.map(() => [
        [0, 9000],
        [50_000, 8000],
      ]),
    },
    ...change,
  };
}

export function audioRow(name: string, bytes: number[], change: Partial<Rendition> = {}): Rendition {
  return {
    ...videoRow(name, 0, 0, bytes),
    kind: "audio",
    codec: "mp4a.40.2",
    widthPx: null,
    heightPx: null,
    frameRateNum: null,
    frameRateDen: null,
    channels: 2,
    languageCode: "en",
    languageName: "English",
    isDefault: true,
    timescale: 48_000,
    segments: { durationTicks: bytes.map(() => 192_000), bytes, keyframes: bytes.map(() => []) },
    ...change,
  };
}

export const source = (row: Rendition): Rendition => ({
  ...row,
  origin: "passthrough",
  segments: { ...row.segments, keyframes: [] },
});

export const growing = (row: Rendition): Rendition => ({ ...row, isWhole: false });

export const facts = (status: ManifestFacts["status"], renditions: Rendition[]): ManifestFacts => ({
  status,
  createdAtMs: Date.UTC(2026, 10, 20, 12),
  videoTrackCount: renditions.some((row) => row.kind === "video") ? 1 : 0,
  audioTrackCount: 1,
  renditions,
  textTracks: [],
});
