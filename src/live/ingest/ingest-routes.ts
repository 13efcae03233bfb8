import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import {
  AskPassphrase,
  Authorize,
  type AuthorizeAnswer,
  Dropped,
  Ended,
  Gap,
  Heartbeat,
  type HeartbeatAnswer,
  MAX_THUMBNAIL_BYTES,
  Opening,
  type PartAnswer,
  PartQuery,
  type PassphraseAnswer,
  Register,
  type Resume,
  Started,
  ThumbnailQuery,
} from "../../../protocol/live.ts";
import { openDatabase } from "../../platform/database.ts";
import { log, logWarning } from "../../platform/log.ts";
import { Problem } from "../../platform/http/problems.ts";
import { readCallback } from "../../platform/http/read-json.ts";
import { type AppContext, validationProblem } from "../../platform/http/router.ts";
import { authorize, passphraseOf } from "./authorize.ts";
import { bearer, type GatewayContext, requireGateway, requireOwnHosts, requireOwnId } from "./gateway-auth.ts";
import { callStream } from "../streams/stream-calls.ts";
import { openOrigin, originOf } from "../origin/origin-calls.ts";
import { saveGateway, streamIdOfSession } from "../streams/repository.ts";
import { isDueForRenewal, readSessionGrant, type SessionGrant, signSessionGrant } from "../sessions/session-token.ts";

export interface LiveContext {
  Bindings: AppContext["Bindings"];
  Variables: AppContext["Variables"] & GatewayContext["Variables"] & { grant: SessionGrant };
}

/** A request of a session carries the token that its broadcaster's authorization brought. */
export const requireSession = createMiddleware<LiveContext>(async (c, next) => {
  const sessionId = c.req.param("sessionId") ?? "";
  const token = bearer(c.req.header("authorization"));
  const grant = await readSessionGrant(c.env.JOB_SECRET, token, sessionId, Date.now());
  if (typeof grant === "string") {
    // Who holds no good token is not believed whose stream it is.
    const streamId = await streamIdOfSession(openDatabase(c.env.DB), sessionId);
    const { method, path } = c.req;
    logWarning("live.token_refused", { streamId, sessionId, reason: grant, method, path, requestId: c.var.requestId });
    const isKnown = grant === "foreign" || grant === "expired";
    throw new Problem(isKnown ? "forbidden" : "unauthorized", `the session token is ${grant}`);
  }
  c.set("grant", grant);
  await next();
});

/** Between a gateway's clock and the Worker's. The newest gateway is preferred, so none may claim to be of tomorrow. */
const CLOCK_TOLERANCE_MS = 60_000;
const MAX_INIT_BYTES = 64 * 1024;
/** SQLite in a Durable Object takes 2 MB in a row: a part of a second at 15 Mbit/s. */
const MAX_PART_BYTES = 1_900_000;

/** @throws {Problem} body_too_large */
async function readMedia(request: Request, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new Problem("body_too_large", `at most ${maxBytes} bytes`);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.byteLength > maxBytes) throw tooLarge();
  return bytes;
}

const isJpeg = (bytes: Uint8Array) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;

/** @throws {Problem} session_over */
function unlessOver<Verdict extends { verdict: string }>(
  written: Verdict | { verdict: "over" },
): Exclude<Verdict, { verdict: "over" }> {
  if (written.verdict === "over")
    throw new Problem("session_over", "the session is over, or another broadcaster has taken its place");
  return written as Exclude<Verdict, { verdict: "over" }>;
}

/** What ingest gateways call; see protocol/live.ts. */
export const ingestRoutes = new Hono<LiveContext>()
  .use("/internal/ingest/*", requireGateway)
  .use("/internal/live/:sessionId/*", requireSession)
  .post("/internal/ingest/register", async (c) => {
    const { gatewayId: id, startedAt, ...urls } = await readCallback(Register, c.req.raw);
    requireOwnId(c.var.gateway, id);
    requireOwnHosts(c.var.gateway, Object.values(urls));
    if (startedAt > Date.now() + CLOCK_TOLERANCE_MS)
      throw new Problem("validation_failed", "startedAt is in the future");
    await saveGateway(openDatabase(c.env.DB), { id, ...urls, startedAt: new Date(startedAt), heardAt: new Date() });
    return c.json({});
  })
  .post("/internal/ingest/passphrase", async (c) => {
    const request = await readCallback(AskPassphrase, c.req.raw);
    requireOwnId(c.var.gateway, request.gatewayId);
    const answer: PassphraseAnswer = await passphraseOf(c.env, request);
    return c.json(answer);
  })
  .post("/internal/ingest/authorize", async (c) => {
    const publicUrl = c.env.PUBLIC_URL || new URL(c.req.url).origin;
    const request = await readCallback(Authorize, c.req.raw);
    requireOwnId(c.var.gateway, request.gatewayId);
    const answer: AuthorizeAnswer = await authorize(c.env, request, publicUrl, new Date());
    return c.json(answer);
  })
  .post("/internal/live/:sessionId/started", async (c) => {
    const facts = await readCallback(Started, c.req.raw);
    const { streamId, sessionId, connection } = c.var.grant;
    const answer = await callStream(c.env, streamId, "started", { sessionId, connection, ...facts });
    if (answer.isOver)
      throw new Problem("session_over", "the session is over, or another broadcaster has taken its place");
    const { settings, maxDurationS } = answer;
    await openOrigin(c.env, sessionId, { ...settings, maxDurationS }, facts, connection);
    return c.json({});
  })
  .post("/internal/live/:sessionId/resume", async (c) => {
    const opening = await readCallback(Opening, c.req.raw);
    const { streamId, sessionId, connection } = c.var.grant;
    const { isCurrent } = await callStream(c.env, streamId, "check", { sessionId, connection });
    if (!isCurrent)
      throw new Problem("session_over", "another broadcaster has taken its place, or the session is over");
    const resume: Resume = await originOf(c.env, sessionId).resume(opening, connection);
    log("live.resumed", { streamId, sessionId, nextMsn: resume.nextMsn, discontinuity: resume.discontinuity });
    return c.json(resume);
  })
  .put("/internal/live/:sessionId/init/:rendition/:version{[0-9]{1,6}}", async (c) => {
    const bytes = await readMedia(c.req.raw, MAX_INIT_BYTES);
    const { sessionId, connection } = c.var.grant;
    const { rendition, version } = c.req.param();
    const answer = unlessOver(await originOf(c.env, sessionId).putInit(rendition, Number(version), bytes, connection));
    if (answer.verdict === "none") throw new Problem("not_found", "the session has no such rendition");
    return c.json({});
  })
  .put("/internal/live/:sessionId/parts/:rendition/:msn{[0-9]{1,9}}/:part{[0-9]{1,4}}", async (c) => {
    const query = c.req.query();
    const parsed = PartQuery.safeParse(query);
    if (!parsed.success) throw validationProblem(parsed.error, query, "query");
    const { ticks, at, independent, last, capturedAt, discontinuity, init } = parsed.data;
    const bytes = await readMedia(c.req.raw, MAX_PART_BYTES);
    const { rendition, msn, part } = c.req.param();
    const arriving = {
      rendition,
      msn: Number(msn),
      part: Number(part),
      durationTicks: ticks,
      decodeTicks: at,
      bytes: bytes.byteLength,
      isIndependent: independent,
      isLast: last,
      capturedAtMs: capturedAt,
      isDiscontinuous: discontinuity,
      initVersion: init,
    };
    const { sessionId, connection } = c.var.grant;
    return c.json<PartAnswer>(unlessOver(await originOf(c.env, sessionId).putPart(arriving, bytes, connection)));
  })
  .post("/internal/live/:sessionId/gap", async (c) => {
    const { rendition, msn } = await readCallback(Gap, c.req.raw);
    const { streamId, sessionId, connection } = c.var.grant;
    const answer: PartAnswer = unlessOver(await originOf(c.env, sessionId).gap(rendition, msn, connection));
    if (answer.verdict === "taken") logWarning("live.segment_lost", { streamId, sessionId, rendition, msn });
    return c.json(answer);
  })
  .post("/internal/live/:sessionId/dropped", async (c) => {
    const { rendition, fromMsn } = await readCallback(Dropped, c.req.raw);
    const { streamId, sessionId, connection } = c.var.grant;
    const answer: PartAnswer = unlessOver(await originOf(c.env, sessionId).drop(rendition, fromMsn, connection));
    if (answer.verdict === "taken") logWarning("live.rung_dropped", { streamId, sessionId, rendition, fromMsn });
    return c.json(answer);
  })
  .put("/internal/live/:sessionId/thumbnail", async (c) => {
    const query = c.req.query();
    const parsed = ThumbnailQuery.safeParse(query);
    if (!parsed.success) throw validationProblem(parsed.error, query, "query");
    const bytes = await readMedia(c.req.raw, MAX_THUMBNAIL_BYTES);
    if (!isJpeg(bytes)) throw new Problem("validation_failed", "the body is no JPEG picture");
    const { sessionId, connection } = c.var.grant;
    const { capturedAt } = parsed.data;
    const answer = unlessOver(await originOf(c.env, sessionId).putThumbnail(capturedAt, bytes, connection));
    if (answer.verdict === "none") throw new Problem("not_found", "the session has not started");
    return c.json({});
  })
  .post("/internal/live/:sessionId/heartbeat", async (c) => {
    const heartbeat = await readCallback(Heartbeat, c.req.raw);
    const { streamId, sessionId, connection } = c.var.grant;
    const answer = await callStream(c.env, streamId, "heartbeat", { sessionId, connection, ...heartbeat });
    const renewed = answer.continue && isDueForRenewal(c.var.grant, Date.now());
    if (!renewed) return c.json<HeartbeatAnswer>(answer);
    const token = await signSessionGrant(c.env.JOB_SECRET, { sessionId, streamId, connection }, Date.now());
    return c.json<HeartbeatAnswer>({ ...answer, token });
  })
  .post("/internal/live/:sessionId/ended", async (c) => {
    const { reason } = await readCallback(Ended, c.req.raw);
    const { streamId, sessionId, connection } = c.var.grant;
    log("live.broadcaster_left", { streamId, sessionId, reason });
    await callStream(c.env, streamId, "ended", { sessionId, connection });
    return c.json({});
  });
