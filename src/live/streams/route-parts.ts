/** What the routes of streams have in common. */
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { json } from "../../platform/http/openapi.ts";
import { Problem, type ProblemCode } from "../../platform/http/problems.ts";
import type { AppContext } from "../../platform/http/router.ts";

export const security = [{ basic: [] }];
const hexId = (name: string) =>
  z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .openapi({ param: { name, in: "path" }, example: "61a264dcc447b63da6fb79ef925cd76d" });
export const streamParams = z.object({ streamId: hexId("streamId") });
export const targetParams = streamParams.extend({ simulcastId: hexId("simulcastId") });
export const playbackParams = streamParams.extend({
  playbackId: z.uuid().openapi({ param: { name: "playbackId", in: "path" } }),
});

export const answer = <T extends z.ZodType>(data: T, description: string) => ({
  description,
  content: json(z.object({ success: z.literal(true), data })),
});
export const done = (description: string) => ({
  description,
  content: json(z.object({ success: z.literal(true) })),
});

export const keyOf = (c: Context<AppContext>, streamId: string) => ({
  workspaceId: c.var.caller.workspaceId,
  streamId,
});

const DETAILS: Partial<Record<ProblemCode, string>> = {
  stream_not_found: "no stream has this id",
  stream_playback_not_found: "no stream of this id has such a playback ID",
  simulcast_not_found: "no stream of this id has such a simulcast target",
};

/** @throws {Problem} the same for another workspace's id and for one that never existed */
export function orNotFound<T>(found: T | null | undefined, code: ProblemCode = "stream_not_found"): T {
  if (found === null || found === undefined) throw new Problem(code, DETAILS[code] ?? "it does not exist");
  return found;
}

export const publicUrlOf = (c: Context<AppContext>): string => c.env.PUBLIC_URL || new URL(c.req.url).origin;
