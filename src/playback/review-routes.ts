import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../platform/database.ts";
import { security } from "../platform/http/answers.ts";
import { problemResponses } from "../platform/http/openapi.ts";
import { orNotFound } from "../platform/http/problems.ts";
import { uuidParam } from "../platform/http/requests.ts";
import { newRouter } from "../platform/http/router.ts";
import { playbackIdsOf } from "../tenancy/access/index.ts";
import { answerStill, requirePicture } from "./images.ts";
import { resolvePlaybackId } from "./resolve.ts";

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
    const ids = await playbackIdsOf(openDatabase(c.env.DB), [assetId]);
    const own = orNotFound(
      ids.find(({ workspaceId }) => workspaceId === c.var.caller.workspaceId),
      "media_not_found",
    );
    const resolved = await resolvePlaybackId(c.env.DB, c.executionCtx, own.id);
    const asset = orNotFound(resolved?.kind === "asset" ? resolved : null, "media_not_found");
    const shown = requirePicture(asset);
    const url = new URL(c.req.url);
    if (!url.searchParams.has("blur")) url.searchParams.set("blur", USUAL_BLUR);
    const still = { kind: "still", format: "jpg" } as const;
    const answer = await answerStill({ request: c.req.raw, url }, c.env, c.executionCtx, asset, shown, still);
    return c.body(answer.body ?? "", 200, { "content-type": "image/jpeg", "cache-control": "no-store" });
  });
