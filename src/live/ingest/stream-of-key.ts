import { isSameSecret } from "../../../protocol/same-secret.ts";
import type { Env } from "../../platform/env.ts";
import { streamIdOfKey } from "../streams/ids.ts";
import { findStream, type LiveStream } from "../streams/repository.ts";

/**
 * The stream with this key; null when the stream never existed, was deleted, or has another key.
 *
 * @throws {Problem} unavailable, when the stream's secrets cannot be decrypted
 */
export async function streamOfKey(env: Env, streamKey: string): Promise<LiveStream | null> {
  const streamId = streamIdOfKey(streamKey);
  const found = streamId && (await findStream(env, null, streamId, { opens: "stream" }));
  return found && isSameSecret(streamKey, found.stream.streamKey) ? found.stream : null;
}
