import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import { dataAnswer, security, success } from "../../platform/http/answers.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { newRouter } from "../../platform/http/router.ts";
import { changeSettings, settingsOf } from "./store.ts";
import { NewMedia } from "./new-media.ts";
import { Vocabulary } from "./vocabulary.ts";
import { USUAL_THRESHOLD } from "../moderation/index.ts";

const ModerationThreshold = z.number().min(0).max(1).openapi({
  description: "A moderation score above it flags a media",
  example: USUAL_THRESHOLD,
});

const AiSettings = z
  .object({
    vocabulary: Vocabulary.default([]),
    newMedia: NewMedia.optional(),
    moderationThreshold: ModerationThreshold.default(USUAL_THRESHOLD),
  })
  .openapi("AiSettings", { description: "What is left out is none, and the threshold 0.5" });
const AiSettingsRecord = z
  .object({ vocabulary: z.array(z.string()), newMedia: NewMedia, moderationThreshold: z.number() })
  .openapi("AiSettingsRecord");

const path = "/v1/ai/settings";
const tags = ["In-video AI"];
const getRoute = createRoute({
  path,
  tags,
  security,
  operationId: "get-ai-settings",
  summary: "The workspace's settings of AI",
  description: "They hold for every result that is asked for afterwards.",
  method: "get",
  responses: { 200: dataAnswer(AiSettingsRecord, "The settings"), ...problemResponses("unauthorized") },
});
const putRoute = createRoute({
  path,
  tags,
  security,
  operationId: "update-ai-settings",
  summary: "Replace the workspace's settings of AI",
  description: "They hold for results that are asked for afterwards.",
  method: "put",
  request: { body: { required: true, content: json(AiSettings) } },
  responses: {
    200: dataAnswer(AiSettingsRecord, "The settings as they are now"),
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});

export const aiSettingsRoutes = newRouter()
  .openapi(getRoute, async (c) => {
    const { newMedia, ...settings } = await settingsOf(openDatabase(c.env.DB), c.var.caller.workspaceId);
    const { vocabulary, moderationThreshold } = settings;
    return c.json(success({ vocabulary, newMedia: NewMedia.parse(newMedia), moderationThreshold }), 200);
  })
  .openapi(putRoute, async (c) => {
    const { newMedia = NewMedia.parse({}), ...given } = c.req.valid("json");
    const settings = { ...given, newMedia };
    await changeSettings(openDatabase(c.env.DB), c.var.caller.workspaceId, settings, new Date());
    return c.json(success(settings), 200);
  });
