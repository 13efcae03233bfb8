/**
 * Writes CMAF tracks (ISO/IEC 23000-19): init segments and fragments, one track per file. libav's muxer is not used, because chunks are
 * encoded independently and must share one init segment: no edit list, no duration, decode times absolute on the asset's timeline, and
 * several fragments after one `styp`. The bytes depend only on the samples.
 */
import { box, fourCc, fullBox, u16, u32, u64, u8 } from "./boxes.ts";

const TRACK_ID = 1;
const SYNC_SAMPLE = 0x02000000; // depends on no other sample
const DEPENDENT_SAMPLE = 0x01010000; // depends on others; not a sync sample
const UNITY_MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

export interface VideoTrack {
  kind: "video";
  timescale: number;
  widthPx: number;
  heightPx: number;
  colorMatrix: number; // Rec. ITU-T H.273 §8.3; primaries and transfer are BT.709's
  avcConfig: Buffer; // AVCDecoderConfigurationRecord, ISO/IEC 14496-15 §5.3.3.1
}
export interface AudioTrack {
  kind: "audio";
  timescale: number; // the sample rate, ≤ 65535
  channels: number;
  audioSpecificConfig: Buffer; // ISO/IEC 14496-3 §1.6.2.1
  bitrateBps: number;
}

/** WebVTT cues (ISO/IEC 14496-30 §7). */
export interface TextTrack {
  kind: "text";
  timescale: number;
}
type Track = VideoTrack | AudioTrack | TextTrack;

export function initSegment(track: Track): Buffer {
  const ftyp = box("ftyp", fourCc("iso6"), u32(0), fourCc("iso6", "cmfc", "cmf2"));
  const mvhd = fullBox(
    "mvhd",
    0,
    0,
    u32(0, 0, track.timescale, 0, 0x10000),
    u16(0x100, 0),
    u32(0, 0),
    UNITY_MATRIX,
    u32(0, 0, 0, 0, 0, 0, TRACK_ID + 1),
  );
  const trex = fullBox("trex", 0, 0, u32(TRACK_ID, 1, 0, 0, 0));
  return Buffer.concat([ftyp, box("moov", mvhd, trackBox(track), box("mvex", trex))]);
}

const HANDLERS = { video: ["vide", "Video"], audio: ["soun", "Audio"], text: ["text", "Text"] } as const;

function trackBox(track: Track): Buffer {
  const isVideo = track.kind === "video";
  const [widthPx, heightPx] = isVideo ? [track.widthPx, track.heightPx] : [0, 0];
  const tkhd = fullBox(
    "tkhd",
    0,
    3,
    u32(0, 0, TRACK_ID, 0, 0, 0, 0),
    u16(0, 0, track.kind === "audio" ? 0x100 : 0, 0),
    UNITY_MATRIX,
    u32(widthPx * 0x10000, heightPx * 0x10000),
  );
  const mdhd = fullBox("mdhd", 0, 0, u32(0, 0, track.timescale, 0), u16(UNDETERMINED_LANGUAGE, 0));
  const [handler, title] = HANDLERS[track.kind];
  const hdlr = fullBox("hdlr", 0, 0, u32(0), fourCc(handler), u32(0, 0, 0), Buffer.from(`${title}\0`));
  const dinf = box("dinf", fullBox("dref", 0, 0, u32(1), fullBox("url ", 0, 1)));
  const stsd = fullBox("stsd", 0, 0, u32(1), sampleEntry(track));
  const tables = [
    fullBox("stts", 0, 0, u32(0)),
    fullBox("stsc", 0, 0, u32(0)),
    fullBox("stsz", 0, 0, u32(0, 0)),
    fullBox("stco", 0, 0, u32(0)),
  ];
  return box(
    "trak",
    tkhd,
    box("mdia", mdhd, hdlr, box("minf", mediaHeader(track), dinf, box("stbl", stsd, ...tables))),
  );
}

function mediaHeader({ kind }: Track): Buffer {
  if (kind === "video") return fullBox("vmhd", 0, 1, u16(0, 0, 0, 0));
  return kind === "audio" ? fullBox("smhd", 0, 0, u16(0, 0)) : fullBox("nmhd", 0, 0);
}

function sampleEntry(track: Track): Buffer {
  if (track.kind === "video") return visualEntry(track);
  if (track.kind === "audio") return audioEntry(track);
  return box("wvtt", u32(0), u16(0, 1), box("vttC", Buffer.from("WEBVTT")));
}

/** "und" in three 5-bit letters, ISO/IEC 14496-12 §8.4.2.3; manifests carry the language. */
const UNDETERMINED_LANGUAGE = 0x55c4;

function visualEntry({ widthPx, heightPx, colorMatrix, avcConfig }: VideoTrack): Buffer {
  const sample = Buffer.concat([
    u32(0),
    u16(0, 1),
    u32(0, 0, 0, 0),
    u16(widthPx, heightPx),
    u32(0x480000, 0x480000, 0),
    u16(1),
    Buffer.alloc(32),
    u16(24, 0xffff),
  ]);
  const color = box("colr", fourCc("nclx"), u16(1, 1, colorMatrix), u8(0));
  return box("avc1", sample, box("avcC", avcConfig), box("pasp", u32(1, 1)), color);
}

function audioEntry({ timescale, channels, audioSpecificConfig, bitrateBps }: AudioTrack): Buffer {
  const sample = Buffer.concat([u32(0), u16(0, 1), u32(0, 0), u16(channels, 16, 0, 0), u32(timescale * 0x10000)]);
  // ISO/IEC 14496-1 §7.2.6: ES descriptor { decoder config { specific info }, SL config }; bodies here stay below 128 bytes.
  const specific = descriptor(0x05, audioSpecificConfig);
  const config = descriptor(0x04, u8(0x40), u8(0x15), u8(0), u16(0), u32(bitrateBps, bitrateBps), specific);
  return box(
    "mp4a",
    sample,
    fullBox("esds", 0, 0, descriptor(0x03, u16(TRACK_ID), u8(0), config, descriptor(0x06, u8(2)))),
  );
}

function descriptor(tag: number, ...body: Buffer[]): Buffer {
  const content = Buffer.concat(body);
  return Buffer.concat([u8(tag), u8(content.length), content]);
}

export interface Sample {
  data: Buffer;
  isSync: boolean;
  durationTicks: number; // to the next sample in decode order
  compositionTicks: number; // presentation time minus decode time
}
export interface Fragment {
  sequenceNumber: number;
  decodeTicks: number; // of the first sample, absolute on the asset's timeline
  samples: Sample[];
}

/**
 * A media segment: `styp`, then `moof` and `mdat` of each fragment.
 * @returns the bytes and, per fragment, its offset and its length up to the end of its first sample
 */
export function mediaSegment(fragments: Fragment[]): { bytes: Buffer; firstSamples: [number, number][] } {
  const parts = [segmentType()];
  const firstSamples: [number, number][] = [];
  let offset = parts[0]!.length;
  for (const fragment of fragments) {
    const { boxes, bytes, headerBytes } = fragmentBoxes(fragment);
    firstSamples.push([offset, headerBytes + fragment.samples[0]!.data.length]);
    parts.push(...boxes);
    offset += bytes;
  }
  return { bytes: Buffer.concat(parts, offset), firstSamples };
}

/** The `styp` box at the start of a media segment (ISO/IEC 14496-12 §8.16.2). */
export const segmentType = (): Buffer => box("styp", fourCc("msdh"), u32(0), fourCc("msdh", "cmfs"));

/** `moof` and `mdat` in pieces, their total length, and the length before the first sample. */
export function fragmentBoxes(fragment: Fragment): { boxes: Buffer[]; bytes: number; headerBytes: number } {
  const moof = movieFragment(fragment);
  const payload = fragment.samples.reduce((sum, sample) => sum + sample.data.length, 0);
  const boxes = [moof, u32(payload + 8), fourCc("mdat"), ...fragment.samples.map((sample) => sample.data)];
  return { boxes, bytes: moof.length + 8 + payload, headerBytes: moof.length + 8 };
}

/**
 * Capture time of a sample (`prft`, ISO/IEC 14496-12 §8.16.5), placed before that sample's `moof`.
 * @param capturedAtMs epoch ms @param mediaTicks the sample's time on the track
 */
export function producerReferenceTime(capturedAtMs: number, mediaTicks: number): Buffer {
  const ntpSeconds = capturedAtMs / 1000 + NTP_EPOCH_SECONDS;
  const whole = Math.floor(ntpSeconds);
  return fullBox("prft", 1, CAPTURE_TIME, u32(TRACK_ID, whole, (ntpSeconds - whole) * 2 ** 32), u64(mediaTicks));
}
const NTP_EPOCH_SECONDS = 2_208_988_800; // 1900 to 1970, RFC 5905 §6
const CAPTURE_TIME = 24; // flags: the time of capture, at a constant distance from the media time

/**
 * Decode times for the pictures of one closed GOP, given in decode order.
 *
 * With reordering, pictures are decoded before they are shown, yet decode times must start at the start of the GOP, since players take
 * `tfdt` for its presentation start and there is no edit list. Negative composition offsets (ISO/IEC 23000-19) would solve this, but
 * libav's demuxer shifts the whole track for them, which makes the sound early in every player built on it. Instead the first samples of a
 * GOP share the duration of one frame, and its last ones get the remainder: all offsets are positive and all presentation times exact.
 *
 * Players take a sample's duration for that of its picture, too. So no sample is presented beyond the end of the GOP by its duration: hls.js would
 * take the segment for longer than it is, and shift what follows when the next rendition has another timescale.
 *
 * @param shownAt presentation position of each picture in frames, counted from the GOP's first, which is decoded first
 */
export function decodeSchedule(
  shownAt: number[],
  frameTicks: number,
): Pick<Sample, "durationTicks" | "compositionTicks">[] {
  const reordered = Math.max(0, ...shownAt.map((frame, i) => i - frame));
  const endTicks = shownAt.length * frameTicks;
  const decodedAt = shownAt.map((_, i) =>
    i <= reordered ? Math.floor((i * frameTicks) / (reordered + 1)) : (i - reordered) * frameTicks,
  );
  const nextAt = (i: number) => decodedAt[i + 1] ?? endTicks;
  for (const [i, frame] of [...shownAt.entries()].toReversed())
    decodedAt[i] = Math.max(decodedAt[i]!, frame * frameTicks + nextAt(i) - endTicks);
  return shownAt.map((frame, i) => ({
    durationTicks: nextAt(i) - decodedAt[i]!,
    compositionTicks: frame * frameTicks - decodedAt[i]!,
  }));
}

function movieFragment({ sequenceNumber, decodeTicks, samples }: Fragment): Buffer {
  const mfhd = fullBox("mfhd", 0, 0, u32(sequenceNumber));
  const tfhd = fullBox("tfhd", 0, 0x020000, u32(TRACK_ID)); // default-base-is-moof
  const tfdt = fullBox("tfdt", 1, 0, u64(decodeTicks));
  const rows = u32(
    ...samples.flatMap(({ data, isSync, durationTicks, compositionTicks }) => [
      durationTicks,
      data.length,
      isSync ? SYNC_SAMPLE : DEPENDENT_SAMPLE,
      compositionTicks,
    ]),
  );
  // The data offset counts from the start of the moof to the end of the mdat header.
  const trun = (dataOffset: number) => fullBox("trun", 1, 0x000f01, u32(samples.length, dataOffset), rows);
  const moof = (dataOffset: number) => box("moof", mfhd, box("traf", tfhd, tfdt, trun(dataOffset)));
  return moof(moof(0).length + 8);
}
