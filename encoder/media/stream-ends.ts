/** Finds where each stream of a source ends. Headers are unreliable: files may be truncated, recorded live or written incorrectly. */
import { AVSEEK_FLAG_BACKWARD } from "node-av/constants";
import { type Look, readPackets } from "./look.ts";
import { seekByte } from "./packets.ts";
import { reopen, type OpenSource } from "./source.ts";

const TAIL_SECONDS = 4;
const TAIL_BYTES = 8 << 20;
/** Elementary streams: libav seeks by estimated bitrate and counts timestamps from there. */
const COUNTED_FROM_START = new Set(["mp3", "aac", "ac3", "eac3", "amr"]);

/**
 * Reads the tail of the file, or the whole file when the tail is inconclusive. Consumes the source.
 *
 * @returns end of each selected stream in file time, in seconds, by stream index; streams without packets are absent
 */
export async function streamEnds(source: OpenSource, seen: Look): Promise<Map<number, number>> {
  if (seen.reachedEnd) return seen.endsSeconds;
  if (source.clock !== null) return jumpingEnds(source, seen);
  const declaredEnd = (Number(source.format.startTime) + Number(source.format.duration)) / 1e6;
  const isDeclared = source.format.duration > 0n && !COUNTED_FROM_START.has(source.containerFormat);
  if (isDeclared) {
    const target = BigInt(Math.floor((declaredEnd - TAIL_SECONDS) * 1e6));
    const sought = await source.format.seekFrame(-1, target, AVSEEK_FLAG_BACKWARD);
    if (sought >= 0) {
      const tail = await readPackets(source, () => true);
      const tailEnds = [...tail.endsSeconds.values()];
      // The file is complete when at least one stream ends near the declared end.
      if (tailEnds.length > 0 && Math.max(...tailEnds) > declaredEnd - TAIL_SECONDS)
        return complete(source, seen, tail.endsSeconds);
    }
  }
  return wholeEnds(source);
}

/** Stream indexes are stable across reopening. */
async function wholeEnds(source: OpenSource): Promise<Map<number, number>> {
  await reopen(source);
  const whole = await readPackets(source, () => true);
  return whole.endsSeconds;
}

/** What libav says of the end is wrong where the clock jumps: the last bytes say more. */
async function jumpingEnds(source: OpenSource, seen: Look): Promise<Map<number, number>> {
  const from = source.reader.sizeBytes - TAIL_BYTES;
  if (from > 0 && (await seekByte(source, from))) {
    const { endsSeconds } = await readPackets(source, () => true);
    if ([...seen.endsSeconds.keys()].every((index) => endsSeconds.has(index))) return endsSeconds;
  }
  return wholeEnds(source);
}

/** Adds streams without a packet in the tail: they end at their declared end, or else at the last packet seen. */
function complete(source: OpenSource, seen: Look, tail: Map<number, number>): Map<number, number> {
  const ends = new Map(tail);
  const last = Math.max(...tail.values());
  for (const stream of [...(source.video ? [source.video] : []), ...source.audio]) {
    const start = seen.endsSeconds.get(stream.index);
    if (ends.has(stream.index) || start === undefined) continue;
    const { num, den } = stream.timeBase;
    const declared = stream.duration > 0n ? (Number(stream.startTime + stream.duration) * num) / den : start;
    ends.set(stream.index, Math.max(start, Math.min(declared, last)));
  }
  return ends;
}
