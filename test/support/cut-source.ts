import { readFile } from "node:fs/promises";
import { cutSegment } from "../../src/media/mp4/cut-segment.ts";
import { indexSource } from "../../src/media/mp4/index-source.ts";

export interface Cut {
  init: Uint8Array;
  segments: Uint8Array<ArrayBuffer>[];
}

/** The init segment and the segments that passthrough cuts from a file, such as those of its rendition `source-v`. */
export async function cutAll(path: string, rendition: string): Promise<Cut> {
  const bytes = new Uint8Array(await readFile(path));
  const readerOf = (data: Uint8Array) => ({
    size: data.length,
    read: (offset: number, length: number) => Promise.resolve(data.slice(offset, offset + length)),
  });
  const source = await indexSource(readerOf(bytes));
  if (!source.standard) throw new Error(source.reason);
  const { pieces } = source.indexes.find((one) => one.rendition === rendition)!;
  const index = new Uint8Array(await new Blob(pieces).arrayBuffer());
  const { segments } = source.renditions.find(({ name }) => name === rendition)!;
  const read = async (file: "init" | number) => {
    const cut = await cutSegment(readerOf(index), readerOf(bytes), file);
    return new Uint8Array(await new Response(cut!.body as BodyInit).arrayBuffer());
  };
  return { init: await read("init"), segments: await Promise.all([...segments.bytes.keys()].map(read)) };
}
