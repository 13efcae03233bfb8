/** Converts the source's H.264 to ISO BMFF samples (ISO/IEC 14496-15 §5.3): parameter sets in the avcC record, length-prefixed NAL units. Pure. */
import { lengthPrefixed, parseAvcRecord } from "../../protocol/media/h264/avc-record.ts";

const [NAL_IDR, NAL_SPS, NAL_PPS, NAL_DELIMITER, NAL_FILLER] = [5, 7, 8, 9, 12];
const HIGH_PROFILE = 100;
const START_CODE = Buffer.from([0, 0, 1]);

export interface AvcUnit {
  /** NAL units, each prefixed by its length in 4 bytes. */
  data: Buffer;
  /** An IDR picture: decoding can start here. */
  isIdr: boolean;
}

export interface AvcStream {
  /** Size of the NAL unit length field; null = start codes (Rec. ITU-T H.264 Annex B). */
  lengthBytes: number | null;
  sps: Buffer;
  pps: Buffer[];
}

/** @param extradata an AVCDecoderConfigurationRecord or Annex B @returns null unless it has exactly one SPS and at least one PPS */
export function avcStreamOf(extradata: Buffer | null): AvcStream | null {
  if (extradata === null || extradata.length < 8) return null;
  const isRecord = extradata[0] === 1;
  const sets = isRecord ? recordSets(extradata) : annexBUnits(extradata);
  const [sps, ...moreSps] = sets.filter((unit) => typeOf(unit) === NAL_SPS);
  const pps = sets.filter((unit) => typeOf(unit) === NAL_PPS);
  if (sps === undefined || sps.length < 4 || moreSps.some((one) => !one.equals(sps)) || pps.length === 0) return null;
  return {
    lengthBytes: isRecord ? (extradata[4]! & 3) + 1 : null,
    sps: Buffer.from(sps),
    pps: pps.map((one) => Buffer.from(one)),
  };
}

/** AVCDecoderConfigurationRecord for 8 bit 4:2:0, with lengths of 4 bytes. */
export function avcConfigOf({ sps, pps }: AvcStream): Buffer {
  const profile = sps[1]!;
  return Buffer.concat([
    Buffer.from([1, profile, sps[2]!, sps[3]!, 0xff, 0xe1]),
    ...lengthPrefixed([sps]),
    Buffer.from([pps.length]),
    ...lengthPrefixed(pps),
    Buffer.from(profile === HIGH_PROFILE ? [0xfd, 0xf8, 0xf8, 0] : []),
  ]);
}

/** One access unit as a sample, without NAL units a sample does not need; null when its parameter sets differ from the stream's, or it is damaged. */
export function avcUnitOf(packet: Buffer, stream: AvcStream): AvcUnit | null {
  const units = stream.lengthBytes === null ? annexBUnits(packet) : lengthUnits(packet, stream.lengthBytes);
  if (units === null) return null;
  const kept: Buffer[] = [];
  let [isIdr, hasSlice] = [false, false];
  for (const unit of units) {
    const type = typeOf(unit);
    if (type === NAL_SPS && !unit.equals(stream.sps)) return null;
    if (type === NAL_PPS && !stream.pps.some((one) => one.equals(unit))) return null;
    if ([NAL_SPS, NAL_PPS, NAL_DELIMITER, NAL_FILLER].includes(type)) continue;
    isIdr ||= type === NAL_IDR;
    hasSlice ||= type >= 1 && type <= NAL_IDR;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(unit.length);
    kept.push(length, unit);
  }
  return hasSlice ? { data: Buffer.concat(kept), isIdr } : null;
}

const typeOf = (unit: Buffer) => (unit[0] ?? 0) & 0x1f;

function annexBUnits(bytes: Buffer): Buffer[] {
  const units: Buffer[] = [];
  for (let start = bytes.indexOf(START_CODE); start >= 0;) {
    const next = bytes.indexOf(START_CODE, start + 3);
    let end = next < 0 ? bytes.length : next;
    while (end > start + 3 && bytes[end - 1] === 0) end -= 1; // trailing zeros belong to the next start code
    if (end > start + 3) units.push(bytes.subarray(start + 3, end));
    start = next;
  }
  return units;
}

function lengthUnits(bytes: Buffer, lengthBytes: number): Buffer[] | null {
  const units: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    if (at + lengthBytes > bytes.length) return null;
    const begin = at + lengthBytes;
    const end = begin + bytes.readUIntBE(at, lengthBytes);
    if (end > bytes.length) return null;
    if (end > begin) units.push(bytes.subarray(begin, end));
    at = end;
  }
  return units;
}

function recordSets(bytes: Buffer): Buffer[] {
  const record = parseAvcRecord(bytes);
  return record === null ? [] : [...record.sequences, ...record.pictures].map((unit) => Buffer.from(unit));
}
