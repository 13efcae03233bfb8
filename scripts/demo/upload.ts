import { setTimeout as sleep } from "node:timers/promises";
import { sendFile, type UploadSource } from "../../sdk/index.ts";
import { openFile } from "../../sdk/node.ts";
import type { Platform } from "../local/platform.ts";
import { firstSegment, type Moment, untilReady } from "./journey.ts";

/** Duration of the upload, long enough to show playback before the end. */
const SENDING_MS = 8000;
const CHUNKS = 40;
const POLL_MS = 50;

/** Uploads a file in chunks and yields its progress from the creation to ready. */
export async function* uploadJourney(platform: Platform, path: string, title: string): AsyncGenerator<Moment> {
  await using file = await openFile(path);
  const startedAt = performance.now();
  const after = () => Math.round(performance.now() - startedAt);
  const response = await fetch(`${platform.baseUrl}/v1/on-demand/upload`, {
    method: "POST",
    headers: { authorization: platform.authorization, "content-type": "application/json" },
    body: JSON.stringify({ corsOrigin: "*", pushMediaSettings: { accessPolicy: "public", title } }),
  });
  if (response.status !== 201) throw new Error(`POST upload answered ${response.status}`);
  const { playback_id: playbackId, data } = (await response.json()) as {
    playback_id: string;
    data: { uploadId: string; url: string };
  };
  const created = { mediaId: data.uploadId, playbackId };
  yield { kind: "accepted", ...created, tookMs: after() };

  let sentBytes = 0;
  const chunkBytes = Math.ceil(file.sizeBytes / CHUNKS);
  const onProgress = (progress: { sentBytes: number }) => ({ sentBytes } = progress);
  const sending = sendFile(data.url, paced(file), { chunkBytes, onProgress });
  sending.catch(() => undefined); // reported by the await below
  const percent = () => Math.floor((sentBytes / file.sizeBytes) * 100);
  let isPlayable = false;
  while (!isPlayable && sentBytes < file.sizeBytes) {
    const segment = await firstSegment(`${platform.baseUrl}/${playbackId}.m3u8`);
    if (segment === null) {
      await Promise.race([sleep(POLL_MS), sending]);
      continue;
    }
    isPlayable = true;
    yield { kind: "playable", afterMs: after(), by: "upload", segmentBytes: segment.bytes, sentPercent: percent() };
  }
  await sending;
  yield { kind: "uploaded", afterMs: after(), bytes: file.sizeBytes };
  yield* untilReady(platform, created, { after, isPlayable });
}

/** The file at the speed of a slow connection. */
const paced = (file: UploadSource): UploadSource => ({
  sizeBytes: file.sizeBytes,
  async read(offset, maxBytes) {
    if (offset > 0) await sleep(SENDING_MS / CHUNKS);
    return await file.read(offset, maxBytes);
  },
});
