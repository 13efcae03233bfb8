import { readFile } from "node:fs/promises";
import type { Platform } from "../local/platform.ts";
import { firstSegment, type Moment, untilReady } from "./journey.ts";

/** The file is sent over this time, so that it can be seen to play before it is whole. */
const SENDING_MS = 8000;
const CHUNKS = 40;
const POLL_MS = 50;

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Uploads a file in chunks and yields its progress from the creation to ready. */
export async function* uploadJourney(platform: Platform, path: string, title: string): AsyncGenerator<Moment> {
  const file = await readFile(path);
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
  const sending = send(data.url, file, (bytes) => (sentBytes = bytes));
  sending.catch(() => undefined); // reported by the await below
  const percent = () => Math.floor((sentBytes / file.byteLength) * 100);
  let isPlayable = false;
  while (!isPlayable && sentBytes < file.byteLength) {
    const segment = await firstSegment(`${platform.baseUrl}/${playbackId}.m3u8`);
    if (segment === null) {
      await Promise.race([pause(POLL_MS), sending]);
      continue;
    }
    isPlayable = true;
    yield { kind: "playable", afterMs: after(), by: "upload", segmentBytes: segment.bytes, sentPercent: percent() };
  }
  await sending;
  yield { kind: "uploaded", afterMs: after(), bytes: file.byteLength };
  yield* untilReady(platform, created, { after, isPlayable });
}

async function send(url: string, file: Buffer<ArrayBuffer>, onSent: (bytes: number) => void): Promise<void> {
  const chunkBytes = Math.ceil(file.byteLength / CHUNKS);
  for (let first = 0; first < file.byteLength; first += chunkBytes) {
    const body = file.subarray(first, first + chunkBytes);
    const range = `bytes ${first}-${first + body.byteLength - 1}/${file.byteLength}`;
    const { status } = await fetch(url, { method: "PUT", headers: { "content-range": range }, body });
    if (status !== 308 && status !== 200) throw new Error(`a chunk was answered ${status}`);
    onSent(first + body.byteLength);
    await pause(SENDING_MS / CHUNKS);
  }
}
