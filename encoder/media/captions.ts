/** The `captions` job: stores every cue of the source's text subtitle streams. The Worker cleans their markup. */
import { Packet, type Stream } from "node-av/lib";
import { AV_NOPTS_VALUE, AV_PKT_DATA_WEBVTT_SETTINGS } from "node-av/constants";
import {
  CAPTIONS_FILE,
  type CaptionsFile,
  type CaptionsJob,
  captionsRendition,
  type CaptionsResult,
  MAX_CAPTIONS_FILE_BYTES,
  type TextCodec,
} from "../../protocol/jobs.ts";
import type { JobContext } from "./job-context.ts";
import { isEnd, keepOnly, openSource, ticksToSeconds } from "./source.ts";
import { Store } from "./store.ts";
import { timedTextMarkup } from "./timed-text.ts";

const MAX_CUES = 100_000;
/** Bytes of one packet. Larger ones are no captions. */
const MAX_PAYLOAD_BYTES = 64 << 10;
/** Bytes of one stream's text, which JSON escapes may lengthen, and of all streams, which are in memory together. */
const MAX_STREAM_BYTES = 8 << 20;
const MAX_JOB_BYTES = 64 << 20;

interface Reading {
  streamIndex: number;
  stream: Stream;
  codec: TextCodec;
  cues: CaptionsFile["cues"];
  bytes: number;
  skippedCues: number;
  isTooLarge: boolean;
}

export async function readSubtitles(job: CaptionsJob, context: JobContext): Promise<CaptionsResult> {
  const source = await openSource(job, context);
  const readings = job.streams.flatMap(({ streamIndex, codec }): Reading[] => {
    const stream = source.format.streams[streamIndex];
    if (stream === undefined) return [];
    return [{ streamIndex, stream, codec, cues: [], bytes: 0, skippedCues: 0, isTooLarge: false }];
  });
  keepOnly(source, ...readings.map(({ stream }) => stream));
  const byIndex = new Map(readings.map((reading) => [reading.streamIndex, reading]));
  const zeroMs = source.zeroSeconds * 1000 + job.clip.startMs;
  const lengthMs = job.clip.endMs === null ? Infinity : job.clip.endMs - job.clip.startMs;
  let bytes = 0;
  using packet = new Packet();
  packet.alloc();
  while (!isEnd(source, await source.format.readFrame(packet))) {
    const reading = byIndex.get(packet.streamIndex);
    if (reading !== undefined) {
      bytes += packet.size;
      addCue(reading, packet, { zeroMs, lengthMs, isFull: bytes > MAX_JOB_BYTES });
    }
    packet.unref();
  }
  const store = new Store(job, context.onWait);
  const streams = readings.map((reading) => put(store, reading));
  await store.flushed();
  return { kind: "captions", streams };
}

function addCue(
  reading: Reading,
  packet: Packet,
  { zeroMs, lengthMs, isFull }: { zeroMs: number; lengthMs: number; isFull: boolean },
): void {
  const { stream, codec, cues } = reading;
  const data = packet.data;
  if (reading.isTooLarge || data === null || packet.pts === AV_NOPTS_VALUE) return;
  const startMs = Math.round(ticksToSeconds(packet.pts, stream) * 1000 - zeroMs);
  const endMs = Math.min(lengthMs, Math.round(ticksToSeconds(packet.pts + packet.duration, stream) * 1000 - zeroMs));
  const payload = data.length > MAX_PAYLOAD_BYTES ? "" : payloadOf(codec, data);
  if (payload === "" || endMs <= startMs || endMs <= 0) {
    if (codec !== "mov_text" || data.length > 2) reading.skippedCues++; // an empty sample of mov_text is a gap
    return;
  }
  reading.bytes += data.length;
  if (isFull || cues.length >= MAX_CUES || reading.bytes > MAX_STREAM_BYTES) {
    Object.assign(reading, { isTooLarge: true, cues: [] });
    return;
  }
  const settings = codec === "webvtt" ? packet.getSideData(AV_PKT_DATA_WEBVTT_SETTINGS)?.toString("utf8") : undefined;
  cues.push([Math.max(0, startMs), endMs, payload, (settings ?? "").slice(0, 1024)]);
}

function payloadOf(codec: TextCodec, data: Buffer): string {
  if (codec === "mov_text") return timedTextMarkup(data);
  const text = data.toString("utf8").replace(/\0+$/, "").replace(/\r\n?/g, "\n");
  return codec === "ass" ? dialogueText(text) : text;
}

/** Matroska keeps a dialogue line as `ReadOrder,Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text`. */
function dialogueText(line: string): string {
  let at = 0;
  for (let field = 0; field < 8; field++) {
    at = line.indexOf(",", at) + 1;
    if (at === 0) return "";
  }
  return line.slice(at);
}

function put(store: Store, { streamIndex, cues, skippedCues, isTooLarge }: Reading): CaptionsResult["streams"][number] {
  const bytes = Buffer.from(JSON.stringify({ cues } satisfies CaptionsFile));
  const fits = !isTooLarge && bytes.length <= MAX_CAPTIONS_FILE_BYTES;
  if (fits && cues.length > 0) store.put(captionsRendition(streamIndex), CAPTIONS_FILE, bytes);
  return { streamIndex, cueCount: fits ? cues.length : 0, skippedCues, isTooLarge: !fits };
}
