/** Converts decoded sound to frames of one format, without holes from time 0 on. */
import { Frame, avChannelLayoutDefault } from "node-av/lib";
import { AV_SAMPLE_FMT_FLTP } from "node-av/constants";
import { resample } from "../../protocol/media/audio-plan.ts";
import type { DecodedSound } from "./decoded-sound.ts";
import type { SoundOutput } from "./sound-encoder.ts";
import { SoundGraph } from "./sound-graph.ts";

/** The resampler fills gaps up to this length, in one piece of memory. A microphone may be muted for hours. */
const LONGEST_FILLED_SECONDS = 1;

/**
 * Yields frames whose times are in samples of the output, one after another from 0. The format of the sound may change on the way. Gaps and a late
 * start are silence. The receiver owns the frames.
 */
export async function* convertedSound(sound: AsyncIterable<DecodedSound>, output: SoundOutput): AsyncGenerator<Frame> {
  let graph: SoundGraph | undefined;
  let kind = "";
  let position = 0; // samples of the output that have been yielded
  let startsAt = 0; // of the graph's time, in samples of the output
  let endSeconds = 0; // of what the graph has been given
  function* placed(frames: Iterable<Frame>): Generator<Frame> {
    for (const frame of frames) {
      frame.pts = BigInt(position);
      position += frame.nbSamples;
      yield frame;
    }
  }
  try {
    for await (const { frame, seconds } of sound) {
      if (graph === undefined || kindOf(frame) !== kind || seconds - endSeconds > LONGEST_FILLED_SECONDS) {
        if (graph !== undefined) yield* placed(graph.rest());
        graph?.close();
        graph = undefined;
        const missing = () => Math.round(seconds * output.sampleRateHz) - position;
        while (missing() > LONGEST_FILLED_SECONDS * output.sampleRateHz)
          yield* placed([silentFrame(output, Math.min(missing(), output.sampleRateHz))]);
        graph = await SoundGraph.open(resample(output, frame.channels), frame);
        [kind, startsAt] = [kindOf(frame), position];
      }
      frame.pts = BigInt(Math.round((seconds - startsAt / output.sampleRateHz) * frame.sampleRate));
      endSeconds = seconds + frame.nbSamples / frame.sampleRate;
      graph.put(frame);
      frame.free();
      yield* placed(graph.ready());
    }
    if (graph !== undefined) yield* placed(graph.rest());
  } finally {
    graph?.close();
  }
}

function kindOf({ format, sampleRate, channels, channelLayout: { order, mask } }: Frame): string {
  return [format, sampleRate, channels, order, mask].join();
}

export function silentFrame({ sampleRateHz, channels }: SoundOutput, nbSamples: number): Frame {
  const samples = Buffer.alloc(nbSamples * channels * Float32Array.BYTES_PER_ELEMENT);
  return Frame.fromAudioBuffer(samples, {
    nbSamples,
    format: AV_SAMPLE_FMT_FLTP,
    sampleRate: sampleRateHz,
    channelLayout: avChannelLayoutDefault(channels),
    timeBase: { num: 1, den: sampleRateHz },
    pts: 0n,
  });
}
