import type { Env } from "../../platform/env.ts";
import { errorFields, logWarning } from "../../platform/log.ts";
import { callMachine } from "../../platform/machine/calls.ts";
import type { AddedTrack } from "../tracks/store/repository.ts";

/** What the machine of an asset needs to prepare a track. */
export type TrackForMachine = Pick<AddedTrack, "id" | "assetId" | "kind" | "url" | "languageCode" | "imposed">;

/** Hands tracks to the machines of their assets, in turn. Repeatable. Never rejects: the sweep repeats calls that were lost. */
export async function startTracks(env: Env, tracks: readonly AddedTrack[]): Promise<void> {
  for (const { id, assetId, kind, url, languageCode, imposed } of tracks)
    await callTracks(env, assetId, "track", {
      id,
      assetId,
      kind,
      url,
      languageCode,
      imposed,
    } satisfies TrackForMachine);
}

/** The track has been deleted: its jobs stop, and its bytes are deleted. */
export const stopTrack = (env: Env, { id, assetId }: AddedTrack): Promise<void> =>
  callTracks(env, assetId, "untrack", { id, assetId });

const callTracks = (env: Env, assetId: string, name: "track" | "untrack", document: object): Promise<void> =>
  callMachine(env.ASSET_MACHINE, assetId, name, document).then(
    () => undefined,
    (error: unknown) => logWarning("track.call_failed", { assetId, name, ...errorFields(error) }),
  );
