import { fragmentBoxes, producerReferenceTime, segmentType } from "../../../../protocol/media/cmaf.ts";
import type { FrozenFrames } from "./freeze-plan.ts";
import type { Still } from "./still.ts";

/** Fragment numbers per segment, as in the live encoder: more than a segment can have parts. */
const FRAGMENTS_PER_SEGMENT = 256;

export interface FrozenPlace {
  msn: number;
  part: number;
  frames: FrozenFrames;
  /** Capture time of the part's first sample, epoch ms. */
  capturedAtMs: number;
}

/** A part of a segment (CMAF chunk, ISO/IEC 23000-19 §7.3.2.3) that shows a still. */
export function frozenPart(still: Still, { msn, part, frames, capturedAtMs }: FrozenPlace): Uint8Array {
  const { first, count, decodeTicks } = frames;
  const samples = Array.from({ length: count }, (_, n) => ({
    data: Buffer.from(still.sample(first + n)),
    isSync: still.isSync(first + n),
    durationTicks: still.frameTicks,
    compositionTicks: 0,
  }));
  const sequenceNumber = msn * FRAGMENTS_PER_SEGMENT + part + 1;
  return Buffer.concat([
    ...(part === 0 ? [segmentType()] : []),
    producerReferenceTime(capturedAtMs, decodeTicks),
    ...fragmentBoxes({ sequenceNumber, decodeTicks, samples }).boxes,
  ]);
}
