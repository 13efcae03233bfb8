import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { Env } from "../../../platform/env.ts";
import { Problem } from "../../../platform/http/problems.ts";
import { openDatabase } from "../../../platform/database.ts";
import { publicUrlOf } from "../../../platform/http/requests.ts";
import type { AppContext } from "../../../platform/http/router.ts";
import { maxSourceBytes } from "../../sources/limits.ts";
import { createUpload } from "../create-upload.ts";
import { findUpload } from "../repository.ts";
import { UploadSettings } from "../settings.ts";
import { preflightHeaders } from "../transfer/cors.ts";
import { known, refusalProblem } from "../transfer/receive-chunk.ts";
import { requireOpen } from "../transfer/receive-upload.ts";
import { grantOf, requireBegun, type UploadCall } from "../transfer/upload-call.ts";
import { uploadMachine, type UploadProgress } from "../upload-calls.ts";
import { type UploadGrant, URL_VALID_S } from "../upload-url.ts";
import { offerHeaders, tusFailure, tusHeaders, TusRefusal } from "./answers.ts";
import { bytesOf, parseMetadata, TUS_VERSION } from "./headers.ts";
import { receivePatch } from "./receive-patch.ts";

const CREATION = "/uploads/tus";
/** A creation's Location. */
const LOCATION = "/uploads/tus/:workspaceId/:uploadId";
/** The upload URL of the REST API speaks both protocols. */
const UPLOAD = "/uploads/:workspaceId/:uploadId";
/** An upload expires this long after its creation; its URL's time is counted from the creation too. */
const LIFE_S = 24 * 3600;
/** It is stored, and answered to each HEAD. */
const MAX_METADATA_LENGTH = 4096;

async function answer(
  c: UploadCall,
  carryOut: (c: UploadCall, grant: UploadGrant) => Promise<Response>,
): Promise<Response> {
  let corsOrigin = "*";
  try {
    const grant = grantOf(c);
    if (grant === null) throw new Problem("forbidden", "this is not an upload URL, or it was changed");
    corsOrigin = grant.corsOrigin;
    requireVersion(c);
    return await carryOut(c, grant);
  } catch (error) {
    return tusFailure(error, { corsOrigin, requestId: c.var.requestId });
  }
}

function requireVersion(c: Context<AppContext>): void {
  if (c.req.header("tus-resumable") === undefined && !c.req.path.startsWith("/uploads/tus/"))
    throw new Problem(
      "method_not_allowed",
      `send the file with PUT, or by tus with the header Tus-Resumable: ${TUS_VERSION}`,
    );
  if (c.req.header("tus-resumable") !== TUS_VERSION) throw new TusRefusal(412, `Tus-Resumable must be ${TUS_VERSION}`);
}

/**
 * tus 1.0 over the same store as the upload URLs of the REST API.
 *
 * @param asApiRequest what a creation passes, as it is a request with credentials; the Location that it answers with is a credential of its own
 */
export function tusRoutes({ asApiRequest }: { asApiRequest: readonly MiddlewareHandler<AppContext>[] }) {
  const routes = new Hono<AppContext>().use(CREATION, speakTus).options(CREATION, (c) => offer(c, "*"));
  for (const step of asApiRequest) routes.post(CREATION, step);
  routes.post(CREATION, create);
  for (const path of [LOCATION, UPLOAD]) {
    routes
      .options(path, answerOptions)
      .get(path, (c) => answer(c, head)) // Hono answers HEAD by it
      .patch(path, (c) => answer(c, patch))
      .delete(path, (c) => answer(c, terminate))
      .post(path, overridden);
  }
  return routes;
}

/** The preflight of a browser, and the question of a tus client what is offered. */
const offer = (c: Context<AppContext>, corsOrigin: string): Response =>
  c.body(null, 204, { ...preflightHeaders(corsOrigin), ...offerHeaders(maxSourceBytes(c.env)) });
const answerOptions = (c: UploadCall): Response => offer(c, grantOf(c)?.corsOrigin ?? "*");

/** Also a refusal of the credentials is an answer of the protocol, which scripts can read. */
const speakTus: MiddlewareHandler<AppContext> = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(tusHeaders("*"))) c.res.headers.set(name, value);
};

const METHODS: ReadonlyMap<string, typeof head> = new Map([
  ["HEAD", head],
  ["PATCH", patch],
  ["DELETE", terminate],
]);

/** Environments that can send only GET and POST name the method in a header. Other POSTs are the REST API's protocol. */
async function overridden(c: UploadCall, next: () => Promise<void>): Promise<Response | void> {
  const method = METHODS.get(c.req.header("x-http-method-override")?.toUpperCase() ?? "");
  if (method !== undefined) return await answer(c, method);
  if (!c.req.path.startsWith(`${CREATION}/`)) return await next();
  return await answer(c, () => {
    throw new Problem("method_not_allowed", "a POST here needs X-HTTP-Method-Override: HEAD, PATCH or DELETE");
  });
}

async function head(c: UploadCall, grant: UploadGrant): Promise<Response> {
  const [progress, upload] = await Promise.all([
    uploadMachine(c.env, grant.uploadId).readProgress(grant.uploadId),
    findUpload(openDatabase(c.env.DB), null, grant.uploadId),
  ]);
  const metadata = upload?.settings.tusMetadata;
  return c.body(null, 200, {
    ...progressHeaders(grant, requireOpen(known(progress))),
    ...(metadata === undefined ? {} : { "Upload-Metadata": metadata }),
  });
}

async function patch(c: UploadCall, grant: UploadGrant): Promise<Response> {
  await requireBegun(c, grant);
  const progress = await receivePatch(c.env, grant.uploadId, c.req.raw);
  return c.body(null, 204, progressHeaders(grant, progress));
}

async function terminate(c: UploadCall, { uploadId, corsOrigin }: UploadGrant): Promise<Response> {
  const progress = known(await uploadMachine(c.env, uploadId).cancel(uploadId));
  if (progress.status !== "cancelled") throw refusalProblem("over", progress);
  return c.body(null, 204, tusHeaders(corsOrigin));
}

function progressHeaders(grant: UploadGrant, { status, storedBytes, totalBytes }: UploadProgress) {
  return {
    ...tusHeaders(grant.corsOrigin),
    "Upload-Offset": String(storedBytes),
    ...(totalBytes === null ? { "Upload-Defer-Length": "1" } : { "Upload-Length": String(totalBytes) }),
    ...(status === "complete" ? {} : expiryHeader(grant.expiresAtS - URL_VALID_S)),
  };
}

const expiryHeader = (createdAtS: number) => ({
  "Upload-Expires": new Date((createdAtS + LIFE_S) * 1000).toUTCString(),
});

/** Creates an upload with the caller's credentials. `title` or `filename` becomes the media's title. */
async function create(c: Context<AppContext>): Promise<Response> {
  try {
    requireVersion(c);
    return await createFrom(c);
  } catch (error) {
    return tusFailure(error, { corsOrigin: "*", requestId: c.var.requestId });
  }
}

async function createFrom(c: Context<AppContext>): Promise<Response> {
  // A part would become a media of its own.
  if (c.req.header("upload-concat") !== undefined)
    throw new Problem("bad_chunk", "uploads are not joined: send the whole file as one upload, without Upload-Concat");
  const totalBytes = bytesOf(c.req.header("upload-length"));
  if (totalBytes === null && c.req.header("upload-defer-length") !== "1")
    throw new Problem("bad_chunk", "Upload-Length must be a number of bytes, or Upload-Defer-Length 1");
  if (totalBytes === 0) throw new Problem("bad_chunk", "the file is empty");
  const sent = c.req.header("upload-metadata");
  if ((sent ?? "").length > MAX_METADATA_LENGTH)
    throw new Problem("bad_chunk", `Upload-Metadata must have at most ${MAX_METADATA_LENGTH} characters`);
  const metadata = parseMetadata(sent ?? null);
  if (metadata === null) throw new Problem("bad_chunk", "Upload-Metadata must be pairs of a key and Base64");
  const settings = UploadSettings.safeParse({ title: metadata["title"] ?? metadata["filename"] });
  if (!settings.success) throw new Problem("bad_chunk", "the title in Upload-Metadata has more than 255 characters");
  const asked = { corsOrigin: "*", pushMediaSettings: settings.data, ...(sent ? { tusMetadata: sent } : {}) };
  const context = contextOf(c);
  const { answer: made } = await createUpload(asked, context);
  const { uploadId, url } = made.data;
  c.set("createdIds", [uploadId]);
  if (totalBytes !== null) await announce(c.env, uploadId, totalBytes);
  const location = url.replace("/uploads/", `${CREATION}/`);
  const expiry = expiryHeader(Math.floor(context.now.getTime() / 1000));
  return c.body(null, 201, { ...tusHeaders("*"), ...expiry, Location: location });
}

async function announce(env: Env, uploadId: string, totalBytes: number): Promise<void> {
  const verdict = known(await uploadMachine(env, uploadId).announceTotal(uploadId, totalBytes));
  if (verdict.kind !== "refuse") return;
  await uploadMachine(env, uploadId).cancel(uploadId);
  throw refusalProblem(verdict.reason, verdict.progress);
}

const contextOf = (c: Context<AppContext>) => ({
  env: c.env,
  workspaceId: c.var.caller.workspaceId,
  publicUrl: publicUrlOf(c),
  now: new Date(),
  after: (work: Promise<unknown>) => c.executionCtx.waitUntil(work),
  keep: () => Promise.resolve([]),
});
