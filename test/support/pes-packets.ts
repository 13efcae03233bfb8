/** Writes transport and program streams that have timestamps, and nothing else. */
import type { PesTime } from "../../encoder/media/clock/pes-times.ts";

const TS_BYTES = 188;
const PACK_BYTES = 14;

/** @param packetsPerTime packets of a transport stream for each time; all but the first have no start */
export function pesPackets(
  times: PesTime[],
  multiplex: "transport" | "program",
  stride: number,
  packetsPerTime = 1,
): Buffer {
  const write = multiplex === "transport" ? transportPacket : programPack;
  const filler = Buffer.alloc(stride, 0xff);
  filler.set([0x47, 0x1f, 0xff, 0x10], stride === 192 ? 4 : 0);
  return Buffer.concat(
    times.flatMap((time) => [write(time, stride), ...Array.from({ length: packetsPerTime - 1 }, () => filler)]),
  );
}

function transportPacket(time: PesTime, stride: number): Buffer {
  const bytes = Buffer.alloc(stride, 0xff);
  const packet = bytes.subarray(stride - TS_BYTES);
  packet.set([0x47, 0x40 | (time.stream >> 8), time.stream & 0xff, 0x10]);
  header(time, 0xe0, 0).copy(packet, 4);
  return bytes;
}

function programPack(time: PesTime, stride: number): Buffer {
  const bytes = Buffer.alloc(stride, 0xff);
  bytes.set([0, 0, 1, 0xba, 0x44]);
  header(time, time.stream & 0xff, stride - PACK_BYTES - 6).copy(bytes, PACK_BYTES);
  return bytes;
}

function header({ ticks, shownTicks, hasDecodingTime }: PesTime, id: number, length: number): Buffer {
  const times = [timestamp(hasDecodingTime ? 3 : 2, shownTicks), ...(hasDecodingTime ? [timestamp(1, ticks)] : [])];
  const start = Buffer.from([0, 0, 1, id, length >> 8, length & 0xff, 0x80, hasDecodingTime ? 0xc0 : 0x80]);
  return Buffer.concat([start, Buffer.from([times.length * 5]), ...times]);
}

function timestamp(prefix: number, ticks: number): Buffer {
  const part = (from: number, bits: number) => Math.floor(ticks / 2 ** from) % 2 ** bits;
  const [high, middle, low] = [part(30, 3), part(15, 15), part(0, 15)];
  return Buffer.from([
    (prefix << 4) | (high << 1) | 1,
    middle >> 7,
    ((middle & 127) << 1) | 1,
    low >> 7,
    ((low & 127) << 1) | 1,
  ]);
}
