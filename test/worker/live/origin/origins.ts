import { env } from "cloudflare:test";
import type { LiveOrigin } from "../../../../durable-objects/live-origin.ts";
import type { OriginAnswer } from "../../../../src/live/origin/origin-calls.ts";
import type { Opening } from "../../../../protocol/live.ts";
import type { ArrivingPart, OriginSession } from "../../../../src/media/live/origin-facts.ts";
import { FACTS } from "../live-helpers.ts";

const PARTS = 4;
export const NOW = { waitFor: null, skip: null };

export function newOrigin(more: Partial<OriginSession> = {}) {
  const session: OriginSession = {
    sessionId: crypto.randomUUID(),
    timing: { targetDurationSeconds: 2, partTargetMs: 500 },
    windowSeconds: 60,
    renditions: FACTS.renditions,
    started: FACTS,
    ...more,
  };
  const stub = env.LIVE_ORIGIN.get(env.LIVE_ORIGIN.idFromName(session.sessionId));
  return { stub, session };
}

export const bytesOf = (rendition: string, msn: number, part: number) =>
  new TextEncoder().encode(`[${rendition} ${msn}.${part}]`);
export const partOf = (rendition: string, msn: number, part: number): ArrivingPart => ({
  rendition,
  msn,
  part,
  durationTicks: rendition === "v720" ? 15_000 : 24_000,
  decodeTicks: (msn * PARTS + part) * (rendition === "v720" ? 15_000 : 24_000),
  bytes: 0,
  isIndependent: part === 0,
  isLast: part === PARTS - 1,
  capturedAtMs: Date.UTC(2026, 10, 20, 12) + msn * 2000,
  isDiscontinuous: false,
  initVersion: 0,
});

export async function put(stub: DurableObjectStub<LiveOrigin>, rendition: string, msn: number, parts: number[]) {
  const verdicts: string[] = [];
  for (const part of parts) {
    const { verdict } = await stub.putPart(partOf(rendition, msn, part), bytesOf(rendition, msn, part));
    verdicts.push(verdict);
  }
  return verdicts;
}

export async function opened(segments: number, more: Partial<OriginSession> = {}) {
  const origin = newOrigin(more);
  await origin.stub.open(origin.session);
  for (let msn = 0; msn < segments; msn += 1) await put(origin.stub, "v720", msn, [0, 1, 2, 3]);
  return origin;
}

export const textOf = (answer: OriginAnswer) => (answer.kind === "playlist" ? answer.text : answer.kind);
/** The answer's text, or its kind. */
export const said = (answer: OriginAnswer) =>
  answer.kind === "bytes" ? new TextDecoder().decode(answer.bytes) : answer.kind;

/** The lines that begin with one of these tags. */
export const linesOf = (answer: OriginAnswer, ...tags: string[]) =>
  textOf(answer)
    .split("\n")
    .filter((line) => tags.some((tag) => line === tag || line.startsWith(`${tag}:`)));

/** An opening for media of another kind. */
export const openingOf = (names: string[]): Opening => ({
  id: crypto.randomUUID(),
  capturedAt: Date.now(),
  renditions: names.map((name) => ({ name, initSha256: "0".repeat(64) })),
});

/** Reconnects the broadcaster with these renditions. */
export async function reconnected(stub: DurableObjectStub<LiveOrigin>, session: OriginSession, names: string[]) {
  await stub.resume(openingOf(names));
  await stub.open({ ...session, renditions: session.renditions.filter(({ name }) => names.includes(name)) });
}
