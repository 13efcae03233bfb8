import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { KeySystem } from "../../media/cenc/content-key.ts";
import { refusedMethod } from "../../platform/http/hints/allowed-methods.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { Problem, type ProblemCode, problemResponse } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { type AppContext, newRouter } from "../../platform/http/router.ts";
import { CORS } from "../headers.ts";
import type { LicenseRequest } from "./admit-license.ts";
import { ClearKeyLicense, clearKeyLicense, ClearKeyRequest } from "./clearkey-license.ts";
import { proxyCertificate, proxyLicense } from "./proxy-license.ts";

/** Published clients ask for the licences of streams below `live`. Both paths serve every playback ID. */
const PREFIXES = [
  { prefix: "/v1/on-demand/drm", suffix: "" },
  { prefix: "/v1/live/drm", suffix: "-live" },
] as const;

const binary = { "application/octet-stream": { schema: z.string().openapi({ format: "binary", example: "bytes" }) } };
const challenge = { required: true, content: binary, description: "What the player's decryption module asks" };
const jsonRequest = { required: true, content: json(ClearKeyRequest) };

/** A licence, and the codes of its refusals in addition to the token's. */
interface Offer {
  keySystem: KeySystem;
  method: "get" | "post";
  /** Below the prefix, before the playback ID. */
  place: `${"license" | "cert"}/${KeySystem}`;
  operationId: string;
  summary: string;
  description: string;
  body?: typeof challenge | typeof jsonRequest;
  content: typeof binary | ReturnType<typeof json<typeof ClearKeyLicense>>;
  problems: ProblemCode[];
  answer(asked: LicenseRequest): Promise<Response>;
}

const SERVICE_PROBLEMS: ProblemCode[] = [
  "drm_not_set_up",
  "body_too_large",
  "license_refused",
  "license_service_failed",
  "unavailable",
];
const bytesAnswer = (body: Uint8Array<ArrayBuffer>) =>
  new Response(body, { headers: { "content-type": "application/octet-stream" } });

const OFFERS: Offer[] = [
  {
    keySystem: "clearkey",
    method: "post",
    place: "license/clearkey",
    operationId: "clearkey-license",
    summary: "A ClearKey licence",
    description: "The keys themselves, for tests and demos.",
    body: jsonRequest,
    content: json(ClearKeyLicense),
    problems: ["body_too_large", "license_refused", "unavailable"],
    answer: async (asked) => Response.json(await clearKeyLicense(asked)),
  },
  {
    keySystem: "widevine",
    method: "post",
    place: "license/widevine",
    operationId: "widevine-license",
    summary: "A Widevine licence",
    description: "From the licence service of this deployment.",
    body: challenge,
    content: binary,
    problems: SERVICE_PROBLEMS,
    answer: async (asked) => bytesAnswer(await proxyLicense(asked, "DRM_LICENSE_PROXY_WIDEVINE_URL")),
  },
  {
    keySystem: "fairplay",
    method: "post",
    place: "license/fairplay",
    operationId: "fairplay-license",
    summary: "A FairPlay licence",
    description:
      "A content key context (CKC) for the player's server playback context (SPC), from the licence service of this deployment.",
    body: challenge,
    content: binary,
    problems: SERVICE_PROBLEMS,
    answer: async (asked) => bytesAnswer(await proxyLicense(asked, "DRM_LICENSE_PROXY_FAIRPLAY_URL")),
  },
  {
    keySystem: "fairplay",
    method: "get",
    place: "cert/fairplay",
    operationId: "fairplay-certificate",
    summary: "The FairPlay certificate",
    description: "Of the licence service of this deployment. A player needs it for its request for a licence.",
    content: binary,
    problems: SERVICE_PROBLEMS,
    answer: async (asked) => bytesAnswer(await proxyCertificate(asked)),
  },
];

/**
 * Licences for viewers, who have a playback token and no credentials of the API. Bodies are read whatever their content type: browsers name none.
 */
export function licenseRoutes() {
  const routes = newRouter();
  for (const { prefix, suffix } of PREFIXES) {
    routes.use(`${prefix}/*`, async (c, next) => {
      await next();
      for (const [name, value] of Object.entries({ ...CORS, "cache-control": "no-store" }))
        c.res.headers.set(name, value);
    });
    for (const offer of OFFERS) {
      routes.openAPIRegistry.registerPath(documentOf(offer, prefix, suffix));
      const path = `${prefix}/${offer.place}/:playbackId`;
      routes.options(path, preflight);
      routes.on(offer.method, path, (c) => offer.answer(askedOf(c, offer.keySystem)));
      // Here, because a request that goes on is asked for credentials.
      routes.all(path, (c) => {
        const refused = refusedMethod(routes, c.req);
        if (refused === null) return c.notFound();
        return problemResponse(new Problem("method_not_allowed", refused.detail), refused.headers);
      });
    }
    const elsewhere = `${prefix}/:place{.+}`;
    routes.options(elsewhere, preflight);
    routes.all(elsewhere, () => problemResponse(noSuchOffer(prefix)));
  }
  return routes;
}

const preflight = (c: Context<AppContext>) => c.body(null, 204, PREFLIGHT);

/** A player asks with a token, so an answer about credentials would mislead its author. */
const noSuchOffer = (prefix: string) =>
  new Problem(
    "not_found",
    `there is no such key system, or no such address of it: ${prefix} has ${OFFERS.map(({ place }) => `${place}/{playbackId}`).join(", ")}`,
  );

const documentOf = (offer: Offer, prefix: string, suffix: string) => {
  const { method, place, operationId, summary, description, body, content, problems } = offer;
  return createRoute({
    operationId: operationId + suffix,
    summary: suffix === "" ? summary : `${summary} of a stream`,
    description,
    method,
    path: `${prefix}/${place}/{playbackId}`,
    tags: ["Licences"],
    security: [], // the token of the query
    request: {
      params: z.object({ playbackId: uuidParam("playbackId") }),
      query: z.object({
        token: z.string().openapi({ description: "A playback token whose `aud` is `drm:{playbackId}`" }),
      }),
      ...(body === undefined ? {} : { body }),
    },
    responses: {
      200: { description: summary, content },
      ...problemResponses(
        "playback_unauthorized",
        "forbidden",
        "moderation_hold",
        "playback_not_found",
        "validation_failed",
        ...problems,
      ),
    },
  });
};

const askedOf = (c: Context<AppContext>, keySystem: KeySystem): LicenseRequest => ({
  request: c.req.raw,
  env: c.env,
  ctx: c.executionCtx,
  playbackId: (c.req.param("playbackId") ?? "").toLowerCase(),
  keySystem,
});

const PREFLIGHT = {
  ...CORS,
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-allow-headers": "Content-Type",
  "access-control-max-age": "86400",
};
