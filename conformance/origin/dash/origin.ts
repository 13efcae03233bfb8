import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type DashFault, LIVE_FAULTS } from "./faults.ts";
import { isName, mediaBytes, type Moment, mpdText, SEGMENT_S } from "./presentation.ts";

const ON_DEMAND_SEGMENTS = 8;
/** Longest hold of a request for a segment in progress. */
const HELD_MS = 3000;
/** Number of segments that exist when the origin starts. */
const BEGUN_SEGMENTS = 14;

export interface DashOrigin {
  url: string;
  stop: () => Promise<void>;
}

export interface DashOriginOptions {
  isLive?: boolean;
  /** On air, after the origin begins; a fraction ends the stream in the middle of a segment. Without it the stream does not end. */
  endsAfterSegments?: number;
  /** On air: no further media arrives, but the stream does not end. */
  leavesAfterSegments?: number;
  /** 0 = any free port. */
  port?: number;
}

/** An HTTP DASH origin with two video renditions and one audio rendition. It conforms to all rules except that of its fault. */
export async function startDashOrigin(
  fault: DashFault | null = null,
  {
    isLive = fault !== null && LIVE_FAULTS.has(fault),
    endsAfterSegments = Infinity,
    leavesAfterSegments = Infinity,
    port = 0,
  }: DashOriginOptions = {},
): Promise<DashOrigin> {
  const beganAtMs = isLive ? Date.now() - BEGUN_SEGMENTS * SEGMENT_S * 1000 : null;
  const [last, most] = [endsAfterSegments, leavesAfterSegments].map((count) => BEGUN_SEGMENTS + count);
  const momentAt = (nowMs: number): Moment => {
    if (beganAtMs === null) return { beganAtMs, nowMs, hasEnded: false, segments: ON_DEMAND_SEGMENTS, fault };
    const elapsed = (nowMs - beganAtMs) / 1000 / SEGMENT_S;
    const segments = Math.floor(Math.min(elapsed, last!, most!));
    return { beganAtMs, nowMs, hasEnded: elapsed >= last!, segments, fault };
  };
  const server = createServer((request, response) => void respond(momentAt, request, response));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/film.mpd`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function respond(
  momentAt: (nowMs: number) => Moment,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { fault, hasEnded } = momentAt(Date.now());
  response.sendDate = fault !== "no Date";
  const send = (status: number, type: string, body: string | Uint8Array) =>
    response.writeHead(status, { "content-type": type, "access-control-allow-origin": "*" }).end(body);
  const path = request.url!.slice(1);
  if (path === "film.mpd") {
    if (hasEnded && fault === "gone at the end") return void send(410, "text/plain", "gone\n");
    const type = fault === "another content type" ? "text/xml" : "application/dash+xml";
    return void send(200, type, mpdText(momentAt(Date.now())));
  }
  if (path === "time" && fault !== "the clock is gone") return void send(200, "text/plain", new Date().toISOString());
  const [, name = "", number = ""] = /^(\w+)-(\d+|init)\.(?:m4s|mp4)$/.exec(path) ?? [];
  const isMissing = fault === "segments not found" && number !== "init" && Number(number) % 2 === 1;
  if (!isName(name) || isMissing) return void send(404, "text/plain", "not found\n");
  if (number === "init") return void send(200, "video/mp4", mediaBytes(name, "init", fault));
  const untilMs = Date.now() + HELD_MS;
  const isThere = () => Number(number) < momentAt(Date.now()).segments;
  while (!isThere() && !momentAt(Date.now()).hasEnded && Date.now() < untilMs) await pause(20);
  if (!isThere()) return void send(momentAt(Date.now()).hasEnded ? 404 : 503, "text/plain", "not there\n");
  send(200, "video/mp4", mediaBytes(name, Number(number), fault));
}
