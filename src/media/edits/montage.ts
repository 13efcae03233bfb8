/**
 * Media that are put together from ranges of files. A montage is the list of these ranges in the order of the output; each is a take. Times are
 * milliseconds of their file, from its first frame on. Pure.
 */

/** What was done to a media, by the names of its events (media contract, events). */
export type EditOperation = "intro" | "outro" | "expunge" | "splice";

export interface EditedVideo {
  url: string;
  /** Where the request names it, such as `inputs[0]`, for messages. */
  path: string;
  startMs: number;
  endMs: number | null;
  introUrl: string | null;
  outroUrl: string | null;
  /** Ranges that are cut out; they do not overlap. */
  expunged: { startMs: number; endMs: number }[];
  /** Files that are put into it; `atMs` null = at its end. */
  insertions: { url: string; atMs: number | null }[];
}

export interface MontageFile {
  url: string;
  /** Where the request names it first, such as `inputs[0].introUrl`. */
  path: string;
}

export interface Take {
  /** Position in `Montage.files`. */
  file: number;
  startMs: number;
  /** Null = to the end of the file. */
  endMs: number | null;
}

export interface Montage {
  /** The first one is that of the first `video` input, which gives the canvas. */
  files: MontageFile[];
  takes: Take[];
  operations: EditOperation[];
}

/** @returns null for a single video without edits */
export function montageOf(videos: readonly [EditedVideo, ...EditedVideo[]]): Montage | null {
  const [first] = videos;
  const files = new Files(first);
  const takes: Take[] = [];
  const operations = new Set<EditOperation>();
  for (const video of videos) {
    const add = (url: string | null, field: string, operation: EditOperation) => {
      if (url === null) return;
      takes.push({ file: files.number(url, `${video.path}.${field}`), startMs: 0, endMs: null });
      operations.add(operation);
    };
    add(video.introUrl, "introUrl", "intro");
    takes.push(...ownTakes(video, files));
    add(video.outroUrl, "outroUrl", "outro");
    if (video.expunged.length > 0) operations.add("expunge");
    if (video.insertions.length > 0) operations.add("splice");
  }
  const [only] = takes;
  const isPlain = takes.length === 1 && only?.startMs === first.startMs && only.endMs === first.endMs;
  return isPlain ? null : { files: files.all, takes, operations: [...operations] };
}

/** The takes of one video: what is kept of it, split where something is inserted. */
function ownTakes(video: EditedVideo, files: Files): Take[] {
  const file = files.number(video.url, `${video.path}.url`);
  const inserted = video.insertions.map(({ url, atMs }, position) => ({
    atMs: atMs ?? Infinity,
    take: { file: files.number(url, `${video.path}.segments[${position}].url`), startMs: 0, endMs: null },
  }));
  const waiting = inserted.toSorted((a, b) => a.atMs - b.atMs);
  const takes: Take[] = [];
  for (const kept of keptRanges(video)) {
    let { startMs } = kept;
    const endMs = kept.endMs ?? Infinity;
    while (waiting[0] !== undefined && waiting[0].atMs < endMs) {
      const { atMs, take } = waiting.shift()!;
      if (atMs > startMs) {
        takes.push({ file, startMs, endMs: atMs });
        startMs = atMs;
      }
      takes.push(take);
    }
    takes.push({ file, startMs, endMs: kept.endMs });
  }
  return [...takes, ...waiting.map(({ take }) => take)];
}

/** The range of the video without what is cut out of it. */
export function keptRanges({
  startMs,
  endMs,
  expunged,
}: Pick<EditedVideo, "startMs" | "endMs" | "expunged">): { startMs: number; endMs: number | null }[] {
  const kept: { startMs: number; endMs: number | null }[] = [];
  let from = startMs;
  for (const cut of expunged.toSorted((a, b) => a.startMs - b.startMs)) {
    const until = Math.min(cut.startMs, endMs ?? Infinity);
    if (until > from) kept.push({ startMs: from, endMs: until });
    from = Math.max(from, cut.endMs);
  }
  if (endMs === null || from < endMs) kept.push({ startMs: from, endMs });
  return kept;
}

/** Each URL is one file, however often it is used. */
class Files {
  readonly all: MontageFile[];

  constructor({ url, path }: EditedVideo) {
    this.all = [{ url, path: `${path}.url` }];
  }

  number(url: string, path: string): number {
    const known = this.all.findIndex((file) => file.url === url);
    if (known >= 0) return known;
    return this.all.push({ url, path }) - 1;
  }
}
