/** A broadcaster that sends media: texts for bytes, "v720 3.1" for part 1 of segment 3. */
import { env } from "cloudflare:test";
import { type MediaFormat, queryOfInit } from "../../../protocol/init-facts.ts";
import type { PartCaptions, Started } from "../../../protocol/live.ts";
import { send } from "../workspace.ts";
import { type Broadcaster, connect, FACTS, type Stream } from "./live-helpers.ts";

export const get = (path: string, method = "GET") => send(new Request(`http://sluice.test${path}`, { method }));
export const textOf = async (path: string): Promise<string> => await (await get(path)).text();

const SEGMENT_SECONDS = 2;
const PARTS = 4;

const put = async (path: string, body: string | Uint8Array<ArrayBuffer>, token: string): Promise<void> => {
  const request = { method: "PUT", body, headers: { authorization: `Bearer ${token}` } };
  const answer = await send(new Request(`http://sluice.test${path}`, request));
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
};

export interface Bring {
  rendition?: string;
  parts?: number;
  init?: number;
  isDiscontinuous?: boolean;
  /** Time of the segment's first sample. */
  atSeconds?: number;
  /** Captions of each part. */
  captions?: (part: number) => PartCaptions;
}

/** Sends one segment of 2 s in four parts, or only its first parts. */
export async function bring({ sessionId, token }: Broadcaster, msn: number, more: Bring = {}): Promise<void> {
  const { rendition = "v720", parts = PARTS, init = 0, isDiscontinuous = false, atSeconds = msn * 2, captions } = more;
  const { timescale } = FACTS.renditions.find(({ name }) => name[0] === rendition[0])!;
  const ticks = (SEGMENT_SECONDS / PARTS) * timescale;
  for (let part = 0; part < parts; part += 1) {
    const shown = captions?.(part) ?? [];
    const text = shown.length === 0 ? "" : JSON.stringify(shown);
    const query = new URLSearchParams({
      ticks: String(ticks),
      at: String(atSeconds * timescale + part * ticks),
      independent: part === 0 ? "1" : "0",
      last: part === PARTS - 1 ? "1" : "0",
      capturedAt: String(1_795_000_000_000 + msn * SEGMENT_SECONDS * 1000),
      discontinuity: isDiscontinuous ? "1" : "0",
      init: String(init),
      ...(text === "" ? {} : { captions: String(new TextEncoder().encode(text).length) }),
    });
    const path = `/internal/live/${sessionId}/parts/${rendition}/${msn}/${part}?${query.toString()}`;
    await put(path, `${text}[${rendition} ${msn}.${part}]`, token);
  }
}

/** @param format null = the gateway does not report formats */
export function bringInit(
  { sessionId, token }: Broadcaster,
  rendition: string,
  version = 0,
  format: MediaFormat | null = null,
  bytes: string | Uint8Array<ArrayBuffer> = `init ${rendition} ${version}`,
): Promise<void> {
  const query = format === null ? "" : `?${queryOfInit(format).toString()}`;
  return put(`/internal/live/${sessionId}/init/${rendition}/${version}${query}`, bytes, token);
}

/** Starts a broadcast with whole segments of picture and sound. */
export async function broadcast(stream: Stream, segments: number, facts: Started = FACTS): Promise<Broadcaster> {
  const broadcaster = await connect(stream);
  await broadcaster.started(facts);
  for (const { name } of facts.renditions) await bringInit(broadcaster, name);
  for (let msn = 0; msn < segments; msn += 1)
    for (const { name } of facts.renditions) await bring(broadcaster, msn, { rendition: name });
  await broadcaster.heartbeat(segments);
  return broadcaster;
}

/** Names of the objects below a session's or a clip's prefix. */
export async function objectsOf(mediaId: string): Promise<string[]> {
  const { objects } = await env.MEDIA.list({ prefix: `assets/${mediaId}/renditions/` });
  return objects.map(({ key }) => key.split("/").slice(3).join("/"));
}
