/** FLV in its tags (Adobe's FLV specification, annex E.4), so that a broadcast can be fed picture by picture. */

const HEADER_BYTES = 13; // with the size of the tag before the first
const TAG_HEADER_BYTES = 11;
const VIDEO_TAG = 9;
const CODED_PICTURE = 1; // AVCPacketType

export interface FlvTag {
  bytes: Buffer;
  atMs: number;
  isPicture: boolean;
}

/** The header counts as a tag of time 0. H.264 only. */
export function tagsOf(flv: Buffer): FlvTag[] {
  const tags: FlvTag[] = [{ bytes: flv.subarray(0, HEADER_BYTES), atMs: 0, isPicture: false }];
  for (let at = HEADER_BYTES; at < flv.length;) {
    const end = at + TAG_HEADER_BYTES + flv.readUIntBE(at + 1, 3) + 4;
    const atMs = flv.readUIntBE(at + 4, 3) + flv[at + 7]! * 2 ** 24;
    const isPicture = flv[at] === VIDEO_TAG && flv[at + TAG_HEADER_BYTES + 1] === CODED_PICTURE;
    tags.push({ bytes: flv.subarray(at, end), atMs, isPicture });
    at = end;
  }
  return tags;
}
