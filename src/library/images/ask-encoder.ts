import { bodyBytesOf, IMAGE_HEADER, type ImageRequest } from "../../../protocol/images.ts";
import { askWithSecrets } from "../../platform/crypto/encoder-secret.ts";
import type { Env } from "../../platform/env.ts";
import { logWarning } from "../../platform/log.ts";
import { encoderAt, instanceOf } from "../encoding/encoder-client.ts";

const TIMEOUT_MS = 25_000;

export interface EncodedImage {
  type: string;
  bytes: ArrayBuffer;
}

export interface ImageOwner {
  /** The asset, or the session of a broadcast. */
  assetId: string;
  /** Null = not known; the asset has a share of its own then. */
  workspaceId: string | null;
}

/** `unreadable`: the media cannot be decoded. `failed`: the encoder has failed at this picture. `unavailable`: no encoder, or no place. */
export type NoImage = "unreadable" | "failed" | "unavailable";

/**
 * Has an encoder make a picture, and waits for it.
 *
 * @param of the asset: its pictures are made by the same container, as long as there are as many. Those of a workspace have a share of its places
 * @param media the inits, then the pieces
 * @param isOurs whether we have encoded the media
 */
export async function askEncoder(
  env: Env,
  { assetId: id, workspaceId }: ImageOwner,
  request: ImageRequest,
  media: readonly Uint8Array[],
  isOurs: boolean,
): Promise<EncodedImage | NoImage> {
  const json = new TextEncoder().encode(JSON.stringify(request));
  const body = concatenated([json, ...media], json.length + bodyBytesOf(request));
  const send = encoderAt(env, instanceOf(id, Number(env.ENCODER_CONTAINERS)));
  try {
    const { response } = await askWithSecrets(env, (secret) =>
      send(`/images?media=${isOurs ? "ours" : "foreign"}&asset=${id}&workspace=${workspaceId ?? id}`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, [IMAGE_HEADER]: String(json.length) },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }),
    );
    if (response.ok)
      return {
        type: response.headers.get("content-type") ?? "application/octet-stream",
        bytes: await response.arrayBuffer(),
      };
    await response.body?.cancel();
    logWarning("image.not_made", { id, kind: request.kind, status: response.status });
    if (response.status === 422) return "unreadable";
    return response.status === 500 ? "failed" : "unavailable";
  } catch (error) {
    logWarning("image.encoder_failed", { id, kind: request.kind, error: String(error) });
    return "unavailable";
  }
}

function concatenated(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
