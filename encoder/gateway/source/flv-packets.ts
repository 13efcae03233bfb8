/**
 * What the data of an FLV tag is (Adobe FLV 10.1, E.4; Enhanced RTMP v2, "ExVideoTagHeader", "ExAudioTagHeader"), and its tracks. Pure.
 */

export const TAG = { audio: 8, video: 9, script: 18 } as const;

const H264 = 7; // formats of plain tags
const AAC = 10;
const ENHANCED_SOUND = 9;
const METADATA = Buffer.from("\u0002\u0000\u000aonMetaData", "latin1");
/** Packet types. Plain H.264 and AAC have the first two, enhanced tags the third: metadata, or the order of channels. */
const SEQUENCE_START = 0;
const NO_FRAMES: ReadonlySet<number> = new Set([SEQUENCE_START, 2, 4]);
const MULTITRACK = { [TAG.video]: 6, [TAG.audio]: 5 } as const;
const ONE_TRACK = 0;
const MANY_TRACKS = 1;
const MANY_CODECS = 2;
const FOURCC_BYTES = 4;
/** Tracks whose configurations are kept for a decoder that starts midway: more than are encoded. */
const MAX_TRACKS = 16;
const MAX_TRACK_HEAD_BYTES = 64 << 10;

interface Packet {
  /** Null = every packet of the codec is a frame. */
  type: number | null;
  /** How tracks are packed; null without tracks. */
  packing: number | null;
}

/** @returns null when it is neither picture nor sound */
function packetOf(tagType: number, data: Buffer): Packet | null {
  const [first = 0, second = 0] = data;
  if (tagType === TAG.video && (first & 0x80) === 0)
    return { type: (first & 0x0f) === H264 ? second : null, packing: null };
  if (tagType === TAG.audio && first >> 4 !== ENHANCED_SOUND)
    return { type: first >> 4 === AAC ? second : null, packing: null };
  if (tagType !== TAG.video && tagType !== TAG.audio) return null;
  if ((first & 0x0f) !== MULTITRACK[tagType]) return { type: first & 0x0f, packing: null };
  return { type: second & 0x0f, packing: second >> 4 };
}

/** Whether it is a picture or a sound: neither metadata nor the begin or the end of a sequence. */
export function isFrame(type: number, data: Buffer): boolean {
  const packet = packetOf(type, data);
  return packet !== null && (packet.type === null || !NO_FRAMES.has(packet.type));
}

/** Name of the metadata or the decoder configuration that the tag holds, unique to its track; null for other tags. */
export function headOf(type: number, data: Buffer): string | null {
  if (type === TAG.script) return data.subarray(0, METADATA.length).equals(METADATA) ? "1-metadata" : null;
  const packet = packetOf(type, data);
  if (packet?.type !== SEQUENCE_START) return null;
  const name = type === TAG.video ? "2-video" : "3-audio";
  if (packet.packing === null) return name;
  const track = data[2 + FOURCC_BYTES] ?? 0;
  if (packet.packing !== ONE_TRACK || track >= MAX_TRACKS || data.length > MAX_TRACK_HEAD_BYTES) return null;
  return track === 0 ? name : `${name}-${track}`;
}

/**
 * Splits a tag with several tracks into one per track: libav reads only the first configuration of such a tag.
 *
 * @returns the data of each tag; the data itself when there is nothing to split, or no sense in it
 */
export function tracksOf(type: number, data: Buffer): Buffer[] {
  const packing = packetOf(type, data)?.packing;
  if (packing !== MANY_TRACKS && packing !== MANY_CODECS) return [data];
  const [first, second] = [data[0]!, data[1]! & 0x0f]; // with the packet type of the tracks, and packed as one track
  const tracks: Buffer[] = [];
  let at = 2;
  let codec = data.subarray(at, at + FOURCC_BYTES);
  if (packing === MANY_TRACKS) at += FOURCC_BYTES;
  while (at < data.length) {
    if (packing === MANY_CODECS) {
      codec = data.subarray(at, at + FOURCC_BYTES);
      at += FOURCC_BYTES;
    }
    const begin = at + 4; // behind the track's ID and length
    if (begin > data.length || tracks.length === MAX_TRACKS) return [data];
    const end = begin + data.readUIntBE(at + 1, 3);
    if (end > data.length) return [data];
    tracks.push(Buffer.concat([Buffer.of(first, second), codec, data.subarray(at, at + 1), data.subarray(begin, end)]));
    at = end;
  }
  return tracks.length === 0 ? [data] : tracks;
}
