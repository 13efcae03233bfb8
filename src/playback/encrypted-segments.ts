import { isUnchanged } from "../platform/http/conditions.ts";
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import type { Lasting } from "../platform/single-flight.ts";
import { encryptInit, encryptMedia } from "./encrypted-media.ts";
import { readClearSegment, type SegmentAddress } from "./segments.ts";

/** An init or media segment of an asset, encrypted with a key. */
export type EncryptedSegmentAddress = SegmentAddress & { keyId: string };

/**
 * Encrypts a segment of an asset. The answer is the same for all viewers, so it is cached as a clear one is. It is not served by ranges.
 *
 * @throws {Problem} playback_not_found, unavailable
 */
export async function answerEncryptedSegment(
  request: Request,
  env: Env,
  ctx: Lasting,
  address: EncryptedSegmentAddress,
): Promise<Response> {
  const clear = await readClearSegment(env, address);
  const { headers } = clear;
  const clearBytes = Number(headers.get("content-length") ?? 0);
  const etag = `${(headers.get("etag") ?? '"').replace(/"$/, "")}-${address.keyId}"`;
  headers.set("etag", etag);
  for (const name of ["accept-ranges", "content-length"]) headers.delete(name);
  const unchanged = isUnchanged(request, etag);
  if (unchanged || request.method === "HEAD") {
    await clear.body.cancel();
    return new Response(null, { status: unchanged ? 304 : 200, headers });
  }
  const { keyId, file } = address;
  const body =
    typeof file !== "number"
      ? await encryptInit(env, ctx, keyId, await bytesOf(clear.body))
      : await encryptMedia(env, ctx, keyId, {
          body: clear.body,
          bytes: clearBytes,
          initKey: `${address.assetId} ${address.rendition} ${clear.initFile}`,
          readInit: async () => await readInit(env, address, clear.initFile),
        });
  if (body instanceof Uint8Array) headers.set("content-length", String(body.byteLength));
  return new Response(body, { headers });
}

/** Broadcasts that were recorded before their segments had metadata usually have one init segment, `init-0`. */
async function readInit(env: Env, address: SegmentAddress, named: "init" | `init-${number}` | null) {
  const read = async (file: "init" | `init-${number}`) =>
    await bytesOf((await readClearSegment(env, { ...address, file })).body);
  if (named !== null) return await read(named);
  try {
    return await read("init");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return await read("init-0");
  }
}

const bytesOf = async (body: ReadableStream<Uint8Array>) => new Uint8Array(await new Response(body).arrayBuffer());
