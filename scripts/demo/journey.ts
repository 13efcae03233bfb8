import type { Platform } from "../local/platform.ts";

/** The demo's progress events, in chronological order; times are ms after the POST. */
export type Moment =
  | { kind: "accepted"; mediaId: string; playbackId: string; tookMs: number }
  | { kind: "probed"; afterMs: number; summary: string }
  | {
      kind: "playable";
      afterMs: number;
      by: "passthrough" | "first chunk" | "upload";
      segmentBytes: number;
      /** Share of the file sent so far; for uploads only. */
      sentPercent?: number;
    }
  | { kind: "uploaded"; afterMs: number; bytes: number }
  | {
      kind: "progress";
      afterMs: number;
      percent: number;
      speed: number | null;
      renditions: { name: string; percent: number }[];
    }
  | { kind: "retry"; afterMs: number; reason: string; attempt: number; nextAttemptAt: string }
  | { kind: "ready"; afterMs: number; duration: string }
  | { kind: "failed"; afterMs: number; code: string; message: string; fault: string };

interface Media {
  status: string;
  duration?: string;
  frameRate?: string;
  tracks: { type: string; width?: number; height?: number; languageName?: string }[];
  progress?: {
    percent: number;
    speed?: number;
    renditions: { name: string; percent: number }[];
    retry?: { reason: string; attempt: number; nextAttemptAt: string };
  };
  error?: { code: string; message: string; fault: string };
}

const POLL_MS = 60;
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Creates an asset and yields its progress from POST to ready. */
export async function* journey(platform: Platform, sourceUrl: string, title: string): AsyncGenerator<Moment> {
  const postedAt = performance.now();
  const after = () => Math.round(performance.now() - postedAt);
  const response = await fetch(`${platform.baseUrl}/v1/on-demand`, {
    method: "POST",
    headers: { authorization: platform.authorization, "content-type": "application/json" },
    body: JSON.stringify({ inputs: [{ type: "video", url: sourceUrl }], accessPolicy: "public", title }),
  });
  const created = (await response.json()) as {
    playback_id: string;
    data: { id: string };
    error?: { message: string; fields?: unknown };
  };
  if (response.status !== 201) {
    yield {
      kind: "failed",
      afterMs: after(),
      code: String(response.status),
      message: JSON.stringify(created.error),
      fault: "source",
    };
    return;
  }
  const { playback_id: playbackId, data } = created;
  const accepted = { mediaId: data.id, playbackId };
  yield { kind: "accepted", ...accepted, tookMs: after() };
  yield* untilReady(platform, accepted, { after, isPlayable: false });
}

/** Yields the progress of a media until it is ready, or has failed. */
export async function* untilReady(
  platform: Platform,
  { mediaId, playbackId }: { mediaId: string; playbackId: string },
  { after, isPlayable }: { after: () => number; isPlayable: boolean },
): AsyncGenerator<Moment> {
  let isProbed = false;
  let attempt = 0;
  for (;;) {
    // Fetches the segment first: a playable source has been probed, so the media that is read afterwards has the probe's results.
    const segment = isPlayable ? null : await firstSegment(`${platform.baseUrl}/${playbackId}.m3u8`);
    const media = await getMedia(platform, mediaId);
    if (media.error !== undefined) return yield { kind: "failed", afterMs: after(), ...media.error };
    if (!isProbed && media.tracks.length > 0) {
      isProbed = true;
      yield { kind: "probed", afterMs: after(), summary: summarise(media) };
    }
    if (segment !== null) {
      isPlayable = true;
      const by = segment.url.includes("/source-") ? "passthrough" : "first chunk";
      yield { kind: "playable", afterMs: after(), by, segmentBytes: segment.bytes };
    }
    const { progress } = media;
    const isReady = media.status === "Ready" && isPlayable;
    if (progress?.retry && progress.retry.attempt !== attempt) {
      ({ attempt } = progress.retry);
      yield { kind: "retry", afterMs: after(), ...progress.retry };
    }
    if (progress && progress.renditions.length > 0) {
      yield {
        kind: "progress",
        afterMs: after(),
        percent: progress.percent,
        speed: progress.speed ?? null,
        renditions: progress.renditions,
      };
    }
    if (isReady) return yield { kind: "ready", afterMs: after(), duration: media.duration ?? "" };
    await pause(POLL_MS);
  }
}

async function getMedia(platform: Platform, id: string): Promise<Media> {
  const response = await fetch(`${platform.baseUrl}/v1/on-demand/${id}`, {
    headers: { authorization: platform.authorization },
  });
  if (!response.ok) throw new Error(`GET media answered ${response.status}`);
  return ((await response.json()) as { data: Media }).data;
}

function summarise({ tracks, duration, frameRate }: Media): string {
  const video = tracks.find(({ type }) => type === "video");
  const sounds = tracks.filter(({ type }) => type === "audio").length;
  const [num = 0, den = 1] = (frameRate ?? "").split("/").map(Number);
  const rate = num > 0 ? `${Math.round((num / den) * 1000) / 1000} fps` : null;
  const sound = sounds === 1 ? "1 audio track" : `${sounds} audio tracks`;
  return [video && `${video.width}×${video.height}`, rate, duration, sound].filter(Boolean).join(" · ");
}

const firstLine = (playlist: string) => playlist.split("\n").find((line) => line !== "" && !line.startsWith("#"));

/** Fetches the multivariant playlist, the media playlist and the first segment, as a player does. Null while one is missing. */
export async function firstSegment(manifestUrl: string): Promise<{ url: string; bytes: number } | null> {
  let url = manifestUrl;
  for (let depth = 0; depth < 2; depth += 1) {
    const response = await fetch(url);
    if (!response.ok) return null;
    const next = firstLine(await response.text());
    if (next === undefined) return null;
    url = new URL(next, url).href;
  }
  const response = await fetch(url);
  return response.ok ? { url, bytes: (await response.arrayBuffer()).byteLength } : null;
}
