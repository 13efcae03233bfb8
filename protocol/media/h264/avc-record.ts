/** Reads and merges AVCDecoderConfigurationRecords (ISO/IEC 14496-15 §5.3.3.1). Pure. */
import { parsePictureParameters, parseSequenceParameters } from "./parameter-sets.ts";

export interface AvcRecord {
  sequences: Uint8Array[];
  pictures: Uint8Array[];
  /** Bytes after the parameter sets. */
  rest: Uint8Array;
}

const HEADER_BYTES = 5;
/** `seq_parameter_set_id` is 0 to 31 (ITU-T H.264 §7.4.2.1.1). */
const SEQUENCE_IDS = 32;
/** Maximum counts that a record can express. */
const [MOST_SEQUENCES, MOST_PICTURES] = [31, 255];

/** Null for a truncated or invalid record. */
export function parseAvcRecord(record: Uint8Array): AvcRecord | null {
  if (record.length < HEADER_BYTES + 3 || record[0] !== 1) return null;
  let at = HEADER_BYTES;
  const take = (mask: number) => {
    const units: Uint8Array[] = [];
    for (let count = (record[at++] ?? 0) & mask; count > 0; count -= 1) {
      const begin = at + 2;
      at = begin + (record[at] ?? 0) * 256 + (record[at + 1] ?? 0);
      units.push(record.subarray(begin, at));
    }
    return units;
  };
  const [sequences, pictures] = [take(0x1f), take(0xff)];
  return at <= record.length ? { sequences, pictures, rest: record.subarray(at) } : null;
}

/** An ID unused by the record's sequence and picture parameter sets; null when there is none, or the record is full. */
export function unusedParameterSetId(record: Uint8Array): number | null {
  const { sequences, pictures } = recordOf(record);
  if (sequences.length >= MOST_SEQUENCES || pictures.length >= MOST_PICTURES) return null;
  const used = new Set([
    ...sequences.map((unit) => parseSequenceParameters(unit)?.id),
    ...pictures.map((unit) => parsePictureParameters(unit).id),
  ]);
  return Array.from({ length: SEQUENCE_IDS }, (_, id) => id).find((id) => !used.has(id)) ?? null;
}

/**
 * Appends the second record's parameter sets to the first. Both must have the same profile and level.
 * @throws {RangeError} for a damaged record
 */
export function mergedAvcRecord(first: Uint8Array, second: Uint8Array): Buffer {
  const [one, other] = [recordOf(first), recordOf(second)];
  const sequences = [...one.sequences, ...other.sequences];
  const pictures = [...one.pictures, ...other.pictures];
  return Buffer.concat([
    first.subarray(0, HEADER_BYTES),
    Uint8Array.of(0xe0 | sequences.length),
    ...lengthPrefixed(sequences),
    Uint8Array.of(pictures.length),
    ...lengthPrefixed(pictures),
    one.rest,
  ]);
}

export const lengthPrefixed = (units: Uint8Array[]): Uint8Array[] =>
  units.flatMap((unit) => [Uint8Array.of(unit.length >> 8, unit.length & 0xff), unit]);

function recordOf(bytes: Uint8Array): AvcRecord {
  const record = parseAvcRecord(bytes);
  if (record === null) throw new RangeError("The configuration record is damaged.");
  return record;
}
