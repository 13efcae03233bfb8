import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { Heartbeat, JobFailure, JobResult } from "../../encoder/protocol.ts";
import { tell } from "../../durable-objects/machine.ts";
import { isAssetAlive } from "../assets/index.ts";
import { renditionKey, sourceKey } from "../assets/keys.ts";
import { openDatabase } from "../database.ts";
import { serveObject } from "./serve-object.ts";
import { log } from "../http/log.ts";
import { Problem } from "../http/problems.ts";
import { readCallback } from "../http/read-json.ts";
import type { AppContext } from "../http/router.ts";
import { type JobGrant, readJobGrant } from "./job-token.ts";

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

/** What encoders call back on; see encoder/protocol.ts. */
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
    if (!(await isAssetAlive(openDatabase(c.env.DB), grant.assetId)))
      throw new Problem("job_gone", "the asset is deleted");
    await c.env.MEDIA.put(renditionKey(grant.assetId, rendition, file), c.req.raw.body);
    return c.body(null, 204);
  })
  .post("/internal/jobs/:jobId/heartbeat", async (c) => {
    const heartbeat = await readCallback(Heartbeat, c.req.raw);
    return c.json(await tellMachine(c.env, c.var.grant, "heartbeat", { ...heartbeat, attempt: c.var.grant.attempt }));
  })
  .post("/internal/jobs/:jobId/complete", async (c) => {
    const result = await readCallback(JobResult, c.req.raw);
    return c.json(await tellMachine(c.env, c.var.grant, "complete", { result }));
  })
  .post("/internal/jobs/:jobId/fail", async (c) => {
    const failure = await readCallback(JobFailure, c.req.raw);
    return c.json(await tellMachine(c.env, c.var.grant, "fail", { ...failure, attempt: c.var.grant.attempt }));
  });

const tellMachine = (env: AppContext["Bindings"], { assetId, jobId }: JobGrant, name: string, document: object) =>
  tell<object>(env.ASSET_MACHINE, assetId, name, { jobId, ...document });
