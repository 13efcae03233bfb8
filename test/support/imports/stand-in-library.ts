/** What the stand-ins of video platforms hold. Each stand-in shows these videos in its vendor's own form. */
import { readFile } from "node:fs/promises";
import { bufferContent, type SourceContent } from "../source-content.ts";

export interface StandInClip {
  content: SourceContent;
  durationMs: number;
  widthPx: number;
  heightPx: number;
}

export interface StandInCaption {
  languageCode: string;
  name: string;
  /** WebVTT. */
  text: string;
}

export interface StandInVideo {
  /** In the vendor's form. */
  id: string;
  title: string | null;
  createdAtMs: number;
  policy: "public" | "private" | "drm";
  state: "ready" | "preparing" | "errored" | "live";
  /** Shared by as many videos as wanted. */
  clip: StandInClip;
  captions: StandInCaption[];
  audioTracks: number;
  /** Where the vendor has them. */
  chapters?: readonly { startMs: number; title: string }[];
  creatorId: string | null;
  /** Laid over the vendor's own object, whose field names it uses. */
  own: Record<string, unknown>;
}

const FIRST_MS = Date.UTC(2025, 0, 1);
const MINUTE_MS = 60_000;

/** A video with what it takes and nothing special, a minute younger than that of the number before. */
export function standInVideo(
  number: number,
  id: string,
  clip: StandInClip,
  over: Partial<StandInVideo> = {},
): StandInVideo {
  return {
    id,
    title: `Video ${number}`,
    createdAtMs: FIRST_MS + number * MINUTE_MS,
    policy: "public",
    state: "ready",
    clip,
    captions: [],
    audioTracks: 1,
    creatorId: null,
    own: {},
    ...over,
  };
}

/** For tests that never decode: the bytes are no film. */
export function bytesClip(bytes: Uint8Array): StandInClip {
  return { content: bufferContent(bytes), durationMs: 5000, widthPx: 640, heightPx: 360 };
}

/** @param path a film, which is read into memory once */
export async function fileClip(path: string, facts: Omit<StandInClip, "content">): Promise<StandInClip> {
  return { content: bufferContent(new Uint8Array(await readFile(path))), ...facts };
}
