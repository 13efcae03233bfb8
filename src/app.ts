import { aiRoutes } from "./ai/routes.ts";
import { searchRoutes } from "./ai/search/routes.ts";
import { eventsRoutes } from "./events/api/routes.ts";
import { libraryRoutes } from "./library/routes.ts";
import { subtitleTextRoutes } from "./library/tracks/text/routes.ts";
import { answerMigrated } from "./imports/cutover/answer-migrated.ts";
import { importRoutes, listUploadRoutes } from "./imports/routes.ts";
import { liveRoutes } from "./live/routes.ts";
import { tenancyRoutes } from "./tenancy/routes.ts";
import { analyticsRoutes } from "./analytics/routes.ts";
import { beaconPreflight, receiveBeacon, workspaceKeyIn } from "./analytics/index.ts";
import { clipRoutes } from "./live/clips/clips-routes.ts";
import { answerPlayback, forgetPlayback, playbackRoutes } from "./playback/index.ts";
import { mcpRoutes } from "./mcp/routes.ts";
import { reviewRoutes } from "./playback/review-routes.ts";
import { licenseRoutes } from "./playback/licenses/routes.ts";
import { countRequest, limitRequests } from "./tenancy/limits/limit-requests.ts";
import { authenticate, requireCredentials } from "./tenancy/credentials/credentials.ts";
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
    const maybeMigrated = answerMigrated(given, env);
    const migrated = maybeMigrated && (await maybeMigrated);
    if (migrated !== null) return withRequestId(migrated, request);
    const playing = isServedHere(request.url, env.PUBLIC_URL)
      ? answerPlayback(request, env, ctx)
      : answerNowhere(request);
    if (playing === null) return await app.fetch(request, env, ctx);
    return withRequestId(await playing, request);
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

function withRequestId(answer: Response, request: Request): Response {
  answer.headers.set("x-request-id", requestIdOf(request));
  return answer;
}

const requestIdOf = ({ headers }: Request): string => headers.get("cf-ray") ?? crypto.randomUUID();

/** What every request with credentials passes, in this order. */
const API_REQUEST = [requireCredentials, logRequests, limitRequests] as const;

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
  for (const step of API_REQUEST) app.use("/v1/*", step);
  app.route("/", subtitleTextRoutes({ forgetPlayback })); // before the bound of JSON bodies: they are WebVTT
  app.route("/", listUploadRoutes); // as well: lists have up to 256 MiB
  app.use("/v1/*", boundApiBodies);
  app.route("/", searchRoutes); // before `/v1/on-demand/{mediaId}`
  app.route("/", libraryRoutes({ forgetPlayback, asApiRequest: API_REQUEST }));
  app.route("/", reviewRoutes());
  app.route("/", eventsRoutes);
  app.route("/", liveRoutes);
  app.route("/", tenancyRoutes);
  app.route("/", clipRoutes); // here, because the API document lists operations in this order
  app.route("/", analyticsRoutes);
  app.route("/", importRoutes());
  app.route("/", aiRoutes);
  app.route("/", playbackRoutes);

  app.use("/mcp", keepPrivate);
  app.route(
    "/",
    mcpRoutes({
      send: (request, c) => app.fetch(request, c.env, c.executionCtx),
      document: () => apiDocument(app, ""),
      authenticate,
      countRequest,
    }),
  );
  return app;
}
