import { middleOf } from "../../../ai/captions/index.ts";
import { cutFlac, flacBorders, toMicroseconds } from "../../../media/flac/cut-flac.ts";
import { readFlac } from "../../../media/flac/read-flac.ts";
import type { SpeechSound } from "../../../ai/providers/index.ts";
import { log } from "../../../platform/log.ts";
import { renditionKey } from "../../../platform/storage/keys.ts";
import { speechRenditionOf } from "../../tracks/store/repository.ts";
import type { AssetComponents } from "../core/components.ts";
import type { OpenPart } from "../core/heard-store.ts";
import type { PendingTrack } from "../core/track-store.ts";

const keyOf = ({ id, assetId }: PendingTrack, piece: number) =>
  renditionKey(assetId, speechRenditionOf(id), `${piece}.flac`);

/** The sound of a part, as a FLAC file. A whole piece is not read into memory. Null = it is not there. */
export async function soundOf(
  machine: AssetComponents,
  track: PendingTrack,
  part: OpenPart,
): Promise<SpeechSound | null> {
  const { MEDIA } = machine.env;
  if (part.fromMs > 0 || part.toMs !== null) {
    const bytes = await readPart(machine, track, part);
    return bytes && { bytes: bytes.length, open: () => Promise.resolve(new Response(bytes).body!) };
  }
  const key = keyOf(track, part.piece);
  const stored = await MEDIA.head(key);
  if (stored === null) return null;
  const open = async () => {
    const object = await MEDIA.get(key);
    if (object === null) throw new Error("a piece of speech is gone");
    return object.body;
  };
  return { bytes: stored.size, open };
}

async function readPart(
  { env }: AssetComponents,
  track: PendingTrack,
  { piece, fromMs, toMs }: OpenPart,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const stored = await env.MEDIA.get(keyOf(track, piece));
  if (stored === null) return null;
  const bytes = new Uint8Array(await stored.arrayBuffer());
  if (fromMs === 0 && toMs === null) return bytes;
  const file = readFlac(bytes);
  return file && cutFlac(file, fromMs, toMs ?? Infinity);
}

/**
 * A part is to be heard in two halves, in one commit. Each is a call of its own.
 *
 * @param leastMs of a half
 * @returns whether it could be halved
 */
export async function halvePart(
  machine: AssetComponents,
  track: PendingTrack,
  part: OpenPart,
  leastMs: number,
): Promise<boolean> {
  const { id, assetId, pieces = [] } = track;
  const bytes = await readPart(machine, track, part);
  const file = bytes && readFlac(bytes);
  const { spans, durationMs } = pieces[part.piece]!;
  const { fromMs } = part;
  const times = { fromMs, toMs: part.toMs ?? durationMs };
  const borders = file === null ? [] : flacBorders(file).map((ms) => toMicroseconds(fromMs + ms));
  const middleMs = middleOf(borders, times, { spans, leastMs });
  if (middleMs === null) return false;
  machine.commit(() => machine.heard.halve(id, part, middleMs));
  log("captions.piece_halved", { assetId, trackId: id, piece: part.piece, ...times, middleMs });
  return true;
}
