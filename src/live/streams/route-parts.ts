/** Shared parts of the stream routes. */
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { uuidParam } from "../../platform/http/requests.ts";
import type { AppContext } from "../../platform/http/router.ts";

const hexId = (name: string) =>
  z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .openapi({ param: { name, in: "path" }, example: "61a264dcc447b63da6fb79ef925cd76d" });
export const streamParams = z.object({ streamId: hexId("streamId") });
export const targetParams = streamParams.extend({ simulcastId: hexId("simulcastId") });
export const playbackParams = streamParams.extend({ playbackId: uuidParam("playbackId") });

export const keyOf = (c: Context<AppContext>, streamId: string) => ({
  workspaceId: c.var.caller.workspaceId,
  streamId,
});
