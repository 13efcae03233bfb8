/** A look at the first packets of a source: when frames come, without decoding them. */
import { Packet } from "node-av";
import { AVSEEK_FLAG_BACKWARD, AV_NOPTS_VALUE } from "node-av/constants";
import { isEnd, ticksToSeconds, type OpenSource } from "./source.ts";

const MAX_VIDEO_PACKETS = 300;
const MAX_BYTES = 24 << 20;
/** Packets come in the order of decoding: the times of the last few may still lack a neighbour. */
const UNSETTLED_PACKETS = 16;

export interface Survey {
  /** Ascending presentation times of the first frames, in the file's seconds. */
  videoTimesSeconds: number[];
  /** End of what was read of each stream, in the file's seconds, by stream index. */
  endsSeconds: Map<number, number>;
  reachedEnd: boolean;
}

/** Reads from the start of the file and goes back there. */
export async function survey(source: OpenSource): Promise<Survey> {
  const seen = await readPackets(source, (packets, bytes) => packets >= MAX_VIDEO_PACKETS || bytes >= MAX_BYTES);
  await rewind(source);
  const times = seen.videoTimesSeconds.toSorted((a, b) => a - b);
  return { ...seen, videoTimesSeconds: seen.reachedEnd ? times : times.slice(0, -UNSETTLED_PACKETS) };
}

/** @param isEnough asked after each packet of the chosen streams, with video packets (all packets when there is no picture) and bytes so far */
export async function readPackets(source: OpenSource, isEnough: (packets: number, bytes: number) => boolean): Promise<Survey> {
  using packet = new Packet();
  packet.alloc();
  const chosen = new Map([...(source.video ? [source.video] : []), ...source.audio].map((stream) => [stream.index, stream]));
  const counted = source.video?.index;
  const seen: Survey = { videoTimesSeconds: [], endsSeconds: new Map(), reachedEnd: false };
  for (let packets = 0, bytes = 0; ;) {
    if (isEnd(source, await source.format.readFrame(packet))) return { ...seen, reachedEnd: true };
    const stream = chosen.get(packet.streamIndex);
    bytes += packet.size;
    if (stream !== undefined) {
      const ticks = packet.pts === AV_NOPTS_VALUE ? packet.dts : packet.pts;
      if (ticks !== AV_NOPTS_VALUE) {
        const end = ticksToSeconds(ticks + (packet.duration > 0n ? packet.duration : 0n), stream);
        seen.endsSeconds.set(stream.index, Math.max(end, seen.endsSeconds.get(stream.index) ?? -Infinity));
        if (stream.index === counted) seen.videoTimesSeconds.push(ticksToSeconds(ticks, stream));
      }
      if (counted === undefined || stream.index === counted) packets++;
    }
    packet.unref();
    if (isEnough(packets, bytes)) return seen;
  }
}

export async function rewind(source: OpenSource): Promise<void> {
  const earliest = -(2n ** 62n);
  if ((await source.format.seekFile(-1, earliest, earliest, 2n ** 62n)) < 0) await source.format.seekFrame(-1, 0n, AVSEEK_FLAG_BACKWARD);
  if (source.reader.failure !== undefined) throw source.reader.failure;
}
