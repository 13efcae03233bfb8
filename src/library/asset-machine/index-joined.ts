import { areKeyFrames } from "../../media/mp4/key-frames.ts";
import { type CopyFacts, indexSource } from "../../media/mp4/index-source.ts";
import { log } from "../../platform/log.ts";
import { montageFileKey, sourceKey } from "../../platform/storage/keys.ts";
import { joinsWholeFiles } from "../encoding/copied-takes.ts";
import type { RangeReader } from "../../media/mp4/range-reader.ts";
import { isUploaded } from "../sources/upload-address.ts";
import { openUploadedSource } from "../sources/uploaded-source.ts";
import { r2RangeReader } from "../sources/r2-range-reader.ts";
import type { AssetComponents } from "./core/components.ts";

/** The file of a join whose index is to be read next; null = none, or one of those before cannot be copied. */
export function unindexedFile({ asset: { montage, watermark }, documents }: AssetComponents): number | null {
  if (montage === null || watermark !== null || !joinsWholeFiles(montage)) return null;
  const known = documents.get("copyFacts") ?? [];
  const isOver = known.length === montage.files.length || known.at(-1) === null;
  return isOver ? null : known.length;
}

/** Reads the index of a stored file of a join, which may be copied instead of encoded. @returns false when there is no further one */
export async function indexNextFile(machine: AssetComponents): Promise<boolean> {
  const file = unindexedFile(machine);
  if (file === null) return false;
  const { asset, documents } = machine;
  const startedAt = machine.clock();
  const { copy, reason } = await readIndex(await openFile(machine, file));
  if (!machine.isProcessing) return false;
  documents.put("copyFacts", [...(documents.get("copyFacts") ?? []).slice(0, file), copy]);
  log("asset.join_indexed", {
    assetId: asset.id,
    file,
    isCopied: copy !== null,
    reason,
    tookMs: machine.clock() - startedAt,
  });
  return true;
}

/** An uploaded file stays in the pieces in which it came. */
function openFile({ asset, env }: AssetComponents, file: number): Promise<RangeReader | null> {
  if (file > 0) return r2RangeReader(env.MEDIA, montageFileKey(asset.id, file));
  return isUploaded(asset.sourceUrl)
    ? openUploadedSource(env, asset.id)
    : r2RangeReader(env.MEDIA, sourceKey(asset.id));
}

async function readIndex(reader: RangeReader | null): Promise<{ copy: CopyFacts | null; reason: string | null }> {
  if (reader === null) return { copy: null, reason: "it is not stored" };
  const source = await indexSource(reader);
  if (!source.standard) return { copy: null, reason: source.reason };
  if (source.copy === null) return { copy: null, reason: "its key frames are not where segments begin" };
  const isTrue = await areKeyFrames(reader, source.keyFrames);
  return isTrue ? { copy: source.copy, reason: null } : { copy: null, reason: "its key frames depend on others" };
}
