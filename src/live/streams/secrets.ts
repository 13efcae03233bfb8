import type { Env } from "../../platform/env.ts";
import { REDACTED } from "../../events/index.ts";
import { currentKeyId, open, seal } from "../../platform/crypto/sealing.ts";
import { logError } from "../../platform/log.ts";
import { withKeys } from "../../platform/http/with-keys.ts";
import type { liveStreams, simulcastTargets } from "./tables.ts";

/** The credentials of broadcasters and of SRT players. */
export interface StreamSecrets {
  streamKey: string;
  srtSecret: string;
  srtPlaybackSecret: string;
}

type StreamRow = typeof liveStreams.$inferSelect;
type TargetRow = typeof simulcastTargets.$inferSelect;
/** A stream with its secrets in clear text. Never stored in this form. */
export type LiveStream = Omit<StreamRow, "secrets">;
export type SimulcastTarget = Omit<TargetRow, "sealedKey">;

/** The columns of a stream's row that hold its secrets. @throws {Problem} unavailable */
export async function sealStream(env: Env, streamId: string, secrets: StreamSecrets) {
  const { streamKey, srtSecret, srtPlaybackSecret } = secrets;
  const text = JSON.stringify({ streamKey, srtSecret, srtPlaybackSecret });
  const sealed = await withKeys(env, (keys) => seal(keys, streamId, text));
  return { secrets: sealed, streamKey: "", srtSecret: "", srtPlaybackSecret: "" };
}

/** @throws {Problem} unavailable */
export async function openStream(env: Env, { secrets, ...row }: StreamRow): Promise<LiveStream> {
  if (secrets === null) return row; // not sealed yet, see sweepSecrets
  const text = await withKeys(env, (keys) => open(keys, row.id, secrets));
  return { ...row, ...(JSON.parse(text) as StreamSecrets) };
}

/**
 * For operations that do not need the secrets. Secrets that cannot be decrypted (their key was removed, or the row is damaged) are
 * `redacted`, so that the stream can still be listed, ended, given new secrets and deleted.
 *
 * @throws {Problem} unavailable, when the keys are unusable for every row
 */
export const showStream = (env: Env, row: StreamRow): Promise<LiveStream> =>
  openStream(env, row).catch(async (error: unknown) => {
    await withKeys(env, async (keys) => currentKeyId(keys));
    logError("live.secrets_unreadable", { streamId: row.id, error: String(error) });
    const { secrets: _, ...rest } = row;
    return { ...rest, streamKey: REDACTED, srtSecret: REDACTED, srtPlaybackSecret: REDACTED };
  });

/** The columns of a target's row that hold its key. @throws {Problem} unavailable */
export const sealTarget = async (env: Env, targetId: string, streamKey: string) => ({
  sealedKey: await withKeys(env, (keys) => seal(keys, targetId, streamKey)),
  streamKey: "",
});

/** @throws {Problem} unavailable */
export async function openTarget(env: Env, { sealedKey, ...row }: TargetRow): Promise<SimulcastTarget> {
  if (sealedKey === null) return row;
  return { ...row, streamKey: await withKeys(env, (keys) => open(keys, row.id, sealedKey)) };
}

/** The same as `showStream`. @throws {Problem} unavailable */
export const showTarget = (env: Env, row: TargetRow): Promise<SimulcastTarget> =>
  openTarget(env, row).catch(async (error: unknown) => {
    await withKeys(env, async (keys) => currentKeyId(keys));
    logError("live.secrets_unreadable", { streamId: row.streamId, simulcastId: row.id, error: String(error) });
    const { sealedKey: _, ...rest } = row;
    return { ...rest, streamKey: REDACTED };
  });
