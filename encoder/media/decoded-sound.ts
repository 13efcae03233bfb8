import type { Frame, Stream } from "node-av/lib";
import { AV_NOPTS_VALUE } from "node-av/constants";
import { JobError } from "../platform/errors.ts";
import { decodedFrames, openDecoder } from "./decode.ts";
import { keepOnly, seek } from "./packets.ts";
import { type OpenSource, reopen } from "./source.ts";

export interface DecodedSound {
  /** Owned by the receiver. */
  frame: Frame;
  /** Presentation time. May be negative: the frame begins before time 0 and ends behind it. */
  seconds: number;
}

/** Sound that begins later than this in its file is sought, not decoded from the file's start on. */
const SEEK_AFTER_SECONDS = 10;
/** Decoding starts this long before time 0: decoders of sound need some packets, and seeking is not exact in every container. */
const SEEK_MARGIN_SECONDS = 3;

/**
 * Decodes one stream of sound. Frames that end before time 0 are skipped.
 *
 * @param zeroSeconds time 0, in file time
 * @throws {JobError} source_damaged when the file has no such stream
 */
export async function* decodedSound(
  source: OpenSource,
  streamIndex: number,
  zeroSeconds: number,
): AsyncGenerator<DecodedSound> {
  if (zeroSeconds - source.zeroSeconds > SEEK_AFTER_SECONDS) {
    const stream = streamOf(source, streamIndex);
    if (await seek(source, stream, zeroSeconds - SEEK_MARGIN_SECONDS)) {
      const sought = decodedFrom(source, stream, zeroSeconds);
      const first = await sought.next();
      // A seek that went too far, or nowhere: the file is read from its start on.
      if (first.done !== true && first.value.seconds <= 0) {
        yield first.value;
        return yield* sought;
      }
      if (first.done !== true) first.value.frame.free();
      await sought.return(undefined);
    }
  }
  if (!source.isAtStart) await reopen(source);
  yield* decodedFrom(source, streamOf(source, streamIndex), zeroSeconds);
}

function streamOf({ format }: OpenSource, index: number): Stream {
  const stream = format.streams[index];
  if (stream === undefined) throw new JobError("source_damaged", "The source's audio stream is missing.");
  return stream;
}

async function* decodedFrom(source: OpenSource, stream: Stream, zeroSeconds: number): AsyncGenerator<DecodedSound> {
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
