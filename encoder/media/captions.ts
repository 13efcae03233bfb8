/** The `captions` job: stores every cue of the source's subtitles. The Worker cleans their markup. */
import { Packet, type Stream } from "node-av/lib";
import { AV_NOPTS_VALUE, AV_PKT_DATA_WEBVTT_SETTINGS } from "node-av/constants";
import { CAPTIONS_FILE, type CaptionsJob, captionsRendition, type CaptionsResult } from "../../protocol/captions.ts";
import { type SourceSubtitles, type SubtitleCodec, TEXT_CODECS, type TextCodec } from "../../protocol/source-facts.ts";
import { ChannelCaptions } from "./channel-captions.ts";
import { CueBounds, CueFile } from "./cue-file.ts";
import type { JobContext } from "./job-context.ts";
import { keepOnly, readPacket } from "./packets.ts";
import { hasCues, withoutRepeats } from "./repeated-captions.ts";
import { montageFile, type OpenSource, openSource, ticksToSeconds } from "./source.ts";
import { Store } from "./store.ts";
import { TeletextCaptions } from "./teletext-captions.ts";
import { timedTextMarkup } from "./timed-text.ts";

/** Bytes of one packet. Larger ones are no captions. */
const MAX_PAYLOAD_BYTES = 64 << 10;

/** Reads the packets of one stream into its files. */
interface Reader {
  push(packet: Packet): void;
  end(): void;
}
interface Reading {
  stream: Stream;
  codec: SubtitleCodec;
  files: CueFile[];
  reader: Reader;
}

export async function readSubtitles(job: CaptionsJob, context: JobContext): Promise<CaptionsResult> {
  const source = await openSource(job, context, { path: montageFile(job.file ?? 0) });
  const lengthMs = job.clip.endMs === null ? Infinity : job.clip.endMs - job.clip.startMs;
  const bounds = new CueBounds(source.zeroSeconds * 1000 + job.clip.startMs, lengthMs);
  const readings = readingsOf(job.streams, source, bounds);
  keepOnly(source, ...readings.map(({ stream }) => stream));
  const byIndex = new Map(readings.map((reading) => [reading.stream.index, reading]));
  using packet = new Packet();
  packet.alloc();
  while (await readPacket(source, packet)) {
    byIndex.get(packet.streamIndex)?.reader.push(packet);
    packet.unref();
  }
  for (const { reader } of readings) reader.end();
  const store = new Store(job, context.onWait);
  const streams = filesOf(readings).map((file) => {
    const { bytes, facts } = file.finish();
    if (bytes !== null) store.put(captionsRendition({ ...facts, file: job.file }), CAPTIONS_FILE, bytes);
    return facts;
  });
  await store.flushed();
  return { kind: "captions", streams };
}

function readingsOf(wanted: SourceSubtitles[], { format }: OpenSource, bounds: CueBounds): Reading[] {
  return [...Map.groupBy(wanted, ({ streamIndex }) => streamIndex)].flatMap(([streamIndex, entries]): Reading[] => {
    const stream = format.streams[streamIndex];
    const codec = entries[0]?.codec;
    if (stream === undefined || codec === undefined) return [];
    const files = entries.map((entry) => new CueFile(entry, bounds));
    return [{ stream, codec, files, reader: readerOf(stream, codec, files) }];
  });
}

function readerOf(stream: Stream, codec: SubtitleCodec, files: CueFile[]): Reader {
  const byChannel = new Map(files.map((file) => [file.of.channel ?? "", file]));
  if (codec === "cc_data" || codec === "eia_608") return new ChannelCaptions(stream, codec, byChannel);
  if (codec === "dvb_teletext") return new TeletextCaptions(stream, byChannel);
  return { push: (packet) => addCue(files[0]!, packet, { stream, codec }), end: () => {} };
}

/** Those to report: of channels, the ones that are not empty. */
function filesOf(readings: Reading[]): CueFile[] {
  const of = (...codecs: SubtitleCodec[]) =>
    readings.filter(({ codec }) => codecs.includes(codec)).flatMap(({ files }) => files);
  // Pages of teletext do not repeat each other: one for viewers who do not hear says more.
  return [...of(...TEXT_CODECS), ...withoutRepeats(of("cc_data", "eia_608")), ...of("dvb_teletext").filter(hasCues)];
}

function addCue(file: CueFile, packet: Packet, { stream, codec }: { stream: Stream; codec: TextCodec }): void {
  const { data, pts } = packet;
  if (data === null || pts === AV_NOPTS_VALUE) return;
  if (codec === "mov_text" && data.length <= 2) return; // a gap
  const settings = codec === "webvtt" ? packet.getSideData(AV_PKT_DATA_WEBVTT_SETTINGS)?.toString("utf8") : undefined;
  const payload = data.length > MAX_PAYLOAD_BYTES ? "" : payloadOf(codec, data);
  const ms = (ticks: bigint) => ticksToSeconds(ticks, stream) * 1000;
  file.add(ms(pts), ms(pts + packet.duration), payload, (settings ?? "").slice(0, 1024), data.length);
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
