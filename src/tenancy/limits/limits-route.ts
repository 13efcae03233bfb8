import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import { dataAnswer, security, success } from "../../platform/http/answers.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { newRouter } from "../../platform/http/router.ts";
import { REQUESTS_PER_MINUTE } from "./limit-requests.ts";
import { usageOf } from "./repository.ts";
import { boundsOf } from "./commit-within-limits.ts";

const Used = z.object({ limit: z.int(), used: z.int() });

const WorkspaceLimits = z
  .object({
    trial: z.literal(false),
    media: Used,
    liveStreams: Used,
    waitingUploads: Used.openapi({ description: "Uploads that are not complete, cancelled or expired" }),
    storageBytes: Used.openapi({
      description:
        "Bytes of renditions, sources and pictures until they are deleted from storage, and of files that are being uploaded",
    }),
    apiRequestsPerMinute: z.object({ limit: z.int() }),
  })
  .openapi("WorkspaceLimits");

const limitsRoute = createRoute({
  operationId: "get-limits",
  summary: "The limits of the workspace, and what it uses",
  description:
    "Recordings and clips of live streams are media too. Requests are counted in each of Cloudflare's locations; beyond the limit they get 429 with `Retry-After`.",
  method: "get",
  path: "/v1/limits",
  tags: ["Limits"],
  security,
  responses: { 200: dataAnswer(WorkspaceLimits, "Limits and usage"), ...problemResponses("unauthorized") },
});

export const limitsRoutes = newRouter().openapi(limitsRoute, async (c) => {
  const { mediaCount, streamCount, uploadCount, storedBytes } = await usageOf(
    openDatabase(c.env.DB),
    c.var.caller.workspaceId,
  );
  const bounds = boundsOf(c.env);
  const limits: z.output<typeof WorkspaceLimits> = {
    trial: false,
    media: { limit: bounds.mediaCount, used: mediaCount },
    liveStreams: { limit: bounds.streamCount, used: streamCount },
    waitingUploads: { limit: bounds.uploadCount, used: uploadCount },
    storageBytes: { limit: bounds.storedBytes, used: storedBytes },
    apiRequestsPerMinute: { limit: REQUESTS_PER_MINUTE },
  };
  return c.json(success(limits), 200);
});
