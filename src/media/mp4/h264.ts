import { toHex } from "../../../protocol/hex.ts";
import { parseSequenceParameters, type SequenceParameters } from "../../../protocol/media/h264/parameter-sets.ts";
import { NotStandard, standardOnlyIf } from "./not-standard.ts";

/** The parameter sets of an `avcC` box (ISO/IEC 14496-15 §5.3.3.1). Exactly one SPS, because the format must not change. */
export function parseAvcConfiguration(avcC: Uint8Array): { codec: string; sequence: SequenceParameters } {
  standardOnlyIf(avcC.length >= 8 && avcC[0] === 1, "an unknown H.264 configuration");
  standardOnlyIf((avcC[5]! & 31) === 1, "several H.264 parameter sets");
  const length = avcC[6]! * 256 + avcC[7]!;
  standardOnlyIf(length >= 4 && 8 + length <= avcC.length, "a damaged H.264 parameter set");
  const sequence = parseSequenceParameters(avcC.subarray(8, 8 + length));
  if (sequence === null) throw new NotStandard("a damaged H.264 parameter set");
  const codec = `avc1.${toHex(avcC.subarray(1, 4))}`;
  return { codec, sequence };
}
