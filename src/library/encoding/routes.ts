import { Hono } from "hono";
import { Heartbeat, JobFailure, JobResult } from "../../../protocol/jobs.ts";
import { Problem } from "../../platform/http/problems.ts";
import { statedLength } from "../../platform/http/read-bytes.ts";
import { readCallback } from "../../platform/http/read-json.ts";
import { type JobContext, requireJob } from "./job-auth.ts";
import { readCuts, reportFailure, reportHeartbeat, reportResult } from "./job-reports.ts";
import { trackOfJob } from "./job-spec.ts";
import { serveMontageFile, serveSegment, serveSource, serveTrackSource } from "../sources/index.ts";
import { storeObject } from "./store-object.ts";

const NOT_STORED = { "cache-control": "no-store" };
const noSuchObject = () => new Problem("not_found", "there is no such object");

/** The callback routes of encoders; see protocol/jobs.ts. */
export const encoderCallbacks = new Hono<JobContext>()
  .use("/internal/jobs/:jobId/*", requireJob)
  .on(["GET", "HEAD"], "/internal/jobs/:jobId/source", async (c) => {
    const { assetId, jobId, sourceId = assetId, sourceSegment } = c.var.grant;
    const trackId = trackOfJob(jobId);
    const answer =
      sourceSegment !== undefined
        ? await serveSegment(c.env, { assetId: sourceId, ...sourceSegment }, c.req.raw, NOT_STORED)
        : trackId === null
          ? await serveSource(c.env, sourceId, c.req.raw, NOT_STORED)
          : await serveTrackSource(c.env, { assetId, trackId, imposed: null }, c.req.raw, NOT_STORED);
    if (answer === null) throw noSuchObject();
    return answer;
  })
  .on(["GET", "HEAD"], "/internal/jobs/:jobId/files/:file{[0-9]+}", async (c) => {
    const { assetId, sourceId = assetId } = c.var.grant;
    const file = Number(c.req.param("file"));
    const answer = await serveMontageFile(c.env, { assetId: sourceId, file }, c.req.raw, NOT_STORED);
    if (answer === null) throw noSuchObject();
    return answer;
  })
  .on(["GET", "HEAD"], "/internal/jobs/:jobId/imposed/:position{[0-9]}", async (c) => {
    const { assetId, jobId } = c.var.grant;
    const trackId = trackOfJob(jobId);
    if (trackId === null) throw noSuchObject();
    const file = { assetId, trackId, imposed: Number(c.req.param("position")) };
    const answer = await serveTrackSource(c.env, file, c.req.raw, NOT_STORED);
    if (answer === null) throw noSuchObject();
    return answer;
  })
  .get("/internal/jobs/:jobId/cuts", async (c) => c.json(await readCuts(c.env, c.var.grant), 200, NOT_STORED))
  .put("/internal/jobs/:jobId/objects/:rendition/:file", async (c) => {
    const { rendition, file } = c.req.param();
    const byteCount = statedLength(c.req.raw.headers) ?? NaN;
    await storeObject(c.env, c.var.grant, { rendition, file }, { byteCount, stream: c.req.raw.body });
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
