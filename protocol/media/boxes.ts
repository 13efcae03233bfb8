/** ISO base media boxes (ISO/IEC 14496-12 §4.2): big-endian size and type, then the body. */

export const u8 = (value: number) => Buffer.from([value & 0xff]);

export function u16(...values: number[]): Buffer {
  const out = Buffer.alloc(values.length * 2);
  values.forEach((value, i) => out.writeUInt16BE(value & 0xffff, i * 2));
  return out;
}

/** Negative values are written in two's complement. */
export function u32(...values: number[]): Buffer {
  const out = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => out.writeUInt32BE(value >>> 0, i * 4));
  return out;
}

/** @param value ticks, up to 2^53 */
export function u64(value: number): Buffer {
  const out = Buffer.alloc(8);
  out.writeBigUInt64BE(BigInt(value));
  return out;
}

export const fourCc = (...codes: string[]) => Buffer.from(codes.join(""), "latin1");

export function box(type: string, ...body: Buffer[]): Buffer {
  const bytes = body.reduce((sum, part) => sum + part.length, 8);
  return Buffer.concat([u32(bytes), fourCc(type), ...body], bytes);
}

export function fullBox(type: string, version: number, flags: number, ...body: Buffer[]): Buffer {
  return box(type, u32(version * 0x1000000 + flags), ...body);
}
