/** Inspects the beginning of a source: frame times and the first decoded frames. */
import { type CodecContext, Frame, Packet, type Stream } from "node-av/lib";
import { AV_NOPTS_VALUE } from "node-av/constants";
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
  /** Presentation times of the first frames, ascending, in file time. */
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
  const timesSeconds: number[] = [];
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
        packets++;
        hasCaptions ||= isCaptioned(packet);
        const ticks = packet.pts === AV_NOPTS_VALUE ? packet.dts : packet.pts;
        if (ticks !== AV_NOPTS_VALUE) timesSeconds.push(ticksToSeconds(ticks, stream));
        if (frames.length < FRAMES_LOOKED_AT) await decode(decoder!, packet, frames);
      }
      return !isEnough();
    });
    if (decoder !== undefined && reachedEnd && frames.length < FRAMES_LOOKED_AT) await decode(decoder, null, frames);
    const times = timesSeconds.toSorted((a, b) => a - b);
    return {
      videoTimesSeconds: reachedEnd ? times : times.slice(0, -UNSETTLED_PACKETS),
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
  const startsSeconds = new Map<number, number>();
  const endsSeconds = new Map<number, number>();
  for (;;) {
    if (!(await readPacket(source, packet))) return { startsSeconds, endsSeconds, reachedEnd: true };
    const stream = chosen.get(packet.streamIndex);
    const ticks = packet.pts === AV_NOPTS_VALUE ? packet.dts : packet.pts;
    if (stream !== undefined && ticks !== AV_NOPTS_VALUE) {
      const start = ticksToSeconds(ticks, stream);
      startsSeconds.set(stream.index, Math.min(start, startsSeconds.get(stream.index) ?? Infinity));
      const end = ticksToSeconds(ticks + (packet.duration > 0n ? packet.duration : 0n), stream);
      endsSeconds.set(stream.index, Math.max(end, endsSeconds.get(stream.index) ?? -Infinity));
    }
    const continues = await visit(packet, stream);
    packet.unref();
    if (!continues) return { startsSeconds, endsSeconds, reachedEnd: false };
  }
}

async function decode(decoder: CodecContext, packet: Packet | null, frames: Frame[]): Promise<void> {
  await decoder.sendPacket(packet);
  for (;;) {
    const frame = new Frame();
    frame.alloc();
    if ((await decoder.receiveFrame(frame)) < 0) return frame.free();
    frames.push(frame);
  }
}
