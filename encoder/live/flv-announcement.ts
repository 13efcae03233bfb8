/**
 * What the metadata of a broadcast in FLV announces. A stream exists for libav from its first tag on, which may follow seconds after the
 * others. Pure.
 */

/** Streams that come, though no tag of them may have arrived yet. */
export interface FlvAnnouncement {
  hasPicture: boolean;
  hasSound: boolean;
}

const HEADER_BYTES = 9;
const TAG_HEADER_BYTES = 11;
/** Tags before the metadata; encoders send it first. */
const MAX_TAGS = 16;
const SCRIPT_DATA = 18;
const AMF_NUMBER = 0;
const AMF_STRING = 2;
const NOTHING: FlvAnnouncement = { hasPicture: false, hasSound: false };

/**
 * Reads `videocodecid` and `audiocodecid` of onMetaData (FLV 10.1, annex E.5; enhanced RTMP: a FourCC as a text or a number).
 *
 * @param head the first bytes of the source; those of another container announce nothing
 */
export function flvAnnouncement(head: Buffer): FlvAnnouncement {
  if (!head.subarray(0, 3).equals(Buffer.from("FLV"))) return NOTHING;
  let at = HEADER_BYTES + 4;
  for (let n = 0; n < MAX_TAGS && at + TAG_HEADER_BYTES <= head.length; n++) {
    const size = head.readUIntBE(at + 1, 3);
    const data = head.subarray(at + TAG_HEADER_BYTES, at + TAG_HEADER_BYTES + size);
    if (head[at]! % 32 === SCRIPT_DATA && data.includes("onMetaData"))
      return { hasPicture: isCodec(data, "videocodecid"), hasSound: isCodec(data, "audiocodecid") };
    at += TAG_HEADER_BYTES + size + 4;
  }
  return NOTHING;
}

/** Whether the property has a value other than 0 and "". */
function isCodec(data: Buffer, name: string): boolean {
  const key = Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name)]);
  const at = data.indexOf(key);
  const value = data.subarray(at < 0 ? data.length : at + key.length);
  if (value[0] === AMF_NUMBER && value.length >= 9) return value.readDoubleBE(1) > 0;
  return value[0] === AMF_STRING && value.length >= 3 && value.readUInt16BE(1) > 0;
}
