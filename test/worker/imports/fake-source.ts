/** A source in memory, for faults that must be exact. */
import type {
  ListedCaption,
  ListedVideo,
  MissingPermission,
  Resolution,
  Source,
  SourcePage,
} from "../../../src/imports/sources/source.ts";

export type SourceMethod = "check" | "listPage" | "describe" | "resolve" | "captions" | "release";

export const video = (id: string, over: Partial<ListedVideo> = {}): ListedVideo => ({
  id,
  title: `Video ${id}`,
  createdAt: "2025-01-01T00:00:00.000Z",
  durationMs: 5000,
  bytes: 1000,
  widthPx: 640,
  heightPx: 360,
  policy: "public",
  playbackIds: [{ id: `old-${id}`, policy: "public" }],
  creatorId: null,
  tags: [],
  folder: null,
  metadata: {},
  captions: [],
  audioTracks: null,
  chapters: [],
  obstacle: null,
  left: [],
  ref: {},
  ...over,
});

export const videos = (count: number, over: (n: number) => Partial<ListedVideo> = () => ({})): ListedVideo[] =>
  Array.from({ length: count }, (_, n) => video(`v${n}`, over(n)));

export class FakeSource implements Source {
  pace = { readsPerSecond: 1000, writesPerSecond: 1000, concurrency: 8 };
  neverKept: readonly string[] = ["play counts"];
  needsRelease = false;
  changesAtSource = false;
  listIsPartial = false;
  account = "account";
  missing: MissingPermission[] = [];
  pageSize = 10;
  videos: ListedVideo[];
  captionsOf = new Map<string, ListedCaption[]>();
  readonly calls: { method: SourceMethod; about: string | null }[] = [];
  /** Videos that are switched at the source. */
  readonly switched = new Set<string>();
  /** Runs before each call is answered, and may throw. `about`: the cursor or the id of the video. */
  before: (method: SourceMethod, about: string | null) => void | Promise<void> = () => undefined;
  /** Replaces the pages of the list. */
  page: (cursor: string | null) => SourcePage = (cursor) => {
    const at = Number(cursor ?? 0);
    const next = at + this.pageSize < this.videos.length ? String(at + this.pageSize) : null;
    return { videos: this.videos.slice(at, at + this.pageSize), next };
  };
  /** Replaces the resolution of a video. */
  file: (video: ListedVideo, state: Record<string, unknown> | null) => Resolution = ({ id }) => ({
    status: "ready",
    url: `https://cdn.test/${encodeURIComponent(id)}.mp4?signature=very-secret`,
    expiresAtMs: null,
  });

  constructor(listed: ListedVideo[]) {
    this.videos = listed;
  }

  countOf(method: SourceMethod, about?: string): number {
    return this.calls.filter((call) => call.method === method && (about === undefined || call.about === about)).length;
  }

  async check() {
    await this.#called("check", null);
    return { account: this.account, accountName: null, missing: this.missing };
  }

  async listPage(cursor: string | null) {
    await this.#called("listPage", cursor);
    return this.page(cursor);
  }

  async describe(id: string) {
    await this.#called("describe", id);
    return this.videos.find((one) => one.id === id) ?? null;
  }

  async resolve(asked: ListedVideo, state: Record<string, unknown> | null) {
    await this.#called("resolve", asked.id);
    if (this.needsRelease) this.switched.add(asked.id);
    return this.file(asked, state);
  }

  async captions({ id }: ListedVideo) {
    await this.#called("captions", id);
    return this.captionsOf.get(id) ?? [];
  }

  async release({ id }: ListedVideo) {
    await this.#called("release", id);
    this.switched.delete(id);
  }

  async #called(method: SourceMethod, about: string | null): Promise<void> {
    this.calls.push({ method, about });
    await this.before(method, about);
  }
}
