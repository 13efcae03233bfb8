import { SluiceError } from "../api/errors.ts";

/** Where the bytes of an upload come from. `openFile` of `@sluice/sdk/node` makes one of a file on disk. */
export interface UploadSource {
  /** Size of the whole file; null = not known before its end. */
  readonly sizeBytes: number | null;
  /**
   * Reads a chunk. An upload reads from its beginning to its end, and may read the last chunk again.
   *
   * @returns `maxBytes` bytes from `offset` on, or fewer at the end, which `isLast` states
   * @throws {FileChangedError} when the file is not what it was
   */
  read(offset: number, maxBytes: number): Promise<FileChunk>;
}

export interface FileChunk {
  bytes: Uint8Array<ArrayBuffer>;
  isLast: boolean;
}

/** The file was changed or removed while it was uploaded. */
export class FileChangedError extends SluiceError {
  override readonly name = "FileChangedError";
}

export const FILE_CHANGED = "the file was changed while it was uploaded";

/** A file that a user chose in a browser, or any other blob. */
export function blobSource(blob: Blob): UploadSource {
  return {
    sizeBytes: blob.size,
    async read(offset, maxBytes) {
      const end = Math.min(offset + maxBytes, blob.size);
      const slice = blob.slice(offset, end);
      const buffer = await slice.arrayBuffer().catch((cause: unknown) => {
        throw new FileChangedError(FILE_CHANGED, { cause });
      });
      return { bytes: new Uint8Array(buffer), isLast: end === blob.size };
    },
  };
}
