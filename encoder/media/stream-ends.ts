/** Where each stream of a source really ends. Headers only hope: files are cut off, recorded live or written by careless programs. */
import { AVSEEK_FLAG_BACKWARD } from "node-av/constants";
import { type Look, readPackets } from "./look.ts";
import { reopen, type OpenSource } from "./source.ts";

const TAIL_SECONDS = 4;
/** Elementary streams: a seek is a guess by bit rate and their timestamps are counted from there. */
const COUNTED_FROM_START = new Set(["mp3", "aac", "ac3", "eac3", "amr"]);

/**
 * @returns the file's seconds at which each chosen stream ends, by stream index; a stream without a single packet is missing.
 * Reads the tail of the file, or
 * all of it when the tail does not tell; the source is used up by that.
 */
export async function streamEnds(source: OpenSource, seen: Look): Promise<Map<number, number>> {
  if (seen.reachedEnd) return seen.endsSeconds;
  const declaredEnd = (Number(source.format.startTime) + Number(source.format.duration)) / 1e6;
  const isDeclared = source.format.duration > 0n && !COUNTED_FROM_START.has(source.containerFormat);
  if (isDeclared) {
    const target = BigInt(Math.floor((declaredEnd - TAIL_SECONDS) * 1e6));
    const sought = await source.format.seekFrame(-1, target, AVSEEK_FLAG_BACKWARD);
    if (sought >= 0) {
      const tail = await readPackets(source, () => true);
      const told = [...tail.endsSeconds.values()];
      // Near the declared end for at least one stream: the file is whole. Streams that ended earlier need the whole file read,
      // unless their own header tells.
      if (told.length > 0 && Math.max(...told) > declaredEnd - TAIL_SECONDS)
        return complete(source, seen, tail.endsSeconds);
    }
  }
  // Streams keep their numbers when the file is opened again.
  const again = await reopen(source);
  const whole = await readPackets(again, () => true);
  return whole.endsSeconds;
}

/** Streams that have no packet in the tail end before it: at their declared end, or else after what was seen of them. */
function complete(source: OpenSource, seen: Look, tail: Map<number, number>): Map<number, number> {
  const ends = new Map(tail);
  for (const stream of [...(source.video ? [source.video] : []), ...source.audio]) {
    const start = seen.endsSeconds.get(stream.index);
    if (ends.has(stream.index) || start === undefined) continue;
    const { num, den } = stream.timeBase;
    const declared = stream.duration > 0n ? (Number(stream.startTime + stream.duration) * num) / den : start;
    ends.set(stream.index, Math.max(start, declared));
  }
  return ends;
}
