import type { ImageMedia } from "../../../protocol/images.ts";
import { cutSegment } from "../../media/mp4/cut-segment.ts";
import type { MediaPlace } from "../../media/images/place.ts";
import type { StoredSegment } from "../../media/clips/shared-rendition.ts";
import type { Env } from "../../platform/env.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import { findSourceUrl } from "../assets/repository.ts";
import { findStored } from "../clips/stored-segment.ts";
import { assetSource, openStoredIndex } from "../sources/stored-passthrough.ts";

const READS_AT_ONCE = 8;

export interface PlacedMedia extends ImageMedia {
  /** The inits, then the pieces. */
  bytes: Uint8Array[];
  /** Whether we have encoded all of it. */
  isOurs: boolean;
}

/** Reads the media of an order. @returns null when some of it is not there */
export async function readPlaces(env: Env, assetId: string, places: MediaPlace[]): Promise<PlacedMedia | null> {
  const initNames = [...new Set(places.map(initName))];
  const inits = initNames.map((name) => places.find((place) => initName(place) === name)!);
  const reads = [
    ...inits.map((place) => () => readInit(env, assetId, place)),
    ...places.map((place) => () => readPiece(env, assetId, place)),
  ];
  const found = await readAll(reads);
  if (found === null) return null;
  const bytes = found.map((one) => one.bytes);
  return {
    inits: bytes.slice(0, inits.length).map(({ length }) => length),
    pieces: places.map((place, n) => ({
      init: initNames.indexOf(initName(place)),
      bytes: bytes[inits.length + n]!.length,
      startSeconds: place.startSeconds,
      atSeconds: place.atSeconds,
    })),
    bytes,
    isOurs: found.every(({ isOurs }) => isOurs),
  };
}

const initName = ({ rendition, initFile }: MediaPlace) => `${rendition}/${initFile}`;

interface Read {
  bytes: Uint8Array;
  isOurs: boolean;
}

/** A few at a time, in any order. @returns null as soon as one finds nothing */
async function readAll(reads: (() => Promise<Read | null>)[]): Promise<Read[] | null> {
  const found: (Read | null)[] = [];
  let next = 0;
  const work = async () => {
    while (next < reads.length) {
      const n = next++;
      found[n] = await reads[n]!();
      if (found[n] === null) next = reads.length;
    }
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, work));
  return found.length === reads.length && found.every((one) => one !== null) ? found : null;
}

function readInit(env: Env, assetId: string, { rendition, isPassthrough, initFile }: MediaPlace): Promise<Read | null> {
  const file = isPassthrough ? "init" : (initFile.replace(/\.mp4$/, "") as StoredSegment["file"]);
  return read(env, { assetId, rendition, file });
}

function readPiece(env: Env, assetId: string, place: MediaPlace): Promise<Read | null> {
  const { rendition, segment, offset, length } = place;
  return read(env, { assetId, rendition, file: segment }, length === null ? { offset } : { offset, length });
}

/** What is cut out of a source is read as a whole, which its places ask for. */
async function read(env: Env, address: StoredSegment, range?: R2Range): Promise<Read | null> {
  const stored = await findStored(env, address);
  if (stored === null) return null;
  const { assetId, rendition, file } = stored;
  const isOurs = !rendition.startsWith("source-");
  const bytes = isOurs
    ? await readObject(
        env,
        renditionKey(assetId, rendition, `${file}.${typeof file === "number" ? "m4s" : "mp4"}`),
        range,
      )
    : await cut(env, assetId, rendition, typeof file === "number" ? file : "init");
  return bytes && { bytes, isOurs };
}

async function readObject(env: Env, key: string, range?: R2Range): Promise<Uint8Array | null> {
  const object = await env.MEDIA.get(key, range === undefined ? {} : { range });
  return object === null ? null : new Uint8Array(await object.arrayBuffer());
}

async function cut(env: Env, assetId: string, rendition: string, file: "init" | number): Promise<Uint8Array | null> {
  const index = await openStoredIndex(env.MEDIA, assetId, rendition);
  if (index === null) return null;
  const source = assetSource(env, assetId, () => findSourceUrl(env.DB, assetId));
  const found = await cutSegment(index.reader, source, file, (bytes) => [0, bytes], index.open);
  if (found?.body == null) return null;
  return new Uint8Array(await new Response(found.body).arrayBuffer());
}
