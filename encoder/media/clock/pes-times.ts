/** Finds the timestamps in the bytes of transport and program streams (ISO/IEC 13818-1 §2.4.3, §2.5.3), without the media between them. Pure. */

/** The timestamps of one PES packet. */
export interface PesTime {
  /** Where the packet begins in the file. */
  byte: number;
  /** The PID in a transport stream, 0x100 + `stream_id` in a program stream. */
  stream: number;
  /** Decoding time in ticks of 90 kHz, of 33 bits; the presentation time when there is no other. */
  ticks: number;
  shownTicks: number;
  /** Without one, times of pictures may go back by the length of their reordering. */
  hasDecodingTime: boolean;
  /** Length of the packet; 0 = not announced, as for most pictures. */
  packetBytes: number;
}

export type Multiplex = "transport" | "program";

const SYNC = 0x47;
const TS_BYTES = 188;
/** Also with a time code in front of each packet (Blu-ray), and with error correction behind it. */
const TS_STRIDES = [188, 192, 204];
/** Packets in a row that confirm where packets begin. */
const SYNCED_PACKETS = 4;
const PRIVATE_STREAM = 0xbd;
const EXTENDED_STREAM = 0xfd;
const PACK_START = 0xba;

/** @param id of a stream in libav, which names the streams inside of private ones by their own id */
export const pesStream = (multiplex: Multiplex, id: number): number =>
  multiplex === "program" && id < 0x100 ? 0x100 + PRIVATE_STREAM : id;

export interface FoundTimes {
  times: PesTime[];
  /** The position in the bytes behind the last whole packet: those that are read next begin here. */
  rest: number;
}

/** @param offset of the bytes in the file */
export function pesTimes(multiplex: Multiplex, bytes: Buffer, offset: number): FoundTimes {
  return multiplex === "transport" ? transportTimes(bytes, offset) : programTimes(bytes, offset);
}

function transportTimes(bytes: Buffer, offset: number): FoundTimes {
  const times: PesTime[] = [];
  let at = 0;
  let stride = 0;
  while (at + TS_BYTES <= bytes.length) {
    if (stride === 0 || bytes[at] !== SYNC) {
      const found = findSync(bytes, at);
      if (found === null) return { times, rest: Math.max(at, bytes.length - SYNCED_PACKETS * Math.max(...TS_STRIDES)) };
      [at, stride] = [found.at, found.stride];
    }
    if (at + TS_BYTES > bytes.length) break;
    const time = packetTime(bytes.subarray(at, at + TS_BYTES));
    if (time !== null) times.push({ ...time, byte: offset + at });
    at += stride;
  }
  return { times, rest: Math.min(at, bytes.length) };
}

function findSync(bytes: Buffer, from: number): { at: number; stride: number } | null {
  for (let at = bytes.indexOf(SYNC, from); at >= 0; at = bytes.indexOf(SYNC, at + 1)) {
    const stride = TS_STRIDES.find((distance) => isSynced(bytes, at, distance));
    if (stride !== undefined) return { at, stride };
  }
  return null;
}

/** At the end of the bytes fewer packets suffice. */
function isSynced(bytes: Buffer, at: number, stride: number): boolean {
  if (at + stride >= bytes.length) return false;
  for (let packet = 1; packet < SYNCED_PACKETS; packet++) {
    const next = at + packet * stride;
    if (next >= bytes.length) return true;
    if (bytes[next] !== SYNC) return false;
  }
  return true;
}

function packetTime(packet: Buffer): Omit<PesTime, "byte"> | null {
  const isStart = (packet[1]! & 0x40) !== 0;
  const isScrambled = (packet[3]! & 0xc0) !== 0;
  const hasPayload = (packet[3]! & 0x10) !== 0;
  if (!isStart || isScrambled || !hasPayload) return null;
  const stream = ((packet[1]! & 0x1f) << 8) | packet[2]!;
  const payload = (packet[3]! & 0x20) === 0 ? 4 : 5 + packet[4]!;
  const found = pesHeader(packet.subarray(payload));
  return found === null ? null : { ...found, stream };
}

function programTimes(bytes: Buffer, offset: number): FoundTimes {
  const times: PesTime[] = [];
  let at = startCode(bytes, 0);
  // Before the first pack, start codes may be those of a picture.
  while (at >= 0 && bytes[at + 3] !== PACK_START) at = startCode(bytes, at + 1);
  while (at >= 0) {
    const id = bytes[at + 3];
    if (at + 32 > bytes.length) break;
    if (id === undefined || id < PRIVATE_STREAM) {
      at = startCode(bytes, at + 4);
      continue;
    }
    const length = bytes.readUInt16BE(at + 4);
    const time = pesHeader(bytes.subarray(at));
    if (time !== null) times.push({ ...time, stream: 0x100 + id, byte: offset + at });
    at = startCode(bytes, Math.min(bytes.length, at + 6 + length));
  }
  return { times, rest: at < 0 ? bytes.length : at };
}

/** @returns -1 = none */
function startCode(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(1, from); at >= 0; at = bytes.indexOf(1, at + 1))
    if (at >= from + 2 && bytes[at - 1] === 0 && bytes[at - 2] === 0) return at - 2;
  return -1;
}

/** The times in the header of a PES packet of picture or sound; null = it has none. */
function pesHeader(bytes: Buffer): Omit<PesTime, "byte" | "stream"> | null {
  if (bytes.length < 14 || bytes.readUIntBE(0, 3) !== 1) return null;
  const id = bytes[3]!;
  const isMedia = (id >= 0xc0 && id <= 0xef) || id === PRIVATE_STREAM || id === EXTENDED_STREAM;
  if (!isMedia) return null;
  const flags = (bytes[6]! & 0xc0) === 0x80 ? { kind: bytes[7]! >> 6, at: 9 } : mpeg1Flags(bytes);
  if (flags.kind < 2 || flags.kind > 3 || bytes.length < flags.at + (flags.kind === 3 ? 10 : 5)) return null;
  const shownTicks = timestamp(bytes, flags.at);
  const hasDecodingTime = flags.kind === 3;
  const ticks = hasDecodingTime ? timestamp(bytes, flags.at + 5) : shownTicks;
  const packetBytes = bytes.readUInt16BE(4);
  return shownTicks === null || ticks === null ? null : { ticks, shownTicks, hasDecodingTime, packetBytes };
}

/** ISO/IEC 11172-1 §2.4.3.3: stuffing, buffer size, then the times. */
function mpeg1Flags(bytes: Buffer): { kind: number; at: number } {
  let at = 6;
  while (at < bytes.length && bytes[at] === 0xff) at++;
  if ((bytes[at]! & 0xc0) === 0x40) at += 2;
  return { kind: (bytes[at] ?? 0) >> 4, at };
}

/** 33 bits in five bytes, each part with a marker bit; null when a marker is missing. */
function timestamp(bytes: Buffer, at: number): number | null {
  const [a, b, c, d, e] = bytes.subarray(at, at + 5) as unknown as [number, number, number, number, number];
  if ((a & 1) === 0 || (c & 1) === 0 || (e & 1) === 0) return null;
  return ((a >> 1) & 7) * 2 ** 30 + b * 2 ** 22 + (c >> 1) * 2 ** 15 + d * 2 ** 7 + (e >> 1);
}
