/** Reads the source's pictures of one time range, in presentation order with their times. */
import type { CodecContext, Frame, Packet } from "node-av/lib";
import { AV_FRAME_FLAG_CORRUPT, AV_NOPTS_VALUE } from "node-av/constants";
import type { SourceVideo } from "../../protocol/source-facts.ts";
import { JobError } from "../platform/errors.ts";
import { decodedFrames, openDecoder } from "./decode.ts";
import { PictureGraph } from "./picture-graph.ts";
import { keepOnly, seek } from "./packets.ts";
import { reopen, type OpenSource } from "./source.ts";

export interface TimedFrame {
  frame: Frame;
  timeSeconds: number; // after presentation zero
  durationSeconds: number;
}

/**
 * Margins before the requested time to seek to, tried in order until decoding starts early enough: indexes may be missing, coarse or wrong,
 * and a seek in a transport stream is imprecise. The last attempt starts at the beginning of the file.
 */
const SEEK_MARGINS_SECONDS = [0.2, 3, 15, 60, Infinity];
/** Pictures decoded before the range, because deinterlacing depends on the previous picture and must be independent of the read position. */
const LEAD_FRAMES = 3;

/**
 * Yields pictures starting with the last one at or before `fromSeconds`, or with the first one. The receiver owns them.
 *
 * @param offsetSeconds file time of presentation zero
 * @throws {JobError} `source_damaged` when no picture can be decoded
 */
export async function* pictures(
  source: OpenSource,
  facts: SourceVideo,
  fromSeconds: number,
  offsetSeconds: number,
): AsyncGenerator<TimedFrame> {
  const lead = LEAD_FRAMES * (facts.frameRate.den / facts.frameRate.num);
  const wanted = fromSeconds - (facts.interlaced ? lead : 0);
  for (const margin of SEEK_MARGINS_SECONDS) {
    const target = wanted - margin;
    const isFromStart = target + offsetSeconds <= source.zeroSeconds + facts.startMs / 1000;
    const isFirst = margin === SEEK_MARGINS_SECONDS[0];
    // Reopen for later attempts, because not every demuxer can seek back to the start.
    if (!isFirst || (isFromStart && !source.isAtStart)) await reopen(source);
    const stream = source.format.streams[facts.streamIndex];
    if (stream === undefined) throw new JobError("source_damaged", "The source's video stream is missing.");
    keepOnly(source, stream);
    if (!isFromStart && !(await seek(source, stream, target + offsetSeconds))) continue;
    const decoder = await openDecoder(stream, 0);
    try {
      const frames = orderly(timed(source, facts, decoder, offsetSeconds));
      const first = await frames.next();
      const isEarlyEnough = !first.done && first.value.timeSeconds <= wanted + 1e-6;
      if (isEarlyEnough || (isFromStart && !first.done)) {
        const all = withFirst(first.value, frames);
        return yield* facts.interlaced ? deinterlaced(all, stream.timeBase) : all;
      }
      if (!first.done) first.value.frame.free();
      await frames.return(undefined);
    } finally {
      decoder.freeContext();
    }
  }
  throw new JobError("source_damaged", "No picture of the source could be decoded.");
}

async function* timed(
  source: OpenSource,
  facts: SourceVideo,
  decoder: CodecContext,
  offsetSeconds: number,
): AsyncGenerator<TimedFrame> {
  const stream = source.format.streams[facts.streamIndex]!;
  const { num, den } = stream.timeBase;
  const nominalSeconds = facts.frameRate.den / facts.frameRate.num;
  // Single pictures of a program stream have no presentation time either, although the others do.
  const hasShownTimes = source.packetClock !== null;
  let [sawKey, isDecodeTimeOnly] = [false, false];
  // Some decoders output damaged pictures before the first key frame.
  const accepts = (packet: Packet) => {
    if (!sawKey && packet.isKeyframe)
      [sawKey, isDecodeTimeOnly] = [true, packet.pts === AV_NOPTS_VALUE && !hasShownTimes];
    return sawKey;
  };
  let untimed: Frame[] = []; // leading frames, timed by the first frame that has a time
  let lastSeconds: number | undefined;
  for await (const frame of decodedFrames(source, stream, decoder, { accepts })) {
    if (lastSeconds === undefined && frame.hasFlags(AV_FRAME_FLAG_CORRUPT)) {
      frame.free();
      continue;
    }
    const pts = frame.bestEffortTimestamp;
    if (pts === AV_NOPTS_VALUE && lastSeconds === undefined) {
      untimed.push(frame);
      continue;
    }
    // AVI has decode times only; presentation is later by the decoder's reorder delay.
    const delaySeconds = isDecodeTimeOnly ? decoder.hasBFrames * nominalSeconds : 0;
    const timeSeconds =
      pts === AV_NOPTS_VALUE ? lastSeconds! + nominalSeconds : (Number(pts) * num) / den - offsetSeconds - delaySeconds;
    for (const [i, early] of untimed.entries())
      yield {
        frame: early,
        timeSeconds: timeSeconds - (untimed.length - i) * nominalSeconds,
        durationSeconds: nominalSeconds,
      };
    untimed = [];
    lastSeconds = timeSeconds;
    yield {
      frame,
      timeSeconds,
      durationSeconds: frame.duration > 0n ? (Number(frame.duration) * num) / den : nominalSeconds,
    };
  }
  for (const [i, frame] of untimed.entries())
    yield { frame, timeSeconds: i * nominalSeconds, durationSeconds: nominalSeconds };
}

/** Gives a picture whose time is not between those of its neighbours one that is: decoders yield pictures in the order of presentation. */
async function* orderly(frames: AsyncGenerator<TimedFrame>): AsyncGenerator<TimedFrame> {
  let last: number | undefined;
  let held: TimedFrame | undefined;
  try {
    for await (const next of frames) {
      if (held !== undefined) {
        const isBetween = held.timeSeconds <= next.timeSeconds && held.timeSeconds >= (last ?? -Infinity);
        const canBe = last === undefined || next.timeSeconds >= last;
        const timeSeconds =
          isBetween || !canBe
            ? held.timeSeconds
            : (next.timeSeconds + (last ?? next.timeSeconds - held.durationSeconds)) / 2;
        last = timeSeconds;
        const ready = { ...held, timeSeconds };
        held = next;
        yield ready;
      } else held = next;
    }
    const rest = held;
    held = undefined;
    if (rest !== undefined) yield rest;
  } finally {
    held?.frame.free();
  }
}

async function* withFirst(first: TimedFrame, rest: AsyncGenerator<TimedFrame>): AsyncGenerator<TimedFrame> {
  yield first;
  yield* rest;
}

/** Deinterlaces at the same frame rate: both fields become one picture. Times bypass the filter. */
async function* deinterlaced(
  frames: AsyncGenerator<TimedFrame>,
  timeBase: { num: number; den: number },
): AsyncGenerator<TimedFrame> {
  let graph: PictureGraph | undefined;
  const times: TimedFrame[] = [];
  async function* drain(from: PictureGraph): AsyncGenerator<TimedFrame> {
    for (let out = await from.take(0); out !== null; out = await from.take(0)) {
      const { timeSeconds, durationSeconds } = times.shift()!;
      yield { frame: out, timeSeconds, durationSeconds };
    }
  }
  try {
    for await (const timedFrame of frames) {
      const { frame } = timedFrame;
      if (graph !== undefined && !graph.suits(frame)) {
        graph.put(null);
        yield* drain(graph);
        graph.close();
        graph = undefined;
      }
      graph ??= await PictureGraph.open("[in]bwdif=mode=send_frame:deint=interlaced[out0]", 1, frame, timeBase);
      times.push(timedFrame);
      graph.put(frame);
      frame.free();
      yield* drain(graph);
    }
    graph?.put(null);
    if (graph !== undefined) yield* drain(graph);
  } finally {
    graph?.close();
  }
}
