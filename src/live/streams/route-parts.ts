/** Shared parts of the stream routes. */
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Committed } from "../../events/webhooks/index.ts";
import { DONE, success } from "../../platform/http/answers.ts";
import { pattern } from "../../platform/http/fields.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { publicUrlOf, uuidParam } from "../../platform/http/requests.ts";
import type { AppContext } from "../../platform/http/router.ts";
import type { StreamRecord } from "./repository.ts";
import { actOnStream } from "./stream-actions.ts";
import { withIngest } from "./with-ingest.ts";

const hexId = (name: string) =>
  pattern(/^[0-9a-f]{32}$/, "32 lower-case hexadecimal digits").openapi({
    param: { name, in: "path" },
    example: "61a264dcc447b63da6fb79ef925cd76d",
  });
export const streamParams = z.object({ streamId: hexId("streamId") });
export const targetParams = streamParams.extend({ simulcastId: hexId("simulcastId") });
export const playbackParams = streamParams.extend({ playbackId: uuidParam("playbackId") });

export const keyOf = (c: Context<AppContext>, streamId: string) => ({
  workspaceId: c.var.caller.workspaceId,
  streamId,
});

export const streamItemProblems = problemResponses(
  "unauthorized",
  "forbidden",
  "stream_not_found",
  "validation_failed",
);

/** Carries out an action on a stream and answers without data. */
export async function answerAction(
  c: Context<AppContext>,
  streamId: string,
  action: Parameters<typeof actOnStream>[2],
) {
  orNotFound(await actOnStream(c.env, keyOf(c, streamId), action), "stream_not_found");
  return c.json(DONE, 200);
}

/** Answers with a stream that was just changed. @param change null when there is no such stream */
export async function answerChanged(
  c: Context<AppContext>,
  change: { record: StreamRecord; committed: Committed } | null,
) {
  const { record, committed } = orNotFound(change, "stream_not_found");
  c.executionCtx.waitUntil(committed.wake());
  const [data] = await withIngest(c.env, [record], publicUrlOf(c), new Date());
  return c.json(success(data!), 200);
}
