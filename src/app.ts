import { encoderCallbacks } from "./library/encoding/routes.ts";
import { activityRoutes } from "./library/assets/activity-routes.ts";
import { assetRoutes } from "./library/assets/index.ts";
import { eventTypeRoutes } from "./events/event-type-routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { eventRecordRoute } from "./events/webhooks/event-record-route.ts";
import { clipRoutes } from "./live/clips/clips-routes.ts";
import { ingestRoutes } from "./live/ingest/ingest-routes.ts";
import { pushRoutes } from "./live/ingest/push-route.ts";
import { livePlaybackRoutes } from "./live/streams/playback-id-routes.ts";
import { streamRoutes } from "./live/streams/routes.ts";
import { simulcastIngestRoutes } from "./live/simulcast/simulcast-ingest-routes.ts";
import { simulcastRoutes } from "./live/simulcast/simulcast-routes.ts";
import { answerPlayback, forgetPlayback, playbackRoutes } from "./playback/index.ts";
import { webhookRoutes } from "./events/webhooks/routes.ts";
import { requireCredentials } from "./tenancy/credentials/credentials.ts";
import { healthRoute } from "./health-route.ts";
import type { Env } from "./platform/env.ts";
import { lingerOnRefusal } from "./platform/http/lingering.ts";
import { Problem } from "./platform/http/problems.ts";
import { boundApiBodies } from "./platform/http/read-json.ts";
import { referencePage } from "./platform/http/reference-page.ts";
import { logRequests } from "./events/request-log/request-log.ts";
import { requestLogRoutes } from "./events/request-log/request-log-routes.ts";
import { newRouter, renderError } from "./platform/http/router.ts";
import { answerStartPage } from "./start-page.ts";

/** The Worker's fetch handler: playback first, then the router. */
export function createFetch(app = createApp()) {
  return async (request: Request, env: Env, ctx: ExecutionContext): Promise<Response> => {
    const playing = answerPlayback(request, env, ctx);
    if (playing === null) return await app.fetch(request, env, ctx);
    const answer = await playing;
    answer.headers.set("x-request-id", requestIdOf(request));
    return answer;
  };
}

const requestIdOf = ({ headers }: Request): string => headers.get("cf-ray") ?? crypto.randomUUID();

/** All routes of the Worker except playback, in matching order. */
export function createApp() {
  const app = newRouter();
  app.use("*", lingerOnRefusal);
  app.use("*", async (c, next) => {
    const requestId = requestIdOf(c.req.raw);
    c.set("requestId", requestId);
    await next();
    c.res.headers.set("x-request-id", requestId);
  });
  app.onError((error, c) => renderError(error, c.var.requestId));
  app.notFound((c) => renderError(new Problem("not_found", "there is no such route"), c.var.requestId));

  app.get("/", answerStartPage);
  app.route("/", healthRoute());

  app.openAPIRegistry.registerComponent("securitySchemes", "basic", {
    type: "http",
    scheme: "basic",
    description: "Access token id and its secret",
  });
  app.get("/v1/openapi.json", (c) =>
    c.json(openApiDocument(app, new URL(c.req.url).origin), 200, { "cache-control": "public, max-age=60" }),
  );
  app.get("/v1/reference", (c) =>
    c.html(referencePage(openApiDocument(app, new URL(c.req.url).origin)), 200, {
      "cache-control": "public, max-age=60",
    }),
  );

  app.use("/v1/*", requireCredentials);
  app.use("/v1/*", logRequests);
  app.use("/v1/*", boundApiBodies);
  app.route("/", assetRoutes({ forgetPlayback }));
  app.route("/", activityRoutes);
  app.route("/", eventTypeRoutes);
  app.route("/", eventRoutes);
  app.route("/", eventRecordRoute);
  app.route("/", requestLogRoutes);
  app.route("/", webhookRoutes);
  app.route("/", streamRoutes);
  app.route("/", livePlaybackRoutes);
  app.route("/", simulcastRoutes);
  app.route("/", clipRoutes);
  app.route("/", encoderCallbacks);
  app.route("/", ingestRoutes);
  app.route("/", simulcastIngestRoutes);
  app.route("/", pushRoutes);
  app.route("/", playbackRoutes);
  return app;
}

export function openApiDocument(app: ReturnType<typeof newRouter>, origin: string) {
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Sluice",
      version: "1",
      description:
        "On-demand video from URLs, low-latency live, playback and webhooks, on your own Cloudflare account.",
    },
    servers: [{ url: origin }],
  });
}
