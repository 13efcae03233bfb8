/** Uploads an encoder's output to the Worker and records what has arrived there. */
import type { RunStart } from "../../live/run-state.ts";
import { randomUUID } from "node:crypto";
import type { BroadcastReceiver } from "../../live/broadcast-process.ts";
import type { DroppedRung, InitFacts, PartFacts, Pulse, RunOpening, StartedFacts } from "../../live/output.ts";
import type { IngestWarning } from "../../../protocol/ingest-warning.ts";
import { type KnownSound, soundsOf } from "../../../protocol/live.ts";
import { log, logWarning } from "../../../protocol/log.ts";
import { type SessionClient, SessionOver } from "../worker/session-client.ts";

/** One per encoder process that starts a new run. */
export class SessionUpload implements BroadcastReceiver {
  readonly #client: SessionClient;
  readonly #ids: { streamId: string; sessionId: string };
  readonly #completeSegments = new Map<string, number>();
  readonly #dropped = new Set<string>();
  #sounds: KnownSound[] | null = null;
  #warnings: IngestWarning[] = [];
  #started: Promise<unknown> = new Promise(() => {});
  #speed = 0;
  #isUploadingThumbnail = false;

  constructor(client: SessionClient, ids: { streamId: string; sessionId: string }) {
    this.#client = client;
    this.#ids = ids;
  }

  /** Segments of the session that the Worker has completely, in every rendition that has not been dropped. */
  get segments(): number {
    const made = [...this.#completeSegments].filter(([name]) => !this.#dropped.has(name));
    return made.length === 0 ? 0 : Math.min(...made.map(([, segments]) => segments));
  }

  get droppedRungs(): string[] {
    return [...this.#dropped];
  }

  /** Media seconds encoded per busy second. */
  get speed(): number {
    return this.#speed;
  }

  /** What its newest encoder has found wrong. The Worker keeps what earlier ones have reported. */
  get warnings(): IngestWarning[] {
    return this.#warnings;
  }

  /** Sounds of its broadcast; null until they are known. */
  get sounds(): KnownSound[] | null {
    return this.#sounds;
  }

  onStarted(facts: StartedFacts): void {
    this.#sounds = soundsOf(facts.renditions);
    for (const { name } of facts.renditions) if (!this.#completeSegments.has(name)) this.#completeSegments.set(name, 0);
    this.#started = this.#client.started(facts);
    this.#started.catch((error: unknown) => this.#note("session.start_not_reported", error));
    log("broadcast.encoding", { ...this.#ids, renditions: facts.renditions.map(({ name }) => name).join(" ") });
  }

  async onOpening({ capturedAtMs, renditions, because }: RunOpening): Promise<RunStart> {
    const resume = await this.#client.resume({ id: randomUUID(), capturedAt: capturedAtMs, renditions });
    const { nextMsn: msn, discontinuity: isDiscontinuous, initVersion, seconds, ticks } = resume;
    log("broadcast.continued", { ...this.#ids, msn, isDiscontinuous, ...(because === null ? {} : { because }) });
    return { msn, isDiscontinuous, initVersion, seconds, ticks };
  }

  onRejected(rendition: string, error: unknown): void {
    this.#note("media.not_uploaded", error, { rendition });
  }

  onThumbnailFailed(reason: string): void {
    this.#note("thumbnail.not_made", reason);
  }

  async onInit(rendition: string, version: number, bytes: Buffer, facts: InitFacts): Promise<void> {
    await this.#started;
    const { codec, widthPx, heightPx, frameRate } = facts;
    const hz = frameRate === null ? null : frameRate.num / frameRate.den;
    await this.#client.putInit(rendition, version, bytes, { codec, widthPx, heightPx, frameRate: hz });
  }

  async onPart(facts: PartFacts, bytes: Buffer): Promise<void> {
    await this.#started;
    const answer = await this.#client.putPart(facts, bytes);
    const { rendition, msn, part } = facts;
    if (answer.verdict === "missing" || answer.verdict === "refused") {
      logWarning("part.not_accepted", { ...this.#ids, rendition, msn, part, answer: JSON.stringify(answer) });
      throw new Error(answer.verdict);
    }
    if (facts.isLast) this.#completeSegments.set(rendition, msn + 1);
  }

  async onGap(rendition: string, msn: number): Promise<void> {
    const answer = await this.#client.gap(rendition, msn);
    logWarning("segment.lost", { ...this.#ids, rendition, msn });
    if (answer.verdict !== "missing") return;
    for (let lost = answer.expected.msn; lost <= msn; lost += 1) await this.#client.gap(rendition, lost);
  }

  onRungDropped({ rendition, fromMsn }: DroppedRung): void {
    logWarning("rung.dropped", { ...this.#ids, rendition, fromMsn });
    this.#dropped.add(rendition);
    this.#client.dropped(rendition, fromMsn).catch((error: unknown) => this.#note("rung.drop_not_reported", error));
  }

  onWarnings(warnings: IngestWarning[]): void {
    this.#warnings = warnings;
  }

  onPulse({ speed }: Pulse): void {
    this.#speed = speed;
  }

  /** Uploads one thumbnail at a time and skips the others, so a slow Worker gets fewer. */
  onThumbnail(bytes: Buffer, capturedAtMs: number): void {
    if (this.#isUploadingThumbnail) return;
    this.#isUploadingThumbnail = true;
    void this.#started
      .then(() => this.#client.putThumbnail(bytes, capturedAtMs))
      .catch((error: unknown) => this.#note("thumbnail.not_stored", error))
      .finally(() => (this.#isUploadingThumbnail = false));
  }

  #note(event: string, error: unknown, details: Record<string, string> = {}): void {
    if (error instanceof SessionOver) return;
    logWarning(event, { ...this.#ids, ...details, reason: error instanceof Error ? error.message : String(error) });
  }
}
