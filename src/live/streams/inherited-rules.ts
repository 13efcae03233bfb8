import type { Database } from "../../platform/database.ts";
import { type PlaybackId, playbackIdsOf, UNRESTRICTED } from "../../tenancy/access/index.ts";

/**
 * The rules with which a recording or clip of the stream begins: those of the stream's first playback ID that has the same access policy, or of
 * its first one. Later changes of the stream do not change them.
 */
export async function inheritedRules(
  db: Database,
  streamId: string,
  accessPolicy: PlaybackId["accessPolicy"],
): Promise<Pick<PlaybackId, "accessRestrictions" | "resolution">> {
  const all = await playbackIdsOf(db, [streamId]);
  const { accessRestrictions, resolution } =
    all.find((one) => one.accessPolicy === accessPolicy) ?? all[0] ?? UNRESTRICTED;
  return { accessRestrictions, resolution };
}
