import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { initSegment } from "./cmaf.ts";
import type { Fault } from "./faults.ts";
import { type Name, PARTS, type Place, Stream } from "./stream.ts";

const ADVANCE_S = 3; // of parts (§6.2.5.2)
/** Number of segments when the origin starts: discontinuities then enter and leave the window within a few seconds. */
const BEGUN_SEGMENTS = 31;
/** The first segment after an interruption. */
const ABSENT_FROM = BEGUN_SEGMENTS + 2;
const LATE_MS = 3000;
const PAST_HELD_MS = 4000;

export interface Origin {
  /** URL of the multivariant playlist. */
  url: string;
  stop: () => Promise<void>;
}

interface Answer {
  status: number;
  type: string;
  body: string | Uint8Array;
  cache: string;
}

export interface OriginOptions {
  /** Without it the stream does not end. */
  endsAfterSegments?: number;
  partTargetMs?: number;
  /** Length of an interruption a few segments after the origin starts, which is followed by a discontinuity. */
  absenceMs?: number;
  /** 0 = any free port. */
  port?: number;
}

/** A real-time low-latency HLS origin with one video and one audio rendition. It conforms to all rules except that of its fault. */
export async function startOrigin(
  fault: Fault | null = null,
  { endsAfterSegments = Infinity, partTargetMs = 200, absenceMs = 0, port = 0 }: OriginOptions = {},
): Promise<Origin> {
  const [nowMs, segmentMs] = [Date.now(), partTargetMs * PARTS];
  const endsAtMs = Number.isFinite(endsAfterSegments) ? nowMs + endsAfterSegments * segmentMs : null;
  const absence = { msn: ABSENT_FROM, ms: fault === "late behind a discontinuity" ? LATE_MS : absenceMs };
  const beganAtMs = nowMs - BEGUN_SEGMENTS * segmentMs;
  const stream = new Stream({ beganAtMs, fault, endsAtMs, partTargetMs, absence });
  const server = createServer((request, response) => void respond(stream, request, response));
  server.keepAliveTimeout = 60_000;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/live.m3u8`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function respond(stream: Stream, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, type, body, cache } = await answer(stream, new URL(request.url!, "http://origin.test"));
  const isCompressed = typeof body === "string" && /gzip/.test(String(request.headers["accept-encoding"]));
  const bytes = isCompressed ? gzipSync(body, { level: 1 }) : Buffer.from(body);
  response.writeHead(status, {
    "content-type": type,
    "content-length": bytes.length,
    "cache-control": stream.fault === "nothing may be kept" ? "no-store" : cache,
    "access-control-allow-origin": "*",
    ...(isCompressed ? { "content-encoding": "gzip" } : {}),
    ...(typeof body === "string" ? { vary: "accept-encoding" } : {}),
  });
  response.end(bytes);
}

async function answer(stream: Stream, url: URL): Promise<Answer> {
  const name = url.pathname.slice(1);
  const [, rendition, msn, part, suffix] =
    /^(video|audio)(?:-(\d+|init)(?:\.(\d))?)?\.(m3u8|m4s|mp4)$/.exec(name) ?? [];
  if (name === "live.m3u8") return playlist(multivariant(stream), "max-age=1");
  if (rendition === undefined) return refusal(stream, 404);
  if (suffix === "m3u8") return await mediaPlaylist(stream, rendition as Name, url.searchParams);
  if (msn === "init")
    return media(initSegment(rendition === "video" ? "vide" : "soun", stream.fault === "other codec" ? 42 : 31));
  return await mediaAnswer(stream, rendition as Name, Number(msn), part === undefined ? null : Number(part));
}

async function mediaPlaylist(stream: Stream, name: Name, query: URLSearchParams): Promise<Answer> {
  const { fault } = stream;
  const [msn, part] = ["_HLS_msn", "_HLS_part"].map((key) => (query.has(key) ? Number(query.get(key)) : null));
  if (msn === null && part !== null && fault !== "part without a sequence number") return refusal(stream, 400);
  if (msn != null) {
    const count = stream.partCount(Date.now());
    const newest = Math.ceil(count / PARTS) - 1;
    const ahead = msn * PARTS + (part ?? 0) - count;
    const isFar = msn > newest + 2 || (part ?? 0) * stream.partTargetMs > ADVANCE_S * 1000;
    const hasEnded = stream.endsAtMs !== null && Date.now() >= stream.endsAtMs;
    if (isFar && !hasEnded && fault !== "far requests are held") return refusal(stream, 400);
    if (fault === "the past is refused" && ahead < -PARTS * 5) return refusal(stream, 400);
    if (fault === "the past is held" && ahead < -PARTS * 5) await pause(PAST_HELD_MS);
    // A part beyond a segment's last is the first of the next.
    const place: Place =
      part === null ? { msn, part: PARTS - 1 } : { msn: msn + (part! >= PARTS ? 1 : 0), part: part! % PARTS };
    if (isFar && fault === "far requests are held") await pause(1500);
    else if (fault !== "answers too early" || ahead < 0) await arrival(stream, place);
  }
  return playlist(stream.playlist(name, Date.now(), query.has("_HLS_skip")), msn === null ? "max-age=1" : "max-age=6");
}

async function mediaAnswer(stream: Stream, name: Name, msn: number, part: number | null): Promise<Answer> {
  const place = { msn, part: part ?? PARTS - 1 };
  const ageMs = -stream.waitMs(place, Date.now());
  const isThere = stream.has(place, Date.now());
  const isNext = msn * PARTS + place.part === stream.partCount(Date.now());
  if (!isThere && (part === null || (ageMs < -stream.segmentMs && !isNext))) return refusal(stream, 404);
  if (!isThere && stream.fault === "404 on a hint") return refusal(stream, 404);
  if (stream.fault === "parts vanish" && part !== null && ageMs > 5 * stream.segmentMs) return refusal(stream, 404);
  if (!isThere) await arrival(stream, place);
  if (part === null) return media(stream.segmentBytes(name, msn));
  const bytes = stream.partBytes(name, place);
  if (!isThere && stream.fault === "other bytes for a hint") bytes.set([33], bytes.length - 1);
  return media(bytes);
}

/** Waits for a part, unless the stream ends before it. */
async function arrival(stream: Stream, place: Place): Promise<void> {
  while (!stream.has(place, Date.now())) {
    if (stream.endsAtMs !== null && Date.now() >= stream.endsAtMs) return;
    await pause(Math.max(1, Math.min(stream.waitMs(place, Date.now()), 50)));
  }
}

const multivariant = ({ fault }: Stream) =>
  [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="sound",NAME="sound",DEFAULT=YES,URI="audio.m3u8"',
    `#EXT-X-STREAM-INF:BANDWIDTH=${fault === "bandwidth too small" ? 100 : 50_000},CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=64x36,AUDIO="sound"`,
    "video.m3u8",
    "",
  ].join("\n");

const playlist = (body: string, cache: string): Answer => ({
  status: 200,
  type: "application/vnd.apple.mpegurl",
  body,
  cache,
});

const media = (body: Uint8Array): Answer => ({
  status: 200,
  type: "video/mp4",
  body,
  cache: "max-age=60",
});

const refusal = ({ fault }: Stream, status: number): Answer => ({
  status,
  type: "text/plain",
  body: status === 400 ? "not now\n" : "not found\n",
  cache: fault === "errors kept for long" ? "max-age=3600" : "max-age=1",
});
