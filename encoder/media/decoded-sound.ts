import type { Frame, Stream } from "node-av/lib";
import { AV_NOPTS_VALUE } from "node-av/constants";
import { decodedFrames, openDecoder } from "./decode.ts";
import { keepOnly, type OpenSource } from "./source.ts";

export interface DecodedSound {
  /** Owned by the receiver. */
  frame: Frame;
  /** Presentation time. May be negative: the frame begins before time 0 and ends behind it. */
  seconds: number;
}

/** Decodes one stream of sound. Frames that end before time 0 are skipped. @param zeroSeconds time 0, in file time */
export async function* decodedSound(
  source: OpenSource,
  stream: Stream,
  zeroSeconds: number,
): AsyncGenerator<DecodedSound> {
  keepOnly(source, stream);
  const decoder = await openDecoder(stream, 1);
  const { num, den } = stream.timeBase;
  let nextSeconds = 0;
  try {
    for await (const frame of decodedFrames(source, stream, decoder)) {
      const pts = frame.bestEffortTimestamp;
      const seconds = pts === AV_NOPTS_VALUE ? nextSeconds : (Number(pts) * num) / den - zeroSeconds;
      nextSeconds = seconds + frame.nbSamples / frame.sampleRate;
      if (nextSeconds <= 0 || frame.nbSamples === 0) frame.free();
      else yield { frame, seconds };
    }
  } finally {
    decoder.freeContext();
  }
}

/** A copy of the samples of a frame in planar 32-bit floats, one plane per channel. */
export function planesOf(frame: Frame): Float32Array[] {
  const bytes = frame.nbSamples * Float32Array.BYTES_PER_ELEMENT;
  return (frame.data ?? []).slice(0, frame.channels).map((plane) => {
    const copy = new Float32Array(frame.nbSamples);
    Buffer.from(copy.buffer).set(plane.subarray(0, bytes));
    return copy;
  });
}
