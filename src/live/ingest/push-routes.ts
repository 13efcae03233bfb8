import { Hono } from "hono";
import { success } from "../../platform/http/answers.ts";
import { publicUrlOf } from "../../platform/http/requests.ts";
import type { AppContext } from "../../platform/http/router.ts";
import { receivePush } from "./receive-push.ts";

/**
 * Broadcasts pushed over HTTP, for encoders behind firewalls and for installations without a gateway: MPEG-TS, FLV or fragmented MP4 in one
 * POST or PUT that lasts as long as the broadcast.
 */
export const pushRoutes = new Hono<AppContext>().on(["POST", "PUT"], "/ingest/:streamKey", async (c) => {
  const { raw } = c.req;
  const push = { sender: raw, streamKey: c.req.param("streamKey"), body: raw.body, publicUrl: publicUrlOf(c) };
  const reason = await receivePush(c.env, push, (isRead) => c.set("bodyIsRead", isRead));
  return c.json(success({ reason }));
});
