/** Demuxes a broadcast: its container, streams and packets. */
import { Dictionary, FormatContext, type IOContext, Packet, type Stream } from "node-av/lib";
import { AVFMT_FLAG_CUSTOM_IO, AV_NOPTS_VALUE } from "node-av/constants";
import { JobError } from "../platform/errors.ts";
import { CODEC_WHITELIST } from "../media/codecs.ts";
import { ticksToSeconds } from "../media/source.ts";
import { captionLanguages } from "../../protocol/media/captions/caption-services.ts";
import { isRateConfirmed } from "./live-grid.ts";
import { LiveStreams, type StreamRole } from "./live-streams.ts";
import { PacketTimes } from "./packet-times.ts";
import type { StreamReader } from "./stream-reader.ts";
import { TeletextInput } from "./teletext-input.ts";

const CONTAINERS = ["flv", "live_flv", "mpegts", "mov", "mp4"];
/** Maximum distance between sound and picture of the same time, in either order. */
const INTERLEAVE_SECONDS = 1.2;
/** The same for MP4, where a whole fragment of one track precedes the fragment of the other. */
const FRAGMENT_SECONDS = 5;
const MAX_STREAMS = 32;
/** Limits of the stream probe. Kept small because it delays the first segment. */
const LOOK_MICROSECONDS = 500_000;
const LOOK_BYTES = 4 << 20;
/** Limits of the frame rate measurement. */
const RATE_PACKETS = 40;
const RATE_SECONDS = 0.6;

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
  readonly #times = new PacketTimes();
  #streams!: LiveStreams; // set by `open`
  /** ISO 639-2 by channel of captions ("CC1"), as MPEG-TS announces them. */
  captionLanguages: ReadonlyMap<string, string> = new Map();
  /** Its packets are not among those of `packets`. */
  readonly teletext = new TeletextInput();

  private constructor(reader: StreamReader) {
    this.reader = reader;
    this.#io = this.reader.open();
  }

  /** @throws {JobError} `source_*` when the broadcast cannot be encoded */
  static async open(reader: StreamReader): Promise<LiveSource> {
    const source = new LiveSource(reader);
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
    this.#streams = new LiveStreams(format);
    const head = this.reader.takeHead();
    if (format.iformat?.name === "mpegts") this.captionLanguages = captionLanguages(head);
  }

  get video(): Stream | null {
    return this.#streams.video;
  }

  /** That which players begin with first. */
  get sounds(): Stream[] {
    return this.#streams.sounds;
  }

  /** Maximum distance between picture and sound of the same time, in seconds. */
  get interleaveSeconds(): number {
    return this.#format.iformat?.name?.startsWith("mov") === true ? FRAGMENT_SECONDS : INTERLEAVE_SECONDS;
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

  /** Presentation times of the first pictures, ascending, in seconds. `packets` returns these packets again. */
  async firstTimes(): Promise<number[]> {
    const times: number[] = [];
    if (this.video === null) return times;
    while (times.length < RATE_PACKETS) {
      const next = await this.#next();
      if (next === null) break;
      this.#early.push(next);
      const { packet, stream, kind } = next;
      const ticks = packet.pts === AV_NOPTS_VALUE ? packet.dts : packet.pts;
      if (kind === "video") times.push(ticksToSeconds(ticks, stream));
      const first = this.#early[0]!.decodeSeconds;
      if (Math.abs(next.decodeSeconds - first) >= RATE_SECONDS) break;
      if (kind === "video" && isRateConfirmed(this.rateBy(inPresentationOrder(times)), inPresentationOrder(times)))
        break;
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
    for (const { packet } of this.#early) packet.free();
    await this.reader.close();
    await this.#format.closeInput();
    this.#io.freeContext();
  }

  async #next(): Promise<TimedPacket | null> {
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
      if (stream && role && ticks !== null)
        return { packet, stream, ...role, decodeSeconds: ticksToSeconds(ticks, stream) };
      if (stream) this.teletext.put(packet, stream);
      packet.free();
    }
  }

  #notMedia(): JobError {
    const cause = this.reader.failure;
    return new JobError("source_not_media", "The broadcast is neither FLV nor MPEG-TS nor fragmented MP4.", { cause });
  }
}

/** Sorts into presentation order, without the last ones: reordered neighbours may still be missing. */
const inPresentationOrder = (times: number[]): number[] =>
  times.toSorted((a, b) => a - b).slice(0, times.length > 8 ? -2 : undefined);

const hzOf = (rate: { num: number; den: number } | undefined): number =>
  rate && rate.num > 0 && rate.den > 0 ? rate.num / rate.den : 0;
