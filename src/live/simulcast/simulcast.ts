import { and, eq, sql } from "drizzle-orm";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import type { Committed } from "../../events/webhooks/index.ts";
import { changeStream } from "../streams/change-stream.ts";
import { newHexId } from "../streams/ids.ts";
import type { SimulcastTarget } from "../streams/repository.ts";
import { sealTarget } from "../streams/secrets.ts";
import { targetEvent } from "../streams/stream-event.ts";
import { simulcastTargets } from "../streams/tables.ts";

interface Key {
  workspaceId: string;
  streamId: string;
}
/** Each target uses a connection and a process of the gateway. */
const TARGETS_PER_STREAM = 5;

type Changed = { target: SimulcastTarget; committed: Committed } | null;

/**
 * Adds a simulcast target. Null when the stream does not exist.
 *
 * @throws {Problem} stream_not_idle: the stream is broadcasting or disabled (contract/rest.md §6); validation_failed: it has five targets
 */
export async function addTarget(
  env: Env,
  key: Key,
  { url, streamKey, metadata }: { url: string; streamKey: string; metadata?: Record<string, string> | undefined },
  now: Date,
): Promise<Changed> {
  const fresh = { ...key, url, metadata: metadata ?? null, isEnabled: true, createdAt: now };
  const target: SimulcastTarget = { ...fresh, id: newHexId(), streamKey };
  const { sealedKey } = await sealTarget(env, target.id, streamKey);
  const changed = await changeStream(env, key, ({ stream, targets }, db, still) => {
    if (stream.status !== "idle") throw new Problem("stream_not_idle", "targets are added while the stream is idle");
    if (targets.length >= TARGETS_PER_STREAM) throw tooManyTargets();
    const json = target.metadata && JSON.stringify(target.metadata);
    return {
      statements: [
        db.run(sql`
          INSERT INTO ${simulcastTargets} (id, stream_id, workspace_id, url, sealed_key, stream_key, is_enabled, metadata, created_at)
          SELECT ${target.id}, ${key.streamId}, ${key.workspaceId}, ${url}, ${sealedKey}, '', 1, ${json}, ${now.getTime()}
          WHERE ${still}
            AND (SELECT count(*) FROM ${simulcastTargets} WHERE stream_id = ${key.streamId}) < ${TARGETS_PER_STREAM}`),
      ],
      event: targetEvent("video.live_stream.simulcast_target.created", target, now.getTime()),
    };
  });
  return changed && { target, committed: changed.committed };
}

function tooManyTargets(): Problem {
  const message = `has ${TARGETS_PER_STREAM} simulcast targets, the maximum; remove one first`;
  return new Problem("validation_failed", `the stream ${message}`, { fields: [{ field: "streamId", message }] });
}

/** Enables, disables or relabels a target; `metadata` is replaced as a whole. Null when the target does not exist. */
export async function updateTarget(
  env: Env,
  key: Key,
  simulcastId: string,
  change: Partial<Pick<SimulcastTarget, "isEnabled" | "metadata">>,
  now: Date,
): Promise<Changed> {
  const changed = await changeStream(env, key, ({ targets }, db, still) => {
    const found = targets.find(({ id }) => id === simulcastId);
    if (found === undefined) return null;
    const target = { ...found, ...change };
    const { isEnabled, metadata } = target;
    const statement = db
      .update(simulcastTargets)
      .set({ isEnabled, metadata })
      .where(and(eq(simulcastTargets.id, simulcastId), still));
    return {
      statements: [statement],
      target,
      event: targetEvent("video.live_stream.simulcast_target.updated", target, now.getTime()),
    };
  });
  return changed && { target: changed.plan.target, committed: changed.committed };
}

/** Null when the target does not exist. */
export async function removeTarget(env: Env, key: Key, simulcastId: string, now: Date): Promise<Committed | null> {
  const changed = await changeStream(env, key, ({ targets }, db, still) => {
    const found = targets.find(({ id }) => id === simulcastId);
    if (found === undefined) return null;
    const isIt = eq(simulcastTargets.id, simulcastId);
    return {
      statements: [db.delete(simulcastTargets).where(and(isIt, still))],
      event: targetEvent("video.live_stream.simulcast_target.deleted", found, now.getTime()),
    };
  });
  return changed?.committed ?? null;
}
