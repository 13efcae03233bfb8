import type { Env } from "../../platform/env.ts";
import { Freeze } from "./freeze.ts";
import { OriginIndex } from "./index/origin-index.ts";
import { RecordedReader } from "./recorded/recorded-reader.ts";
import { HeldRequests } from "./held-requests.ts";
import { LiveManifests } from "./manifests.ts";
import { SegmentUploads } from "./segment-uploads.ts";
import { ViewerReports } from "./viewer-reports.ts";

/** The components of the live edge of one session. Its verbs are the other files of this folder; its state is in `index/`. */
export class OriginComponents {
  readonly ctx: DurableObjectState;
  readonly env: Env;
  /** Epoch ms. */
  readonly clock: () => number;
  /** Replaced when the session is released. */
  index: OriginIndex;
  readonly freeze: Freeze;
  readonly requests: HeldRequests;
  readonly manifests: LiveManifests;
  readonly uploads: SegmentUploads;
  readonly viewers: ViewerReports;
  readonly recordedReader = new RecordedReader();

  constructor(ctx: DurableObjectState, env: Env, clock: () => number = () => Date.now()) {
    this.ctx = ctx;
    this.env = env;
    this.clock = clock;
    const index = () => this.index;
    this.index = new OriginIndex(ctx.storage);
    this.freeze = new Freeze(ctx.storage, env.MEDIA, index);
    this.requests = new HeldRequests(index);
    this.manifests = new LiveManifests(index, this.requests, clock);
    this.uploads = new SegmentUploads({ index, bucket: () => this.env.MEDIA, clock, schedule: () => this.schedule() });
    this.viewers = new ViewerReports(clock);
  }

  get kv(): SyncKvStorage {
    return this.ctx.storage.kv;
  }

  get sessionId(): string | null {
    return this.index.session?.sessionId ?? null;
  }

  /** The broadcaster's newest connection, the only one that may write. */
  get connection(): number {
    return this.kv.get<number>("connection") ?? 1;
  }

  mayWrite(connection: number): boolean {
    return connection === this.connection && this.index.session !== null && !this.index.hasEnded;
  }

  /** Makes this connection the writing one, unless a newer one is known. */
  acceptConnection(connection: number): void {
    if (connection > this.connection) this.kv.put("connection", connection);
  }

  /** When the session's index is to be deleted, epoch ms; Infinity while it is needed. */
  get releaseAtMs(): number {
    return this.kv.get<number>("releaseAtMs") ?? Infinity;
  }

  get lacksRelease(): boolean {
    return this.index.hasEnded && this.releaseAtMs === Infinity;
  }

  /** Invalidates cached manifests and answers waiting requests. Call after every change of the index. */
  onChange(): void {
    this.manifests.clearCache();
    this.requests.releaseDue();
  }

  /** Announces a change of the index and uploads the segments that are whole. */
  async publish(): Promise<void> {
    this.onChange();
    await this.uploads.run();
  }

  /** Sets the object's single alarm to whatever is due first. */
  async schedule(): Promise<void> {
    const { storage } = this.ctx;
    const atMs = Math.min(this.uploads.retryAtMs, this.releaseAtMs, this.freeze.dueAtMs(this.clock()));
    if (atMs < Infinity) await storage.setAlarm(atMs);
    else await storage.deleteAlarm();
  }
}
