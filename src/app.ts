import { encoderCallbacks } from "./library/encoding/routes.ts";
import { mediaClipsRoute } from "./library/assets/media-clips-route.ts";
import { activityRoutes } from "./library/assets/activity-routes.ts";
import { assetRoutes } from "./library/assets/index.ts";
import { trackRoutes } from "./library/tracks/index.ts";
import { mediaPlaybackRoutes } from "./library/playback-ids/routes.ts";
import { uploadRoutes } from "./library/uploads/routes.ts";
import { uploadPageRoutes } from "./library/uploads/page/routes.ts";
import { tusRoutes } from "./library/uploads/tus/routes.ts";
import { transferRoutes } from "./library/uploads/transfer/routes.ts";
import { playlistRoutes } from "./library/playlists/routes.ts";
import { eventTypeRoutes } from "./events/catalogue/event-type-routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { eventRecordRoute } from "./events/webhooks/deliveries/event-record-route.ts";
import { alertRoutes } from "./analytics/alerts/routes.ts";
import { beaconPreflight, receiveBeacon, workspaceKeyIn } from "./analytics/index.ts";
import { metricRoutes } from "./analytics/metrics/metric-routes.ts";
import { viewRoutes } from "./analytics/metrics/view-routes.ts";
import { refusalRoutes } from "./analytics/beacons/refusals-route.ts";
import { beaconRoutes } from "./analytics/beacons/routes.ts";
import { exportDownloads, exportRoutes } from "./analytics/exports/routes.ts";
import { viewerRoutes } from "./analytics/viewers/routes.ts";
import { engagementRoutes } from "./analytics/engagement/routes.ts";
import { currentViewRoutes } from "./analytics/current/routes.ts";
import { cmcdRoutes } from "./analytics/cmcd/routes.ts";
import { clipRoutes } from "./live/clips/clips-routes.ts";
import { ingestRoutes } from "./live/ingest/ingest-routes.ts";
import { pushRoutes } from "./live/ingest/push-routes.ts";
import { livePlaybackRoutes } from "./live/streams/playback-id-routes.ts";
import { streamRoutes } from "./live/streams/routes.ts";
import { simulcastIngestRoutes } from "./live/simulcast/simulcast-ingest-routes.ts";
import { simulcastRoutes } from "./live/simulcast/simulcast-routes.ts";
import { answerPlayback, forgetPlayback, playbackRoutes } from "./playback/index.ts";
import { licenseRoutes } from "./playback/licenses/routes.ts";
import { webhookRoutes } from "./events/webhooks/routes.ts";
import { drmConfigurationRoutes } from "./tenancy/drm/configuration-routes.ts";
import { limitRequests } from "./tenancy/limits/limit-requests.ts";
import { limitsRoutes } from "./tenancy/limits/limits-route.ts";
import { playbackTokenRoutes } from "./tenancy/playback-tokens/routes.ts";
import { signingKeyRoutes } from "./tenancy/signing-keys/routes.ts";
import { verifyCredentialsRoute } from "./tenancy/credentials/verify-route.ts";
import { requireCredentials } from "./tenancy/credentials/credentials.ts";
import { healthRoute } from "./health-route.ts";
import type { Env } from "./platform/env.ts";
import { stateCharset } from "./platform/http/json-charset.ts";
import { keepPrivate } from "./platform/http/keep-private.ts";
import { lingerOnRefusal } from "./platform/http/lingering.ts";
import { prefersHtml } from "./platform/http/html-page.ts";
import { problemPage } from "./platform/http/problem-page.ts";
import { pathHint, refusedMethod } from "./platform/http/hints/allowed-methods.ts";
import { Problem, problemResponse } from "./platform/http/problems.ts";
import { logLostWork } from "./platform/log-lost-work.ts";
import { boundApiBodies } from "./platform/http/read-json.ts";
import { logRequests } from "./events/request-log/request-log.ts";
import { requestLogRoutes } from "./events/request-log/request-log-routes.ts";
import { newRouter, renderError } from "./platform/http/router.ts";
import { apiDocument } from "./api-document.ts";
import { registerEvents } from "./api-webhooks.ts";
import { isServedHere } from "./hosts.ts";
import { atCanonicalPath } from "./path-aliases.ts";
import { answerReference } from "./reference-page.ts";
import { createSetupReport } from "./setup.ts";
import { answerStartPage } from "./start-page.ts";

/** The Worker's fetch handler: playback first, then the router. */
export function createFetch(app = createApp()) {
  const reportSetup = createSetupReport();
  return async (given: Request, env: Env, ctx: ExecutionContext): Promise<Response> => {
    const request = atCanonicalPath(given);
    logLostWork(ctx);
    reportSetup(request, env, ctx);
    if (env.BEACON_DOMAIN !== "") {
      const workspaceKey = workspaceKeyIn(new URL(request.url).hostname, env.BEACON_DOMAIN);
      if (workspaceKey !== null) return await answerBeaconHost(request, env, workspaceKey);
    }
    const playing = isServedHere(request.url, env.PUBLIC_URL)
      ? answerPlayback(request, env, ctx)
      : answerNowhere(request);
    if (playing === null) return await app.fetch(request, env, ctx);
    const answer = await playing;
    answer.headers.set("x-request-id", requestIdOf(request));
    return answer;
  };
}

/** A host below the beacon domain serves nothing else. */
async function answerBeaconHost(request: Request, env: Env, workspaceKey: string): Promise<Response> {
  if (request.method === "POST") return await receiveBeacon(request, env, workspaceKey);
  return request.method === "OPTIONS" ? beaconPreflight() : await answerNowhere(request);
}

async function answerNowhere(request: Request): Promise<Response> {
  const problem = new Problem("not_found", "this host does not serve this address");
  return prefersHtml(request) ? await problemPage(request, problem) : problemResponse(problem);
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
  app.onError(renderError);
  app.notFound(async ({ req }) => {
    const refused = refusedMethod(app, req);
    const headers = refused?.headers ?? {};
    const problem =
      refused === null
        ? new Problem("not_found", `there is no such route${pathHint(app, req.path)}`)
        : new Problem("method_not_allowed", refused.detail);
    return prefersHtml(req.raw) ? await problemPage(req.raw, problem, headers) : problemResponse(problem, headers);
  });

  app.get("/", answerStartPage);
  app.route("/", healthRoute());

  app.openAPIRegistry.registerComponent("securitySchemes", "basic", {
    type: "http",
    scheme: "basic",
    description: "Access token id and its secret; on one machine, `username` and `password` in `.sluice/local.json`",
  });
  registerEvents(app);
  app.get("/v1/openapi.json", (c) =>
    c.json(apiDocument(app, new URL(c.req.url).origin), 200, { "cache-control": "public, max-age=60" }),
  );
  app.get("/v1/reference", (c) => answerReference(c.req.raw));
  app.get("/v1/reference/", (c) => c.redirect("/v1/reference", 308));

  app.use("/v1/*", keepPrivate);
  app.use("/v1/*", stateCharset);
  app.route("/", licenseRoutes()); // before the credentials: viewers have playback tokens
  app.use("/v1/*", requireCredentials);
  app.use("/v1/*", logRequests);
  app.use("/v1/*", limitRequests);
  app.use("/v1/*", boundApiBodies);
  app.route("/", playlistRoutes); // before the media, whose ids are in the same place of the path
  app.route("/", drmConfigurationRoutes);
  app.route("/", uploadRoutes);
  app.route("/", assetRoutes({ forgetPlayback }));
  app.route("/", mediaPlaybackRoutes({ forgetPlayback }));
  app.route("/", trackRoutes({ forgetPlayback }));
  app.route("/", mediaClipsRoute);
  app.route("/", activityRoutes);
  app.route("/", eventTypeRoutes);
  app.route("/", eventRoutes);
  app.route("/", eventRecordRoute);
  app.route("/", requestLogRoutes);
  app.route("/", webhookRoutes);
  app.route("/", streamRoutes);
  app.route("/", livePlaybackRoutes);
  app.route("/", simulcastRoutes);
  app.route("/", verifyCredentialsRoute);
  app.route("/", signingKeyRoutes);
  app.route("/", limitsRoutes);
  app.route("/", playbackTokenRoutes);
  app.route("/", clipRoutes);
  app.route("/", uploadPageRoutes);
  app.route("/", tusRoutes({ requireCredentials }));
  app.route("/", transferRoutes);
  app.route("/", encoderCallbacks);
  app.route("/", ingestRoutes);
  app.route("/", simulcastIngestRoutes);
  app.route("/", pushRoutes);
  app.route("/", exportRoutes);
  app.route("/", viewerRoutes);
  app.route("/", viewRoutes);
  app.route("/", metricRoutes);
  app.route("/", currentViewRoutes);
  app.route("/", engagementRoutes);
  app.route("/", refusalRoutes);
  app.route("/", alertRoutes);
  app.route("/", beaconRoutes);
  app.route("/", cmcdRoutes);
  app.route("/", exportDownloads);
  app.route("/", playbackRoutes);
  return app;
}
