import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, type Media, type Sluice, waitUntilPlayable } from "../../index.ts";
import type { Reporter } from "../terminal/reporter.ts";
import { durationText } from "../terminal/units.ts";

export interface CreatedMedia {
  mediaId: string;
  playbackId: string;
}

/** Seconds for which the watcher's own token of a private media is valid. */
const TOKEN_S = 24 * 3600;
const POLL_MS = 250;

/** Follows a media from its creation to ready, and reports when it plays and how far it is. */
export class Watch {
  private readonly startedAt = performance.now();
  private readonly ended = new AbortController();
  private readonly signal: AbortSignal;
  private readonly sluice: Sluice;
  private readonly reporter: Reporter;
  private readonly isPrivate: boolean;
  private media: CreatedMedia | undefined;
  private playable: Promise<unknown> = Promise.resolve();
  private lastProgress = "";
  private lastAttempt = 0;

  constructor(sluice: Sluice, reporter: Reporter, options: { isPrivate: boolean; signal: AbortSignal }) {
    this.sluice = sluice;
    this.reporter = reporter;
    this.isPrivate = options.isPrivate;
    this.signal = AbortSignal.any([options.signal, this.ended.signal]);
  }

  /** Call when the media, or its upload, is created: it may play before all of it has arrived. */
  begin(media: CreatedMedia, isWatched: boolean): void {
    this.media = media;
    if (!isWatched) return;
    this.playable = this.reportPlayable(media.playbackId);
    this.playable.catch(() => undefined); // awaited by untilReady
  }

  /** @throws {MediaFailedError}; what the client throws */
  async untilReady(): Promise<void> {
    const { signal } = this;
    const ready = this.sluice.waitUntilReady(this.media!.mediaId, { signal, onProgress: (media) => this.show(media) });
    // A refusal of playback ends the wait at once, except a 404: the record of a failed media says more than its manifest.
    const refused = this.playable.catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    });
    const media = await Promise.race([ready, refused.then(() => ready)]);
    await this.playable;
    const { duration = "" } = media;
    this.reporter.say({ kind: "ready", afterMs: this.afterMs(), duration }, (screen) =>
      screen.step("Ready", durationText(this.afterMs()), duration),
    );
  }

  printLinks(): void {
    const { player, hls, dash } = this.sluice.playbackUrls(this.media!.playbackId);
    this.reporter.say({ kind: "links", player, hls, dash, isPrivate: this.isPrivate }, (screen) => {
      if (this.isPrivate) screen.text("The media is private: add ?token=… of a playback token to these addresses.");
      screen.links([
        ["Player", player],
        ["HLS", hls],
        ["DASH", dash],
      ]);
    });
  }

  stop(): void {
    this.ended.abort();
  }

  private afterMs(): number {
    return Math.round(performance.now() - this.startedAt);
  }

  private async reportPlayable(playbackId: string): Promise<void> {
    const token = this.isPrivate ? await this.makeToken(playbackId) : undefined;
    await waitUntilPlayable(this.sluice.playbackUrls(playbackId, token).hls, { signal: this.signal });
    this.reporter.say({ kind: "playable", afterMs: this.afterMs() }, (screen) =>
      screen.step("Playable", durationText(this.afterMs())),
    );
  }

  /** The playback ID of an upload exists once the media does. */
  private async makeToken(playbackId: string): Promise<string> {
    const options = { body: { playbackId, expiresIn: TOKEN_S }, signal: this.signal };
    for (;;) {
      try {
        return (await this.sluice.post("/v1/iam/playback-tokens", options)).data.token;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404) throw error;
      }
      await sleep(POLL_MS, undefined, { signal: this.signal });
    }
  }

  private show({ status, progress }: Media): void {
    const { retry } = progress ?? {};
    if (retry !== undefined && retry.attempt !== this.lastAttempt) {
      this.lastAttempt = retry.attempt;
      const at = new Date(retry.nextAttemptAt).toLocaleTimeString("en-GB");
      this.reporter.say({ kind: "retry", afterMs: this.afterMs(), ...retry }, (screen) =>
        screen.text(`The source could not be read (${retry.reason}); next attempt at ${at}.`),
      );
    }
    const news = { status, percent: progress?.percent ?? 0, stage: progress?.stage ?? "" };
    if (JSON.stringify(news) === this.lastProgress) return;
    this.lastProgress = JSON.stringify(news);
    this.reporter.say({ kind: "progress", ...news, afterMs: this.afterMs() }, (screen) => {
      if (progress !== undefined && progress.renditions.length > 0)
        screen.bars(progress.renditions.map(({ name, percent }) => ({ name, percent, note: "" })));
    });
  }
}
