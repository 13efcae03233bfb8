import { createRoute, z } from "@hono/zod-openapi";
import { REVIEW } from "../library/images/index.ts";
import { security } from "../platform/http/answers.ts";
import { problemResponses } from "../platform/http/openapi.ts";
import { orNotFound, Problem } from "../platform/http/problems.ts";
import { uuidParam } from "../platform/http/requests.ts";
import { newRouter } from "../platform/http/router.ts";
import { answerStill, requirePicture } from "./images.ts";
import { findPlayable } from "./resolve.ts";

/** As in the addresses that the record of a media has. */
const USUAL_BLUR = "50";

const thumbnailRoute = createRoute({
  operationId: "get-media-moderation-thumbnail",
  summary: "Look at a moment of a media, also while it is held",
  description: "A JPEG, blurred unless `blur` is 0. Viewers get none of a media that moderation holds.",
  method: "get",
  path: "/v1/on-demand/{mediaId}/moderation/thumbnail",
  tags: ["In-video AI"],
  security,
  request: {
    params: z.object({ mediaId: uuidParam("mediaId") }),
    query: z.object({
      time: z.string().optional().openapi({ description: "Seconds; the poster by default", example: "12.5" }),
      width: z.string().optional().openapi({ description: "1 to 4096 px", example: "640" }),
      blur: z.string().optional().openapi({ description: "0 to 100, percent of the strongest one", example: "50" }),
    }),
  },
  responses: {
    200: {
      description: "The picture",
      content: { "image/jpeg": { schema: z.string().openapi({ format: "binary", example: "bytes" }) } },
    },
    ...problemResponses(
      "not_ready",
      "unauthorized",
      "forbidden",
      "media_not_found",
      "playback_not_found",
      "validation_failed",
      "too_many_requests",
      "unavailable",
    ),
  },
});

/** Pictures for those who decide about a media. Its playback IDs refuse them while it is held. */
export const reviewRoutes = () =>
  newRouter().openapi(thumbnailRoute, async (c) => {
    const assetId = c.req.valid("param").mediaId.toLowerCase();
    const { workspaceId } = c.var.caller;
    const playable = orNotFound(await findPlayable(c.env.DB, { workspaceId, assetId }), "media_not_found");
    const shown = requirePicture(playable, { resolution: null });
    const url = new URL(c.req.url);
    if (!url.searchParams.has("blur")) url.searchParams.set("blur", USUAL_BLUR);
    const still = { kind: "still", format: "jpg" } as const;
    const request = new Request(url); // without the caller's conditions: the answer is always a picture
    const counted = { workspaceId, playbackId: REVIEW };
    const answer = await answerStill({ request, url }, c.env, c.executionCtx, playable, counted, shown, still);
    if (!answer.ok || answer.body === null)
      throw new Problem("unavailable", "the picture cannot be read at the moment");
    return c.body(answer.body, 200, { "content-type": "image/jpeg", "cache-control": "no-store" });
  });
