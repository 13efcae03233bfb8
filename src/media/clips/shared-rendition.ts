/** Where the bytes of a clip's rendition are: some are its own, most are those of the media that it was cut from. Pure. */

/** Begins the names of renditions that have such a list, as `source-` begins those that are cut out of a source. */
const PREFIX = "clip-";
export const clipRenditionName = (name: string): string => `${PREFIX}${name}`;
export const isClipRendition = (name: string): boolean => name.startsWith(PREFIX);

/** Sound and picture have different media types, and the name tells them apart (`a1`, `at-…`, `source-a1`). */
export const isSoundRendition = (name: string): boolean => /^(?:clip-)?(?:source-)?a/.test(name);

/** Consecutive segments of a clip. */
export interface SharedRun {
  first: number;
  count: number;
  /** Of their init segment. */
  initVersion: number;
  /** The number that the first one has in the owner's rendition; null = they are the clip's own, by their own numbers. */
  ownerFirst: number | null;
}

/** Stored beside the clip's own segments of a rendition. It never changes. */
export interface SharedRendition {
  ownerId: string;
  /** The owner's rendition. */
  rendition: string;
  /** By version: the owner's init segment, or `own`: that of the clip's own segments. */
  inits: ("own" | "init" | `init-${number}`)[];
  /** In order, without holes. */
  runs: SharedRun[];
}

/** A stored object of a rendition. `file` is `init`, `init-{version}`, or the number of a segment. */
export interface StoredSegment {
  assetId: string;
  rendition: string;
  file: "init" | `init-${number}` | number;
}

export interface FoundSegment extends StoredSegment {
  /** The file, in the clip, of the init segment that a media segment needs. */
  initFile: `init-${number}`;
}

/** @returns null when the clip has no such file */
export function locate(shared: SharedRendition, { assetId, rendition, file }: StoredSegment): FoundSegment | null {
  const owner = { assetId: shared.ownerId, rendition: shared.rendition };
  if (typeof file !== "number") {
    const version = file === "init" ? 0 : Number(file.slice("init-".length));
    const init = shared.inits[version];
    if (init === undefined) return null;
    const initFile = `init-${version}` as const;
    return init === "own" ? { assetId, rendition, file: "init", initFile } : { ...owner, file: init, initFile };
  }
  const run = shared.runs.find(({ first, count }) => file >= first && file < first + count);
  if (run === undefined) return null;
  const initFile = `init-${run.initVersion}` as const;
  if (run.ownerFirst === null) return { assetId, rendition, file, initFile };
  return { ...owner, file: run.ownerFirst + file - run.first, initFile };
}
