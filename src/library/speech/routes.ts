import { Hono } from "hono";
import { Problem } from "../../platform/http/problems.ts";
import { type JobContext, requireJob } from "../encoding/job-auth.ts";
import { servePiece, serveRendition } from "./serve-sound.ts";

const NOT_STORED = { "cache-control": "no-store" };
const noSuchObject = () => new Problem("not_found", "there is no such object");

/** What encoders read of a media itself, for jobs of speech and of pictures; see protocol/jobs.ts. */
export const speechCallbacks = new Hono<JobContext>()
  .on(["GET", "HEAD"], "/internal/jobs/:jobId/sound", requireJob, async (c) => {
    const { assetId, sound } = c.var.grant;
    const answer =
      sound === undefined ? null : await serveRendition(c.env, { assetId, rendition: sound }, c.req.raw, NOT_STORED);
    if (answer === null) throw noSuchObject();
    return answer;
  })
  .on(["GET", "HEAD"], "/internal/jobs/:jobId/video", requireJob, async (c) => {
    const { assetId, video } = c.var.grant;
    const answer =
      video === undefined ? null : await serveRendition(c.env, { assetId, rendition: video }, c.req.raw, NOT_STORED);
    if (answer === null) throw noSuchObject();
    return answer;
  })
  .on(["GET", "HEAD"], "/internal/jobs/:jobId/piece", requireJob, async (c) => {
    const { assetId, piece } = c.var.grant;
    const answer = piece === undefined ? null : await servePiece(c.env, { assetId, ...piece }, c.req.raw, NOT_STORED);
    if (answer === null) throw noSuchObject();
    return answer;
  });
