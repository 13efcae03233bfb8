import { open, type FileHandle } from "node:fs/promises";
import { fillVirtual } from "./virtual-file.ts";

/** Bytes with random access that are not wholly in memory. */
export interface SourceContent {
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array> | Uint8Array;
}

export function bufferContent(bytes: Uint8Array): SourceContent {
  return { size: bytes.byteLength, read: (offset, length) => bytes.subarray(offset, offset + length) };
}

/** The file stays open until `close`. */
export async function fileContent(path: string): Promise<SourceContent & { close(): Promise<void> }> {
  const file: FileHandle = await open(path, "r");
  const { size } = await file.stat();
  return {
    size,
    async read(offset, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
      await file.read(bytes, 0, bytes.byteLength, offset);
      return bytes;
    },
    close: () => file.close(),
  };
}

/**
 * A file of any size whose bytes are a function of their position (`virtualByte`), so that both ends can compute them.
 *
 * @param head real bytes at its start, such as the index of a film
 */
export function virtualContent(size: number, head: Uint8Array = new Uint8Array(0)): SourceContent {
  return {
    size,
    read(offset, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
      fillVirtual(bytes, offset);
      if (offset < head.byteLength) bytes.set(head.subarray(offset, offset + bytes.byteLength), 0);
      return bytes;
    },
  };
}
