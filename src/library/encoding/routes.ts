import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { Heartbeat, type HeartbeatAnswer, JobFailure, JobResult } from "../../../protocol/jobs.ts";
import { callMachine } from "../../platform/machine/calls.ts";
import { sourceKey } from "../../platform/storage/keys.ts";
import { serveObject } from "./serve-object.ts";
import { log } from "../../platform/log.ts";
import { Problem } from "../../platform/http/problems.ts";
import { readCallback } from "../../platform/http/read-json.ts";
import type { AppContext } from "../../platform/http/router.ts";
import { GRANT_MS, isDueForRenewal, type JobGrant, readJobGrant, signJobGrant } from "./job-token.ts";
import { storeObject } from "./store-object.ts";

type InternalContext = { Bindings: AppContext["Bindings"]; Variables: AppContext["Variables"] & { grant: JobGrant } };

/** A segment of a 2160p rung at its rate cap is 13 MB; anything beyond this is not one. */
const MAX_OBJECT_BYTES = 64 * 1024 * 1024;

/** An encoder speaks for one job only, with the token it was given for it. */
const requireGrant = createMiddleware<InternalContext>(async (c, next) => {
  const token = /^Bearer (\S+)$/.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
  const jobId = c.req.param("jobId") ?? "";
  const grant = await readJobGrant(c.env.JOB_SECRET, token, jobId, Date.now());
  if (typeof grant === "string") {
    log("job.token_refused", { jobId, reason: grant, method: c.req.method, requestId: c.var.requestId });
    throw new Problem(
      grant === "foreign" || grant === "expired" ? "forbidden" : "unauthorized",
      `the job token is ${grant}`,
    );
  }
  c.set("grant", grant);
  await next();
});

/** What encoders call back on; see protocol/jobs.ts. */
export const encoderCallbacks = new Hono<InternalContext>()
  .use("/internal/jobs/:jobId/*", requireGrant)
  .on(["GET", "HEAD"], "/internal/jobs/:jobId/source", (c) =>
    serveObject(c.env.MEDIA, sourceKey(c.var.grant.assetId), c.req.raw),
  )
  .put("/internal/jobs/:jobId/objects/:rendition/:file", async (c) => {
    const { grant } = c.var;
    const { rendition, file } = c.req.param();
    const number = /^(0|[1-9]\d{0,6})\.m4s$/.exec(file)?.[1];
    const isInScope =
      grant.renditions.includes(rendition) &&
      (file === "init.mp4" ||
        (number !== undefined && Number(number) >= grant.segments[0] && Number(number) < grant.segments[1]));
    if (!isInScope) throw new Problem("forbidden", "this job does not write that object");
    const length = Number(c.req.header("content-length") ?? "NaN");
    if (!(length > 0 && length <= MAX_OBJECT_BYTES) || c.req.raw.body === null)
      throw new Problem("body_too_large", "an object needs a length, of at most 64 MiB");
    await storeObject(c.env, grant, { rendition, file }, c.req.raw.body);
    return c.body(null, 204);
  })
  .post("/internal/jobs/:jobId/heartbeat", async (c) => {
    const heartbeat = await readCallback(Heartbeat, c.req.raw);
    const { grant } = c.var;
    const answer = await callAssetMachine<HeartbeatAnswer>(c.env, grant, "heartbeat", {
      ...heartbeat,
      attempt: grant.attempt,
    });
    if (!answer.continue || !isDueForRenewal(grant, Date.now())) return c.json<HeartbeatAnswer>(answer);
    const expiresAt = Date.now() + GRANT_MS;
    const token = await signJobGrant(c.env.JOB_SECRET, { ...grant, expiresAt });
    return c.json<HeartbeatAnswer>({ ...answer, renewed: { token, expiresAt } });
  })
  .post("/internal/jobs/:jobId/complete", async (c) => {
    const result = await readCallback(JobResult, c.req.raw);
    return c.json(await callAssetMachine(c.env, c.var.grant, "complete", { result, attempt: c.var.grant.attempt }));
  })
  .post("/internal/jobs/:jobId/fail", async (c) => {
    const failure = await readCallback(JobFailure, c.req.raw);
    return c.json(await callAssetMachine(c.env, c.var.grant, "fail", { ...failure, attempt: c.var.grant.attempt }));
  });

const callAssetMachine = <Answer extends object>(
  env: AppContext["Bindings"],
  { assetId, jobId }: JobGrant,
  name: string,
  document: object,
) => callMachine<Answer>(env.ASSET_MACHINE, assetId, name, { jobId, ...document });
