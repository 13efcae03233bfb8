import { readFile } from "node:fs/promises";
import type { TestPlatform } from "../../support/platform.ts";

/** The upload of 5 s of media takes this long. */
const UPLOAD_MS = 9_000;
const CHUNKS = 20;

/**
 * Sends a file more slowly than it plays, so that a player waits for its bytes.
 *
 * @param mayEnd the last bytes are sent after it resolves
 */
export async function uploadSlowly(
  platform: Pick<TestPlatform, "api">,
  path: string,
  pushMediaSettings: object = {},
  mayEnd: Promise<unknown> = Promise.resolve(),
): Promise<{ assetId: string; playbackId: string; isSent: Promise<void> }> {
  const { body } = await platform.api<{ uploadId: string; url: string }>("POST", "/v1/on-demand/upload", {
    corsOrigin: "*",
    pushMediaSettings,
  });
  const { url, uploadId } = body.data;
  const file = await readFile(path);
  const chunkBytes = Math.ceil(file.byteLength / CHUNKS);
  const send = async () => {
    for (let first = 0; first < file.byteLength; first += chunkBytes) {
      if (first + chunkBytes >= file.byteLength) await mayEnd;
      const chunk = file.subarray(first, first + chunkBytes);
      const range = `bytes ${first}-${first + chunk.byteLength - 1}/${file.byteLength}`;
      const { status } = await fetch(url, { method: "PUT", headers: { "content-range": range }, body: chunk });
      if (status !== 200 && status !== 308) throw new Error(`a chunk at ${first}: ${status}`);
      await new Promise((done) => setTimeout(done, UPLOAD_MS / CHUNKS));
    }
  };
  return { assetId: uploadId, playbackId: body.playback_id, isSent: send() };
}
