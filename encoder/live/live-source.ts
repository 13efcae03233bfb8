/** Demuxes a broadcast: its container, streams and packets. */
import { Dictionary, FormatContext, type IOContext, Packet, type Stream } from "node-av/lib";
import { AVFMT_FLAG_CUSTOM_IO, AV_NOPTS_VALUE } from "node-av/constants";
import { JobError } from "../platform/errors.ts";
import { CODEC_WHITELIST } from "../media/codecs.ts";
import { ticksToSeconds } from "../media/source.ts";
import { captionLanguages } from "../../protocol/media/captions/caption-services.ts";
import { Interleaving } from "./interleaving.ts";
import { isRateConfirmed } from "./live-grid.ts";
import type { SourceSound } from "./broadcast-sounds.ts";
import { flvAnnouncement } from "./flv-announcement.ts";
import { LiveStreams, type StreamRole } from "./live-streams.ts";
import type { Kind } from "./source-timeline.ts";
import { PacketTimes } from "./packet-times.ts";
import type { StreamReader } from "./stream-reader.ts";
import { TeletextInput } from "./teletext-input.ts";
import { TimestampDoubts } from "./timestamp-doubts.ts";

const CONTAINERS = ["flv", "live_flv", "mpegts", "mov", "mp4"];
/** In MP4, a whole fragment of one track precedes the fragment of the other. */
const FRAGMENT_SECONDS = 5;
const MAX_STREAMS = 32;
/** Limits of the stream probe. Kept small because it delays the first segment. */
const LOOK_MICROSECONDS = 500_000;
const LOOK_BYTES = 4 << 20;
/** Limits of the frame rate measurement. */
const RATE_PACKETS = 40;
const RATE_SECONDS = 0.6;

/** Longest time between the decoding and the display of a picture. */
const LONGEST_REORDER_SECONDS = 5;

/** What is wrong with a source that can be encoded nevertheless. */
export interface SourceProblems {
  /** The codec of a stream cannot be decoded. */
  onRefused(codec: string, kind: Kind): void;
  /** A timestamp was far from its neighbours, and has been replaced. */
  onWrongTime(kind: Kind): void;
  /** Parts of a picture were missing. */
  onDamaged(): void;
}

export interface TimedPacket extends StreamRole {
  packet: Packet; // owned by the receiver
  stream: Stream;
  decodeSeconds: number;
}

export class LiveSource {
  readonly reader: StreamReader;
  readonly #format = new FormatContext();
  readonly #io: IOContext;
  readonly #early: TimedPacket[] = [];
  /** Packets whose times are no longer in doubt. */
  #settled: TimedPacket[] = [];
  readonly #doubts = new TimestampDoubts<TimedPacket>((timed, seconds) => {
    retime(timed, seconds);
    this.problems.onWrongTime(timed.kind);
  });
  readonly problems: SourceProblems;
  readonly #times = new PacketTimes();
  #streams!: LiveStreams; // set by `open`
  interleaving!: Interleaving; // set by `open`
  /** ISO 639-2 by channel of captions ("CC1"), as MPEG-TS announces them. */
  captionLanguages: ReadonlyMap<string, string> = new Map();
  /** Its packets are not among those of `packets`. */
  readonly teletext = new TeletextInput();

  private constructor(reader: StreamReader, problems: SourceProblems) {
    this.reader = reader;
    this.problems = problems;
    this.#io = this.reader.open();
  }

  /**
   * @throws {JobError} `source_*` when the broadcast cannot be encoded
   */
  static async open(reader: StreamReader, problems: SourceProblems): Promise<LiveSource> {
    const source = new LiveSource(reader, problems);
    try {
      await source.#open();
    } catch (error) {
      await source[Symbol.asyncDispose]();
      throw error;
    }
    return source;
  }

  async #open(): Promise<void> {
    const format = this.#format;
    format.allocContext();
    format.pb = this.#io;
    format.setFlags(AVFMT_FLAG_CUSTOM_IO);
    using options = Dictionary.fromObject({
      format_whitelist: CONTAINERS.join(","),
      codec_whitelist: CODEC_WHITELIST,
      protocol_whitelist: "none",
      max_streams: MAX_STREAMS,
      probesize: LOOK_BYTES,
      analyzeduration: LOOK_MICROSECONDS,
      fpsprobesize: 0, // the rate is measured here
    });
    if ((await format.openInput("", null, options)) < 0) throw this.#notMedia();
    if ((await format.findStreamInfo(null)) < 0)
      throw new JobError("source_damaged", "The broadcast's streams could not be read.");
    const head = this.reader.takeHead();
    this.#streams = new LiveStreams(format, flvAnnouncement(head), (codec, kind) =>
      this.problems.onRefused(codec, kind),
    );
    this.interleaving = new Interleaving(this.#isFragmented);
    if (format.iformat?.name === "mpegts") this.captionLanguages = captionLanguages(head);
  }

  get video(): Stream | null {
    return this.#streams.video;
  }

  /** Whether the source has a picture, or announces one. */
  get expectsPicture(): boolean {
    return this.#streams.expectsPicture;
  }

  /** That which players begin with first. */
  get sounds(): SourceSound[] {
    return this.#streams.sounds;
  }

  /** The stream that sends a sound; null while the sound is only announced. */
  streamOf(soundId: number | null): Stream | null {
    return this.#streams.streamOf(soundId);
  }

  get #isFragmented(): boolean {
    return this.#format.iformat?.name?.startsWith("mov") === true;
  }

  /**
   * Frames per second declared by the container; otherwise by the codec (H.264 VUI) if the first pictures confirm it, since some encoders
   * write frames where the VUI means fields. 0 = to be measured.
   * @param times of the first pictures, ascending
   */
  rateBy(times: number[]): number {
    const [container, codec] = [this.video?.avgFrameRate, this.video?.codecpar.frameRate].map(hzOf) as [number, number];
    return container === 0 && isRateConfirmed(codec, times) ? codec : container;
  }

  /**
   * Presentation times of the first pictures, ascending, in seconds. Reads ahead; `packets` returns these packets later.
   *
   * @param first packet of the picture
   */
  async timesFrom(first: TimedPacket): Promise<number[]> {
    const times = [presentationSeconds(first)];
    const soundSeconds = this.#isFragmented ? FRAGMENT_SECONDS : RATE_SECONDS;
    let soundFrom: number | undefined;
    while (times.length < RATE_PACKETS) {
      const next = await this.#next();
      if (next === null) break;
      this.#early.push(next);
      if (next.kind === "video") {
        times.push(presentationSeconds(next));
        if (Math.abs(next.decodeSeconds - first.decodeSeconds) >= RATE_SECONDS) break;
        if (isRateConfirmed(this.rateBy(inPresentationOrder(times)), inPresentationOrder(times))) break;
      } else {
        soundFrom ??= next.decodeSeconds;
        if (Math.abs(next.decodeSeconds - soundFrom) >= soundSeconds) break;
      }
    }
    return inPresentationOrder(times);
  }

  /** Yields picture and sound packets in arrival order until the broadcast ends. */
  async *packets(): AsyncGenerator<TimedPacket> {
    for (;;) {
      const next = this.#early.shift() ?? (await this.#next());
      if (next === null) return;
      yield next;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { packet } of [...this.#early, ...this.#settled, ...this.#doubts.rest()]) packet.free();
    await this.reader.close();
    await this.#format.closeInput();
    this.#io.freeContext();
  }

  async #next(): Promise<TimedPacket | null> {
    while (this.#settled.length === 0) {
      const read = await this.#read();
      this.#settled = read === null ? this.#doubts.rest() : this.#doubts.put(read);
      if (read === null && this.#settled.length === 0) return null;
    }
    return this.#settled.shift()!;
  }

  async #read(): Promise<TimedPacket | null> {
    for (;;) {
      const packet = new Packet();
      packet.alloc();
      // A read error counts as the end: the demuxer has already skipped all damage it could.
      if ((await this.#format.readFrame(packet)) < 0) {
        packet.free();
        return null;
      }
      const stream = this.#streams.at(packet.streamIndex);
      const role = stream && this.#streams.roleOf(stream);
      const ticks = stream && role ? this.#times.complete(packet, stream) : null;
      if (stream && role && ticks !== null) {
        if (role.kind === "video" && isFarFromDecoding(packet, stream)) {
          packet.pts = ticks;
          this.problems.onWrongTime("video");
        }
        return { packet, stream, ...role, decodeSeconds: ticksToSeconds(ticks, stream) };
      }
      if (stream) this.teletext.put(packet, stream);
      packet.free();
    }
  }

  #notMedia(): JobError {
    const cause = this.reader.failure;
    return new JobError("source_not_media", "The broadcast is neither FLV nor MPEG-TS nor fragmented MP4.", { cause });
  }
}

const presentationSeconds = ({ packet, stream }: TimedPacket): number =>
  ticksToSeconds(packet.pts === AV_NOPTS_VALUE ? packet.dts : packet.pts, stream);

/** Moves a packet to another decode time. A picture keeps its distance from it. */
function retime(timed: TimedPacket, seconds: number): void {
  const { packet, stream } = timed;
  const { num, den } = stream.timeBase;
  const ticks = BigInt(Math.round((seconds * den) / num));
  const isReordered = packet.pts !== AV_NOPTS_VALUE && packet.dts !== AV_NOPTS_VALUE;
  packet.pts = isReordered ? ticks + packet.pts - packet.dts : ticks;
  packet.dts = ticks;
  timed.decodeSeconds = seconds;
}

function isFarFromDecoding({ pts, dts }: Packet, { timeBase: { num, den } }: Stream): boolean {
  if (pts === AV_NOPTS_VALUE || dts === AV_NOPTS_VALUE) return false;
  return Math.abs((Number(pts - dts) * num) / den) > LONGEST_REORDER_SECONDS;
}

/** Sorts into presentation order, without the last ones: reordered neighbours may still be missing. */
const inPresentationOrder = (times: number[]): number[] =>
  times.toSorted((a, b) => a - b).slice(0, times.length > 8 ? -2 : undefined);

const hzOf = (rate: { num: number; den: number } | undefined): number =>
  rate && rate.num > 0 && rate.den > 0 ? rate.num / rate.den : 0;
