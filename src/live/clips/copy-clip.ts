import { renditionKey } from "../../platform/storage/keys.ts";
import { findUncopiedClip, finishRecording } from "../../library/assets/index.ts";
import { imageMaker } from "../../library/images/index.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { addBroadcastCaptions } from "../recording/add-broadcast-captions.ts";
import { findSessionRange } from "../recording/find-session-range.ts";
import { readRecordedSession } from "../recording/read-recorded-session.ts";
import { withInitBytes } from "../recording/init-bytes.ts";
import { type RecordedRow, recordingRows } from "../recording/recording-rows.ts";
import type { CopyTask } from "./send-clip.ts";

/** Objects per message. An invocation is limited to 1,000 subrequests. */
const OBJECTS_PER_MESSAGE = 300;
const AT_ONCE = 6;

/** Objects of the clip's segments are not in R2. */
export class MissingError extends Error {}

/**
 * Copies the next objects of a clip. Enqueues the rest, or marks the clip as ready. Repeatable.
 *
 * @throws {MissingError}
 */
export async function copyClip(env: Env, { mediaId, from, isOfOwner }: CopyTask): Promise<void> {
  const clip = await findUncopiedClip(openDatabase(env.DB), mediaId);
  if (clip === null) return;
  const { sourceAssetId, clipStartMs, clipEndMs } = clip;
  // Times strictly inside the first and the last segment select them despite rounding.
  const range = await findSessionRange(env, sourceAssetId, (clipStartMs + 1) / 1000, (clipEndMs - 1) / 1000);
  const session = range?.kind === "range" ? await readRecordedSession(env, sourceAssetId, range) : null;
  if (range?.kind !== "range" || session === null)
    throw new MissingError("the session does not have the clip's segments");
  const rows = recordingRows(mediaId, session);
  const copies = copiesOf(rows, range.first);
  const share = copies.slice(from, from + OBJECTS_PER_MESSAGE);
  for (let at = 0; at < share.length; at += AT_ONCE)
    await Promise.all(
      share
        .slice(at, at + AT_ONCE)
        .map(({ name, file, to }) =>
          copyObject(env, renditionKey(sourceAssetId, name, file), renditionKey(mediaId, name, to)),
        ),
    );
  if (from + share.length < copies.length) {
    await env.CLIPS.send({ mediaId, from: from + share.length, isOfOwner } satisfies CopyTask);
    return;
  }
  await addBroadcastCaptions(env, { mediaId, sessionId: sourceAssetId }, session, range, new Date());
  const whole = await Promise.all(rows.map((row) => withInitBytes(env, row)));
  const events = [{ id: await derivedId(mediaId, "end"), type: "asset.ready" as const }];
  // Viewers would spend the owner's budget of AI.
  const outcome = await finishRecording(env, { mediaId, rows: whole, events, hasUsual: isOfOwner }, new Date());
  if (outcome === "ready") await imageMaker(env, mediaId).prepareSoon(mediaId);
  log("clip.ready", { mediaId, sessionId: sourceAssetId, objects: copies.length });
}

/** The objects to copy, in a constant order. The clip's segments are numbered from 0. */
const copiesOf = (rows: RecordedRow[], firstMsn: number): { name: string; file: string; to: string }[] =>
  rows.flatMap(({ name, segments: { bytes, spans = [] } }) => {
    const inits = [...new Set(spans.map(({ initVersion }) => `init-${initVersion}.mp4`))];
    const segments = [...bytes.entries()].filter(([, size]) => size > 0);
    return [
      ...inits.map((file) => ({ name, file, to: file })),
      ...segments.map(([n]) => ({ name, file: `${firstMsn + n}.m4s`, to: `${n}.m4s` })),
    ];
  });

async function copyObject(env: Env, from: string, to: string): Promise<void> {
  const object = await env.MEDIA.get(from);
  if (object === null) throw new MissingError(`${from} is not in R2`);
  await env.MEDIA.put(to, object.body, {
    httpMetadata: object.httpMetadata ?? {},
    customMetadata: object.customMetadata ?? {}, // the version of the init segment
  });
}
