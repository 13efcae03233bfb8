/** H.264 in ISO BMFF (ISO/IEC 14496-15 §5.3). */

/** RFC 6381 codec string from an AVCDecoderConfigurationRecord: "avc1.PPCCLL". */
export function codecOf(avcConfig: Buffer): string {
  return `avc1.${avcConfig.subarray(1, 4).toString("hex").toUpperCase()}`;
}

const NAL_SEI = 6;
const SEI_USER_DATA_UNREGISTERED = 5;

/**
 * Removes x264's settings SEI (about 700 bytes before the first key frame of every chunk).
 * @param sample NAL units, each prefixed by its length in 4 bytes
 */
export function withoutSettingsSei(sample: Buffer): Buffer {
  const kept: Buffer[] = [];
  for (let at = 0; at + 4 < sample.length;) {
    const end = at + 4 + sample.readUInt32BE(at);
    const isSettings = (sample[at + 4]! & 0x1f) === NAL_SEI && sample[at + 5] === SEI_USER_DATA_UNREGISTERED;
    if (!isSettings) kept.push(sample.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

/** Profile and level options of libx264. */
export interface H264Codec {
  profile: "baseline" | "main" | "high";
  level: string; // "3.1"
}

/** By profile_idc and the constraint flags that libx264 sets with it (Rec. ITU-T H.264 §A.2). */
const PROFILES: Record<number, H264Codec["profile"]> = { 0x42c0: "baseline", 0x4d40: "main", 0x6400: "high" };

/** Levels of High, Main and Baseline (Rec. ITU-T H.264 Table A-1), without 1b, which a constraint flag signals. */
const LEVELS = new Set([10, 11, 12, 13, 20, 21, 22, 30, 31, 32, 40, 41, 42, 50, 51, 52, 60, 61, 62]);

/** libx264 options that yield this stream's codec string; null when it cannot produce it. @param bytes of an SPS with its header, or of an avcC */
export function codecLike(bytes: Uint8Array): H264Codec | null {
  const profile = PROFILES[(bytes[1]! << 8) | bytes[2]!];
  const level = bytes[3]!;
  return profile === undefined || !LEVELS.has(level)
    ? null
    : { profile, level: `${Math.floor(level / 10)}.${level % 10}` };
}
