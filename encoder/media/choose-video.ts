/** Chooses the video stream of a source. Cover pictures and disabled tracks can be larger than the film. */
import { type FormatContext, Packet, type Stream } from "node-av/lib";
import {
  AV_DISPOSITION_ATTACHED_PIC,
  AV_DISPOSITION_DEFAULT,
  AV_DISPOSITION_DEPENDENT,
  AV_DISPOSITION_TIMED_THUMBNAILS,
  AVMEDIA_TYPE_VIDEO,
} from "node-av/constants";
import { bestPictureTracks, MOVING_PICTURES } from "../../protocol/media/picture-track.ts";
import { decoderOf } from "./codecs.ts";

/** Enough of a film to outnumber a still picture, also where streams are interleaved coarsely. */
const MAX_PACKETS = 2000;
const MAX_BYTES = 24 << 20;

/** Streams that libav itself marks as pictures beside a film, or as layers of another stream, are none. */
export const videoCandidates = (streams: Stream[]): Stream[] =>
  streams.filter(
    (stream) =>
      stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO &&
      ![AV_DISPOSITION_ATTACHED_PIC, AV_DISPOSITION_TIMED_THUMBNAILS, AV_DISPOSITION_DEPENDENT].some((mark) =>
        stream.hasDisposition(mark),
      ) &&
      decoderOf(stream) !== null,
  );

/** The pictures of each stream, by stream index, as the container counts them; null when it does not. */
export function declaredPictures(streams: Stream[]): Map<number, number> | null {
  const counts = new Map(streams.map((stream) => [stream.index, Number(stream.nbFrames)]));
  return [...counts.values()].every((count) => count > 0) ? counts : null;
}

/** Counts the pictures at the beginning of the source until each stream is known to move. Consumes the source. */
export async function countPictures(format: FormatContext, streams: Stream[]): Promise<Map<number, number>> {
  const counts = new Map(streams.map((stream) => [stream.index, 0]));
  using packet = new Packet();
  packet.alloc();
  for (let [packets, bytes] = [0, 0]; packets < MAX_PACKETS && bytes < MAX_BYTES; packets++) {
    if ((await format.readFrame(packet)) < 0) break;
    const count = counts.get(packet.streamIndex);
    if (count !== undefined) counts.set(packet.streamIndex, count + 1);
    bytes += packet.size;
    packet.unref();
    if ([...counts.values()].every((pictures) => pictures >= MOVING_PICTURES)) break;
  }
  return counts;
}

/**
 * Moving before still, enabled or default before others, then the largest, then the first; null when there is none.
 *
 * @param counts of pictures, by stream index; null = unknown
 */
export function chooseVideo(streams: Stream[], counts: ReadonlyMap<number, number> | null): Stream | null {
  const tracks = streams.map((stream) => ({
    stream,
    pictureCount: counts?.get(stream.index) ?? 0,
    isEnabled: stream.hasDisposition(AV_DISPOSITION_DEFAULT),
    pixels: stream.codecpar.width * stream.codecpar.height,
  }));
  const [first, ...others] = bestPictureTracks(tracks);
  return first === undefined
    ? null
    : others.reduce((best, track) => (track.pixels > best.pixels ? track : best), first).stream;
}
