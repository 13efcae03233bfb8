import type { Env } from "../../platform/env.ts";
import { errorFields, logWarning } from "../../platform/log.ts";
import type { AddedTrack } from "../tracks/store/repository.ts";
import { assetMachine } from "./asset-calls.ts";

/** Hands tracks to the machines of their assets, in turn. Repeatable. Never rejects: the sweep repeats calls that were lost. */
export async function startTracks(env: Env, tracks: readonly AddedTrack[]): Promise<void> {
  for (const { id, assetId, kind, url, languageCode, imposed, followsEdit, generated } of tracks)
    await assetMachine(env, assetId)
      .takeTrack({ id, assetId, kind, url, languageCode, imposed, followsEdit, generated })
      .catch((error: unknown) => logCallFailed(assetId, "track", error));
}

/** The track has been deleted: its jobs stop, and its bytes are deleted. Never rejects. */
export const stopTrack = (env: Env, { id, assetId }: AddedTrack): Promise<void> =>
  assetMachine(env, assetId)
    .removeTrack({ id, assetId })
    .catch((error: unknown) => logCallFailed(assetId, "untrack", error));

const logCallFailed = (assetId: string, name: "track" | "untrack", error: unknown): void =>
  logWarning("track.call_failed", { assetId, name, ...errorFields(error) });
