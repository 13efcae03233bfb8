/** Converts decoded sound to frames of one format, without holes from time 0 on. */
import { Frame, avChannelLayoutDefault } from "node-av/lib";
import { AV_SAMPLE_FMT_FLTP } from "node-av/constants";
import { resample } from "../../protocol/media/audio-plan.ts";
import { type DecodedSound, planesOf } from "./decoded-sound.ts";
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

/** Makes stereo of two mono sounds, as `convertedSound` yields them. A channel that has ended is silent. The receiver owns the frames. */
export async function* stereoSound(
  left: AsyncGenerator<Frame>,
  right: AsyncGenerator<Frame>,
  { sampleRateHz }: Pick<SoundOutput, "sampleRateHz">,
): AsyncGenerator<Frame> {
  const channels = [new Channel(left), new Channel(right)];
  for (let position = 0; ;) {
    for (const channel of channels) await channel.fill();
    const lengths = channels.map(({ samples }) => samples.length).filter((length) => length > 0);
    if (lengths.length === 0) return;
    const count = Math.min(...lengths);
    const frame = soundFrame(
      channels.map((channel) => channel.take(count)),
      sampleRateHz,
    );
    frame.pts = BigInt(position);
    position += count;
    yield frame;
  }
}

class Channel {
  samples: Float32Array = new Float32Array(0);
  readonly #frames: AsyncGenerator<Frame>;

  constructor(frames: AsyncGenerator<Frame>) {
    this.#frames = frames;
  }

  /** Leaves the samples empty at the end only. */
  async fill(): Promise<void> {
    if (this.samples.length > 0) return;
    const { value: frame, done } = await this.#frames.next();
    if (done === true) return;
    [this.samples] = planesOf(frame) as [Float32Array];
    frame.free();
  }

  /** Behind the end, silence. */
  take(count: number): Float32Array {
    if (this.samples.length === 0) return new Float32Array(count);
    const taken = this.samples.subarray(0, count);
    this.samples = this.samples.subarray(count);
    return taken;
  }
}

export const silentFrame = ({ sampleRateHz, channels }: SoundOutput, nbSamples: number): Frame =>
  soundFrame(
    Array.from({ length: channels }, () => new Float32Array(nbSamples)),
    sampleRateHz,
  );

/** @param planes one for each channel, of equal lengths */
export function soundFrame(planes: Float32Array[], sampleRateHz: number): Frame {
  const samples = Buffer.concat(
    planes.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  );
  return Frame.fromAudioBuffer(samples, {
    nbSamples: planes[0]!.length,
    format: AV_SAMPLE_FMT_FLTP,
    sampleRate: sampleRateHz,
    channelLayout: avChannelLayoutDefault(planes.length),
    timeBase: { num: 1, den: sampleRateHz },
    pts: 0n,
  });
}
