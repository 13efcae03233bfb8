import { Hono } from "hono";
import { Heartbeat, JobFailure, JobResult } from "../../../protocol/jobs.ts";
import { Problem } from "../../platform/http/problems.ts";
import { readCallback } from "../../platform/http/read-json.ts";
import { sourceKey } from "../../platform/storage/keys.ts";
import { type JobContext, requireJob } from "./job-auth.ts";
import { reportFailure, reportHeartbeat, reportResult } from "./report-job.ts";
import { serveObject } from "./serve-object.ts";
import { isInScope, storeObject } from "./store-object.ts";

/** A segment of a 2160p rung at its rate cap is 13 MB. */
const MAX_OBJECT_BYTES = 64 * 1024 * 1024;

/** The callback routes of encoders; see protocol/jobs.ts. */
export const encoderCallbacks = new Hono<JobContext>()
  .use("/internal/jobs/:jobId/*", requireJob)
  .on(["GET", "HEAD"], "/internal/jobs/:jobId/source", (c) =>
    serveObject(c.env.MEDIA, sourceKey(c.var.grant.assetId), c.req.raw),
  )
  .put("/internal/jobs/:jobId/objects/:rendition/:file", async (c) => {
    const object = c.req.param();
    if (!isInScope(c.var.grant, object)) throw new Problem("forbidden", "this job does not write that object");
    const length = Number(c.req.header("content-length") ?? "NaN");
    if (!(length > 0 && length <= MAX_OBJECT_BYTES) || c.req.raw.body === null)
      throw new Problem("body_too_large", "an object needs a Content-Length of 1 byte to 64 MiB");
    await storeObject(c.env, c.var.grant, object, c.req.raw.body);
    return c.body(null, 204);
  })
  .post("/internal/jobs/:jobId/heartbeat", async (c) => {
    const heartbeat = await readCallback(Heartbeat, c.req.raw);
    return c.json(await reportHeartbeat(c.env, c.var.grant, heartbeat, Date.now()));
  })
  .post("/internal/jobs/:jobId/complete", async (c) => {
    const result = await readCallback(JobResult, c.req.raw);
    return c.json(await reportResult(c.env, c.var.grant, result));
  })
  .post("/internal/jobs/:jobId/fail", async (c) => {
    const failure = await readCallback(JobFailure, c.req.raw);
    return c.json(await reportFailure(c.env, c.var.grant, failure));
  });
