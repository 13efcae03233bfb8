import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import { dataAnswer, security, success } from "../../platform/http/answers.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { Problem } from "../../platform/http/problems.ts";
import { publicUrlOf } from "../../platform/http/requests.ts";
import { newRouter } from "../../platform/http/router.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import { findOwnPolicy } from "../access/index.ts";
import { signPlaybackToken } from "./sign-token.ts";

const MAX_LIFETIME_SECONDS = 604_800; // 7 days

const CreatePlaybackToken = z
  .strictObject({
    playbackId: z.uuid().openapi({ description: "Of a media or a stream" }),
    expiresIn: z
      .int()
      .min(1)
      .max(MAX_LIFETIME_SECONDS)
      .default(3600)
      .openapi({ description: "Seconds for which playback may start with it" }),
  })
  .openapi("CreatePlaybackToken");

const PlaybackToken = z
  .object({
    token: z.string().openapi({ description: "Goes into the query of playback addresses, as `token`" }),
    playbackId: z.uuid(),
    signingKeyId: z.uuid().openapi({ description: "Its deletion revokes the token" }),
    expiresAt: z.string(),
  })
  .openapi("PlaybackToken");

const createTokenRoute = createRoute({
  operationId: "create-playback-token",
  summary: "Make a playback token",
  description:
    "For those who do not sign tokens themselves. The first request makes a signing key of the workspace, of which the platform has the private half.",
  method: "post",
  path: "/v1/iam/playback-tokens",
  tags: ["Signing keys"],
  security,
  request: { body: { required: true, content: json(CreatePlaybackToken) } },
  responses: {
    201: dataAnswer(PlaybackToken, "The token"),
    ...problemResponses(
      "unauthorized",
      "forbidden",
      "playback_not_found",
      "signing_key_limit_reached",
      "validation_failed",
    ),
  },
});

export const playbackTokenRoutes = newRouter().openapi(createTokenRoute, async (c) => {
  const { expiresIn, ...body } = c.req.valid("json");
  const playbackId = body.playbackId.toLowerCase();
  const { workspaceId } = c.var.caller;
  const accessPolicy = await findOwnPolicy(openDatabase(c.env.DB), workspaceId, playbackId);
  if (accessPolicy === null) throw new Problem("playback_not_found", "no such playback id");
  const asked = { workspaceId, playbackId, accessPolicy, publicUrl: publicUrlOf(c), expiresInSeconds: expiresIn };
  const { token, keyId, expiresAt } = await signPlaybackToken(c.env, asked, new Date());
  return c.json(success({ token, playbackId, signingKeyId: keyId, expiresAt: toTimestamp(expiresAt) }), 201, {
    "cache-control": "no-store",
  });
});
