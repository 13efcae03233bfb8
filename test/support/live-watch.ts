/** A live stream of a test platform as a player sees it: whole segments of a playlist, each with its playlist state. */
import type { Media, SharedPlatform } from "./platform.ts";

export interface LiveStreamRecord {
  streamId: string;
  status: string;
  ingest: { rtmp: string; srt: string; http: string };
  playbackIds: { id: string }[];
  mediaIds?: string[];
}

export interface SeenSegment {
  url: string;
  initUrl: string;
  durationSeconds: number;
  /** Discontinuities before it, in its playlist. */
  discontinuities: number;
  isGap: boolean;
}

const POLL_MS = 50;

export async function newLiveStream(platform: SharedPlatform, settings: object = {}): Promise<LiveStreamRecord> {
  const { status, body } = await platform.api<LiveStreamRecord>("POST", "/v1/live/streams", {
    playbackSettings: { accessPolicy: "public" },
    inputMediaSettings: { enableDvrMode: true, maxResolution: "480p", ...settings },
  });
  if (status !== 201) throw new Error(`creating a stream answered ${status}: ${JSON.stringify(body)}`);
  return body.data;
}

/** Polls until the result is not null. Errors, such as from a server that is down, count as null. */
export async function eventually<T>(what: string, ask: () => Promise<T | null>, limitMs = 60_000): Promise<T> {
  const deadline = Date.now() + limitMs;
  let last: unknown = "nothing yet";
  while (Date.now() < deadline) {
    try {
      const found = await ask();
      if (found !== null) return found;
    } catch (error) {
      last = error;
    }
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
  throw new Error(`${what}: waited ${limitMs} ms in vain; ${String(last)}`);
}

const textOf = async (url: string): Promise<string | null> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
  return response.ok ? await response.text() : null;
};

/** The media playlist of the smallest picture, or of the sound when there is no picture; null while there is none. */
export async function smallestPlaylist(manifestUrl: string): Promise<string | null> {
  const lines = ((await textOf(manifestUrl)) ?? "").split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const last = lines.at(-1);
  return last === undefined ? null : new URL(last, manifestUrl).href;
}

/** The whole segments that a playlist lists. */
export async function segmentsOf(playlistUrl: string): Promise<SeenSegment[] | null> {
  const text = await textOf(playlistUrl);
  if (text === null) return null;
  const segments: SeenSegment[] = [];
  let [initUrl, durationSeconds, discontinuities, isGap] = ["", 0, 0, false];
  for (const line of text.split("\n")) {
    const map = /^#EXT-X-MAP:URI="([^"]+)"/.exec(line)?.[1];
    const inf = /^#EXTINF:([\d.]+)/.exec(line)?.[1];
    if (map !== undefined) initUrl = new URL(map, playlistUrl).href;
    else if (inf !== undefined) durationSeconds = Number(inf);
    else if (line === "#EXT-X-DISCONTINUITY") discontinuities += 1;
    else if (line === "#EXT-X-GAP") isGap = true;
    else if (line !== "" && !line.startsWith("#")) {
      segments.push({ url: new URL(line, playlistUrl).href, initUrl, durationSeconds, discontinuities, isGap });
      isGap = false;
    }
  }
  return segments;
}

export const manifestOf = ({ baseUrl }: SharedPlatform, { playbackIds }: LiveStreamRecord) =>
  `${baseUrl}/${playbackIds[0]!.id}.m3u8`;

/** @returns the smallest picture's playlist, once it lists a whole segment */
export const untilSegment = (platform: SharedPlatform, stream: LiveStreamRecord): Promise<string> =>
  eventually("a whole segment", async () => {
    const playlist = await smallestPlaylist(manifestOf(platform, stream));
    return playlist !== null && ((await segmentsOf(playlist))?.length ?? 0) > 0 ? playlist : null;
  });

/** The stream's address with its DVR window, from the first segment. */
export const dvrOf = (platform: SharedPlatform, { playbackIds }: LiveStreamRecord) =>
  `${platform.baseUrl}/${playbackIds[0]!.id}.m3u8?dvrMode=true`;

export const streamOf = async (
  platform: SharedPlatform,
  { streamId }: { streamId: string },
): Promise<LiveStreamRecord> => (await platform.api<LiveStreamRecord>("GET", `/v1/live/streams/${streamId}`)).body.data;

/** Types of an object's events, the oldest first. */
export async function eventTypesOf(platform: SharedPlatform, objectId: string): Promise<string[]> {
  const { body } = await platform.api<{ type: string; created_at: string }[]>(
    "GET",
    `/v1/events?objectId=${objectId}&limit=100`,
  );
  return body.data.map(({ type }) => type).toReversed();
}

/** Waits until the recording of a stream is ready. */
export async function recordingOf(platform: SharedPlatform, { streamId }: LiveStreamRecord): Promise<Media> {
  return await eventually("the recording", async () => {
    const { body } = await platform.api<(Media & { streamId?: string })[]>("GET", "/v1/on-demand?limit=50");
    return body.data.find((media) => media.streamId === streamId && media.status === "Ready") ?? null;
  });
}
