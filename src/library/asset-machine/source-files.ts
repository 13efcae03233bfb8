import { montageFileKey, sourceKey } from "../../platform/storage/keys.ts";
import type { AssetError } from "../assets/asset-error.ts";
import type { AssetForMachine } from "../assets/repository.ts";
import type { CopyState } from "../sources/copy-state.ts";
import { isUploaded } from "../sources/upload-address.ts";
import type { AssetComponents } from "./core/components.ts";

/** One file of a media: its source, a further file of its montage, or its watermark, which comes last. */
interface SourceFile {
  /** Position in the montage; 0 = the source. */
  number: number;
  url: string;
  /** Key of the copy in R2. */
  key: string;
  /** Undefined = the copy has not begun. */
  copy: CopyState | undefined;
}

/** The files that are copied, in this order: all of the media but one that is uploaded. */
export function copiedFiles({ asset, documents }: AssetComponents): SourceFile[] {
  const { id, sourceUrl, montage, watermark } = asset;
  const source = { number: 0, url: sourceUrl, key: sourceKey(id), copy: documents.get("copy") };
  const copies = documents.get("fileCopies") ?? [];
  const further = [...(montage?.files ?? []).slice(1), ...(watermark === null ? [] : [watermark])];
  const others = further.map(({ url }, position) => ({
    number: position + 1,
    url,
    key: montageFileKey(id, position + 1),
    copy: copies[position],
  }));
  return isUploaded(sourceUrl) ? others : [source, ...others];
}

/** The number of the watermark's file. */
export const markFile = ({ montage }: AssetForMachine): number => montage?.files.length ?? 1;

/** Part of the caller's commit. */
export function keepCopy({ documents }: AssetComponents, { number }: SourceFile, copy: CopyState): void {
  if (number === 0) return documents.put("copy", copy);
  const copies = documents.get("fileCopies") ?? [];
  documents.put("fileCopies", [...copies.slice(0, number - 1), copy]);
}

/** The file that is to be copied next. */
export const nextFile = (machine: AssetComponents): SourceFile | undefined =>
  copiedFiles(machine).find(({ copy }) => copy?.done !== true);

/** An error of one of several files, with the words of the request for it. */
export function namingFile({ asset }: AssetComponents, file: number, error: AssetError): AssetError {
  const isMark = asset.watermark !== null && file === markFile(asset);
  const path = isMark ? asset.watermark?.path : asset.montage?.files[file]?.path;
  return path === undefined || error.fault === "service" ? error : { ...error, message: `${path}: ${error.message}` };
}
