/** Init segments and parts of a gray 64×64 picture with silence, as a gateway would send them. */
import { createHash } from "node:crypto";
import type { LiveOrigin } from "../../../../durable-objects/live-origin.ts";
import type { Opening } from "../../../../protocol/live.ts";
import { fragmentBoxes, initSegment, segmentType } from "../../../../protocol/media/cmaf.ts";
import type { OriginSession } from "../../../../src/media/live/origin-facts.ts";

const AVC_CONFIG = Buffer.from("AWQACv/hABZnZAAKrLQhNgIgAAADACAAAAeB4kTUAQAEaO8Py/34+AA=", "base64");
const KEY_FRAME = Buffer.from("AAAAHWWIhAn/+f3fbf1Z66nRNRo4sO+enAYWmDa5HA5f", "base64");
const AAC_CONFIG = Buffer.from([0x11, 0x90]); // AAC-LC, 48 kHz, stereo
const AAC_FRAME = Buffer.from([0x21, 0x00, 0x49, 0x90, 0x02, 0x19, 0x00, 0x23, 0x80]);

const FRAME_TICKS = { v720: 1000, a1: 1024 };
const FRAMES = { v720: 60, a1: 94 }; // frames in a segment of 2 s, rounded for sound
export type Name = keyof typeof FRAMES;

const INITS: Record<Name, Buffer> = {
  v720: initSegment({
    kind: "video",
    timescale: 30_000,
    widthPx: 64,
    heightPx: 64,
    colorMatrix: 1,
    avcConfig: AVC_CONFIG,
  }),
  a1: initSegment({
    kind: "audio",
    timescale: 48_000,
    channels: 2,
    audioSpecificConfig: AAC_CONFIG,
    bitrateBps: 128_000,
  }),
};

const hashOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

export const openingAt = (capturedAt: number, more: Partial<Record<Name, string>> = {}): Opening => ({
  id: crypto.randomUUID(),
  capturedAt,
  renditions: (["v720", "a1"] as const).map((name) => ({ name, initSha256: more[name] ?? hashOf(INITS[name]) })),
});

export const bringInits = async (stub: DurableObjectStub<LiveOrigin>, version = 0) => {
  for (const name of ["v720", "a1"] as const) await stub.putInit(name, version, INITS[name]);
};

/** Sends one segment in one part. @param frames fewer than in a whole segment for a short one */
export async function bringSegment(
  stub: DurableObjectStub<LiveOrigin>,
  msn: number,
  at: { decodeTicks: Record<Name, number>; capturedAtMs: number; isDiscontinuous?: boolean; initVersion?: number },
  frames: Record<Name, number> = FRAMES,
): Promise<string[]> {
  const verdicts: string[] = [];
  for (const rendition of ["v720", "a1"] as const) {
    const decodeTicks = at.decodeTicks[rendition];
    const isVideo = rendition === "v720";
    const samples = Array.from({ length: frames[rendition] }, (_, index) => ({
      data: isVideo ? KEY_FRAME : AAC_FRAME,
      isSync: !isVideo || index === 0,
      durationTicks: FRAME_TICKS[rendition],
      compositionTicks: 0,
    }));
    const bytes = Buffer.concat([segmentType(), ...fragmentBoxes({ sequenceNumber: 1, decodeTicks, samples }).boxes]);
    const durationTicks = samples.length * FRAME_TICKS[rendition];
    const { capturedAtMs, isDiscontinuous = false, initVersion = 0 } = at;
    const facts = { rendition, msn, part: 0, durationTicks, decodeTicks, bytes: bytes.byteLength, isIndependent: true };
    const rest = { isLast: true, capturedAtMs, isDiscontinuous, initVersion };
    verdicts.push((await stub.putPart({ ...facts, ...rest }, bytes)).verdict);
  }
  return verdicts;
}

/** Brings whole segments, the last of which ends at this time. @returns where the media ends */
export async function onAirUntil(
  stub: DurableObjectStub<LiveOrigin>,
  session: OriginSession,
  segments: number,
  endsAtMs: number,
): Promise<Record<Name, number>> {
  await stub.open(session);
  await bringInits(stub);
  const decodeTicks = { v720: 0, a1: 0 };
  for (let msn = 0; msn < segments; msn += 1) {
    await bringSegment(stub, msn, { decodeTicks, capturedAtMs: endsAtMs - (segments - msn) * 2000 });
    decodeTicks.v720 += FRAMES.v720 * FRAME_TICKS.v720;
    decodeTicks.a1 += FRAMES.a1 * FRAME_TICKS.a1;
  }
  return decodeTicks;
}
