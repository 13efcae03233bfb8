/** Inspects the beginning of a source: frame times and the first decoded frames. */
import { type CodecContext, Frame, Packet, type Stream } from "node-av/lib";
import { AV_NOPTS_VALUE, AV_PKT_FLAG_DISCARD } from "node-av/constants";
import { ccDetector } from "./channel-captions.ts";
import { openDecoder } from "./decode.ts";
import { readPacket } from "./packets.ts";
import { ticksToSeconds, type OpenSource } from "./source.ts";

const MAX_VIDEO_PACKETS = 300;
const MAX_BYTES = 24 << 20;
const FRAMES_LOOKED_AT = 8;
/** Packets arrive in decode order, so times next to the last few may still be missing. */
const UNSETTLED_PACKETS = 16;

export interface Look {
  /** Times of the first frames, ascending, in file time: of presentation, or of decoding if some have no other. */
  videoTimesSeconds: number[];
  /** The first decodable frames, owned by the receiver. */
  frames: Frame[];
  /** Earliest time of each stream, in file time, by stream index. */
  startsSeconds: Map<number, number>;
  /** End of each stream as far as it was read, in file time, by stream index; streams without packets are absent. */
  endsSeconds: Map<number, number>;
  reachedEnd: boolean;
  /** Pictures have a place for closed captions, which may be idle. */
  hasCcData: boolean;
}

/** Reads from the start of a newly opened source. */
export async function look(source: OpenSource): Promise<Look> {
  const decoder = source.video === null ? undefined : await openDecoder(source.video, 1);
  const frames: Frame[] = [];
  const times = new PictureTimes();
  const isCaptioned = source.video === null ? () => false : ccDetector(source.video);
  let hasCaptions = false;
  let [packets, bytes] = [0, 0];
  const isEnough = () =>
    (packets >= MAX_VIDEO_PACKETS || bytes >= MAX_BYTES) && (frames.length > 0 || bytes >= MAX_BYTES * 2);
  try {
    const { startsSeconds, endsSeconds, reachedEnd } = await readPackets(source, async (packet, stream) => {
      bytes += packet.size;
      if (source.video === null) packets++;
      if (stream !== undefined && stream === source.video) {
        hasCaptions ||= isCaptioned(packet);
        if (isShown(packet)) {
          packets++;
          times.add(packet, stream);
        }
        if (frames.length < FRAMES_LOOKED_AT) await decode(decoder!, packet, frames);
      }
      return !isEnough();
    });
    if (decoder !== undefined && reachedEnd && frames.length < FRAMES_LOOKED_AT) await decode(decoder, null, frames);
    return {
      videoTimesSeconds: times.settled(reachedEnd),
      frames,
      startsSeconds,
      endsSeconds,
      reachedEnd,
      hasCcData: hasCaptions,
    };
  } finally {
    decoder?.freeContext();
  }
}

/** The times of a stream's pictures. Those of presentation and of decoding are not mixed: their intervals would be wrong. */
class PictureTimes {
  readonly #shown: number[] = [];
  readonly #decoded: number[] = [];
  #count = 0;

  add({ pts, dts }: Packet, stream: Stream): void {
    this.#count++;
    if (pts !== AV_NOPTS_VALUE) this.#shown.push(ticksToSeconds(pts, stream));
    if (dts !== AV_NOPTS_VALUE) this.#decoded.push(ticksToSeconds(dts, stream));
  }

  /** Ascending. */
  settled(isWhole: boolean): number[] {
    const areAllShown = this.#shown.length === this.#count || this.#decoded.length < this.#shown.length;
    if (!areAllShown) return this.#decoded.toSorted((a, b) => a - b);
    const times = this.#shown.toSorted((a, b) => a - b);
    return isWhole ? times : times.slice(0, -UNSETTLED_PACKETS);
  }
}

/** @param visit called with every packet, and its stream if selected; returning false ends the reading */
export async function readPackets(
  source: OpenSource,
  visit: (packet: Packet, stream: Stream | undefined) => Promise<boolean> | boolean,
): Promise<Pick<Look, "startsSeconds" | "endsSeconds" | "reachedEnd">> {
  using packet = new Packet();
  packet.alloc();
  const chosen = new Map(
    [...(source.video ? [source.video] : []), ...source.audio].map((stream) => [stream.index, stream]),
  );
  const ranges = new Map<number, TimeRange>();
  const isMultiplexed = source.packetClock !== null;
  for (;;) {
    const isOver = !(await readPacket(source, packet));
    if (isOver) return { ...spansOf(ranges, isMultiplexed), reachedEnd: true };
    const stream = chosen.get(packet.streamIndex);
    if (stream !== undefined && isShown(packet)) extend(ranges, packet, stream);
    const continues = await visit(packet, stream);
    packet.unref();
    if (!continues) return { ...spansOf(ranges, isMultiplexed), reachedEnd: false };
  }
}

/** Times of a stream's packets, in file time. */
interface TimeRange {
  firstSeconds: number;
  lastSeconds: number;
  endSeconds: number;
  /** End of presentation by the times of decoding: later by the reordering. */
  decodedEndSeconds: number;
  lacksShownTime: boolean;
}

const NO_TIMES: TimeRange = {
  firstSeconds: Infinity,
  lastSeconds: -Infinity,
  endSeconds: -Infinity,
  decodedEndSeconds: -Infinity,
  lacksShownTime: false,
};

/** The duration of a packet is the time to the next one in decoding order, so only that of the last picture says where the stream ends. */
function extend(ranges: Map<number, TimeRange>, { pts, dts, duration }: Packet, stream: Stream): void {
  const ticks = pts === AV_NOPTS_VALUE ? dts : pts;
  if (ticks === AV_NOPTS_VALUE) return;
  const range = ranges.get(stream.index) ?? { ...NO_TIMES };
  const at = ticksToSeconds(ticks, stream);
  const lastsSeconds = duration > 0n ? ticksToSeconds(duration, stream) : 0;
  range.firstSeconds = Math.min(range.firstSeconds, at);
  if (at >= range.lastSeconds) [range.lastSeconds, range.endSeconds] = [at, at + lastsSeconds];
  range.lacksShownTime ||= pts === AV_NOPTS_VALUE;
  if (dts !== AV_NOPTS_VALUE)
    range.decodedEndSeconds = ticksToSeconds(dts, stream) + (1 + stream.codecpar.videoDelay) * lastsSeconds;
  ranges.set(stream.index, range);
}

function spansOf(
  ranges: ReadonlyMap<number, TimeRange>,
  hasShownTimes: boolean,
): Pick<Look, "startsSeconds" | "endsSeconds"> {
  const starts = [...ranges].map(([index, { firstSeconds }]) => [index, firstSeconds] as const);
  // The last picture of a program stream may have a time of decoding only. Those of AVI have no others, which are used as they are.
  const endOf = ({ endSeconds, decodedEndSeconds, lacksShownTime }: TimeRange) =>
    hasShownTimes && lacksShownTime ? Math.max(endSeconds, decodedEndSeconds) : endSeconds;
  const ends = [...ranges].map(([index, range]) => [index, endOf(range)] as const);
  return { startsSeconds: new Map(starts), endsSeconds: new Map(ends) };
}

/** False outside of an edit list: such packets are decoded for the sake of others. */
const isShown = (packet: Packet) => !packet.hasFlags(AV_PKT_FLAG_DISCARD);

async function decode(decoder: CodecContext, packet: Packet | null, frames: Frame[]): Promise<void> {
  await decoder.sendPacket(packet);
  for (;;) {
    const frame = new Frame();
    frame.alloc();
    if ((await decoder.receiveFrame(frame)) < 0) return frame.free();
    frames.push(frame);
  }
}
