import { type FileHandle, open } from "node:fs/promises";
import { FILE_CHANGED, FileChangedError, type UploadSource } from "./upload-source.ts";

/** A file on disk that is open for its upload. Close it afterwards, or declare it with `await using`. */
export interface OpenFile extends UploadSource, AsyncDisposable {
  readonly sizeBytes: number;
  close(): Promise<void>;
}

/**
 * Opens a file on disk for its upload, which reads it chunk by chunk.
 *
 * @throws {NodeJS.ErrnoException} ENOENT, EACCES, EISDIR
 */
export async function openFile(path: string): Promise<OpenFile> {
  const handle = await open(path, "r");
  const before = await handle.stat({ bigint: true });
  if (before.isDirectory()) {
    await handle.close();
    throw Object.assign(new Error(`EISDIR: ${path} is a directory`), { code: "EISDIR", path });
  }
  const sizeBytes = Number(before.size);
  const close = () => handle.close();
  return {
    sizeBytes,
    close,
    [Symbol.asyncDispose]: close,
    async read(offset, maxBytes) {
      const bytes = await readFully(handle, offset, Math.min(maxBytes, sizeBytes - offset));
      const after = await handle.stat({ bigint: true });
      if (bytes === null || after.size !== before.size || after.mtimeNs !== before.mtimeNs)
        throw new FileChangedError(FILE_CHANGED);
      return { bytes, isLast: offset + bytes.byteLength === sizeBytes };
    },
  };
}

/** @returns null when the file ends earlier */
async function readFully(handle: FileHandle, offset: number, length: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await handle.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) return null;
    done += bytesRead;
  }
  return bytes;
}
