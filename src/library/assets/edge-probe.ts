import { indexSource } from "../../media/mp4/index-source.ts";
import { resolutionLabel, type Size } from "../../../protocol/ladder.ts";
import { areKeyFrames, FALSE_KEYS } from "../../media/mp4/key-frames.ts";
import type { Env } from "../../platform/env.ts";
import {
  type HttpSource,
  type HttpSourceOptions,
  openHttpSource,
  RangesUnsupported,
} from "../sources/http-range-reader.ts";
import { isUploaded } from "../sources/upload-address.ts";
import { openUploadedSource, type UploadedSource } from "../sources/uploaded-source.ts";
import { SOURCE_LIMITS } from "../sources/limits.ts";
import { SourceError } from "../sources/source-errors.ts";
import { SourcePace } from "../sources/source-pace.ts";
import { passthroughKey } from "../../platform/storage/keys.ts";
import type { AssetFacts, NewRendition, NewTrack } from "./projection.ts";
import type { AssetForMachine } from "./repository.ts";
import { tracksOf } from "./track-rows.ts";

export interface EdgeProbe {
  isStandard: boolean;
  reason: string | null;
  /** The reason, if the source gives it; null when only the request rules passthrough out. */
  detected: string | null;
  onLadderGrid: boolean;
  bitrateBps: number;
  facts: AssetFacts;
  tracks: NewTrack[];
  renditions: NewRendition[];
  /** Kept for planning. */
  summary: { isStandard: boolean; onLadderGrid: boolean; bitrateBps: number };
}

const notStandard = (reason: string, detected: string | null = reason): EdgeProbe => ({
  isStandard: false,
  reason,
  detected,
  onLadderGrid: false,
  bitrateBps: 0,
  facts: {},
  tracks: [],
  renditions: [],
  summary: { isStandard: false, onLadderGrid: false, bitrateBps: 0 },
});

const isWithin = (most: AssetForMachine["maxResolution"], size: Size) =>
  Number.parseInt(resolutionLabel(size), 10) <= Number.parseInt(most, 10);

type ProbedAsset = Pick<
  AssetForMachine,
  "id" | "sourceUrl" | "clipStartMs" | "clipEndMs" | "montage" | "watermark" | "maxResolution"
>;

/**
 * Reads the index of a source over HTTP ranges. A standard source is playable once the result is stored: its segments are cut from it
 * on request. A source whose index exceeds the time limit, although its server is fast enough, is copied and encoded like any other.
 *
 * @throws {SourceError} when the source cannot be fetched
 */
export async function probeAtEdge(env: Env, asset: ProbedAsset, limits = SOURCE_LIMITS): Promise<EdgeProbe> {
  if (asset.montage !== null) return notStandard("it is put together from several ranges", null);
  if (asset.watermark !== null) return notStandard("a watermark is burnt into it", null);
  if (asset.clipStartMs > 0 || asset.clipEndMs !== null) return notStandard("only a range of it was requested", null);
  const pace = new SourcePace(limits, limits.probeMs);
  try {
    return await probe(env, asset, { limits, pace });
  } catch (error) {
    const isTimedOut = error instanceof SourceError && error.code === "source_timed_out";
    if (isTimedOut && pace.isOverDeadline) return notStandard("its index takes too long to read");
    throw error;
  }
}

async function probe(env: Env, asset: ProbedAsset, options: HttpSourceOptions): Promise<EdgeProbe> {
  const reader = await openSource(env, asset, options);
  if (reader === null) return notStandard("its server does not serve ranges");
  let source;
  try {
    source = await indexSource(reader, {});
  } catch (error) {
    if (error instanceof RangesUnsupported) return notStandard("its server does not serve ranges");
    throw error;
  }
  if (!source.standard) return notStandard(source.reason);
  if (!isWithin(asset.maxResolution, source.video))
    return notStandard("its resolution exceeds the requested maximum", null);
  const arrivedBytes = "storedBytes" in reader ? reader.storedBytes : Infinity;
  if (!(await areKeyFrames(reader, source.keyFrames, arrivedBytes))) return notStandard(FALSE_KEYS);
  await Promise.all(
    source.indexes.map(({ rendition, pieces }) => putPieces(env.MEDIA, passthroughKey(asset.id, rendition), pieces)),
  );
  const { video, audio } = source;
  return {
    isStandard: true,
    reason: null,
    detected: null,
    onLadderGrid: source.onLadderGrid,
    bitrateBps: video.bitrateBps,
    facts: {
      containerFormat: source.containerFormat,
      durationMs: Math.round(source.durationMs),
      widthPx: video.widthPx,
      heightPx: video.heightPx,
      frameRate: `${video.frameRate.num}/${video.frameRate.den}`,
    },
    tracks: tracksOf(asset.id, { video, audio }),
    renditions: source.renditions.map((rendition) => ({ ...rendition, assetId: asset.id })),
    summary: { isStandard: true, onLadderGrid: source.onLadderGrid, bitrateBps: video.bitrateBps },
  };
}

/** @returns null for a server without ranges */
async function openSource(
  env: Env,
  asset: ProbedAsset,
  options: HttpSourceOptions,
): Promise<HttpSource | UploadedSource | null> {
  if (isUploaded(asset.sourceUrl)) return await openUploadedSource(env, asset.id);
  const reader = await openHttpSource(env, asset.sourceUrl, options);
  return reader.supportsRanges ? reader : null;
}

/** Puts pieces as one object without joining them in memory. */
async function putPieces(bucket: R2Bucket, key: string, pieces: Uint8Array[]): Promise<void> {
  const { readable, writable } = new FixedLengthStream(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  const writer = writable.getWriter();
  const write = async () => {
    for (const piece of pieces) await writer.write(piece);
    await writer.close();
  };
  await Promise.all([bucket.put(key, readable), write()]);
}
