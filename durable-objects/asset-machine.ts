import type { Heartbeat, JobFailure, JobResult, SourceFacts } from "../protocol/jobs.ts";
import {
  ENCODER_LOST,
  fromJobFailure,
  fromSourceError,
  NOTHING_DECODED,
  SEAM_BROKEN,
  STEP_DIED,
} from "../src/library/assets/asset-error.ts";
import type { AssetCalls, AssetStatus } from "../src/library/assets/asset-calls.ts";
import { plannedFacts, readyFacts } from "../src/library/assets/asset-facts.ts";
import { type EdgeProbe, probeAtEdge } from "../src/library/assets/edge-probe.ts";
import { renditionKey } from "../src/platform/storage/keys.ts";
import { type AssetForMachine, findAssetForMachine } from "../src/library/assets/repository.ts";
import { tracksOf } from "../src/library/assets/track-rows.ts";
import { openDatabase } from "../src/platform/database.ts";
import { assembleRenditions, SeamError } from "../src/library/encoding/assemble.ts";
import { dispatchJobs, leaseMs, MAX_ATTEMPTS } from "../src/library/encoding/dispatcher.ts";
import { isAnnounced, jobId, type JobRow, jobsOf } from "../src/library/encoding/job-book.ts";
import { type EncodingPlan, planBesideSource } from "../src/library/encoding/plan.ts";
import { copyProgress, encodingProgress } from "../src/library/encoding/progress.ts";
import type { JobObject, ReplaceVerdict } from "../src/library/encoding/store-object.ts";
import { log } from "../src/platform/log.ts";
import type { CopyState } from "../src/library/sources/copy-state.ts";
import { nextCopyStep } from "../src/library/sources/copy-to-r2.ts";
import { sourceRetryDelayMs } from "../src/library/sources/retry-schedule.ts";
import { SourceError } from "../src/library/sources/source-errors.ts";
import { AssetKeeper, type AssetTimer, type Stage } from "./asset-keeper.ts";

const COPY_STEP_MS = 5000;
const PROGRESS_EVERY_MS = 1000;
/** What plays already is watched now: its first viewers are not made to share the network with the copy. */
const COPY_AFTER_PLAYABLE_MS = 1000;

/** What an encoder is answered whose job is not known, or not any more. */
const OVER: Record<string, object> = {
  heartbeat: { continue: false },
  complete: { accepted: false },
  fail: { accepted: false },
  write: { verdict: "over" },
  replace: { verdict: "over" },
};

/** Owns the processing of one asset, from its URL to a whole ladder (docs/architecture/on-demand.md). */
export class AssetMachine extends AssetKeeper implements AssetCalls {
  /** Takes an asset over of which only the id is known: for the sweep. Again and again is the same as once. */
  async start(assetId: string): Promise<{ status: AssetStatus }> {
    const known = this.document<AssetForMachine>("asset");
    const asset = known ?? (await findAssetForMachine(openDatabase(this.bindings().DB), assetId));
    return asset === null ? { status: this.status } : this.takeOver(asset);
  }

  private takeOver(asset: AssetForMachine): { status: AssetStatus } {
    if (this.status === "processing" && this.document("asset") === undefined) {
      this.commit(() => {
        this.setDocument("name", asset.id);
        this.setDocument("asset", asset);
        this.setDocument("stage", "created");
        this.enqueueMessage({ kind: "started", payload: { atMs: Date.now() } });
      });
    }
    return this.wake();
  }

  /** For the sweep: whatever is owed is looked at now. */
  wake(): { status: AssetStatus } {
    if (this.status === "processing") this.hasten("work", Date.now());
    this.hasten("outbox", Date.now());
    return { status: this.status };
  }

  protected async receive(name: string, document: unknown): Promise<unknown> {
    if (name === "start") return this.takeOver(document as AssetForMachine);
    const { jobId: id, ...rest } = document as { jobId: string };
    const job = this.status === "processing" ? this.jobs.get(id) : undefined;
    if (job === undefined) return OVER[name];
    if (name === "heartbeat") return this.onHeartbeat(job, rest as Heartbeat);
    if (name === "write") return { verdict: this.isHandedOut(job, rest as JobObject) ? "write" : "over" };
    if (name === "replace") return { verdict: await this.replace(job, rest as JobObject) };
    if (name === "complete") return this.onComplete(job, rest as { result: JobResult; attempt: number });
    if (name === "fail") return this.onFailure(job, rest as JobFailure & { attempt: number });
    throw new Error(`an asset machine does not know ${name}`);
  }

  private onHeartbeat(job: JobRow, { attempt, progress, speed, partial }: Heartbeat): { continue: boolean } {
    if (!this.isHandedOut(job, { attempt })) return { continue: false };
    const now = Date.now();
    this.jobs.heard(job.id, now + leaseMs(this.bindings()), progress, speed);
    if (partial !== undefined && this.jobs.addPartial(job.id, partial)) this.showRenditions();
    if (now - (this.document<number>("progressAt") ?? 0) >= PROGRESS_EVERY_MS) this.reportProgress(now);
    return { continue: true };
  }

  /** Whether this is the attempt that is under way. Its encoder may call before the answer to its submission has been noted. */
  private isHandedOut(job: JobRow, { attempt }: { attempt: number }): boolean {
    return job.state !== "done" && attempt === job.attempt;
  }

  /** Deletes what an earlier attempt left under a key. While it does, nothing else happens here, so nothing is announced meanwhile. */
  private async replace(job: JobRow, object: JobObject): Promise<ReplaceVerdict> {
    return await this.state.blockConcurrencyWhile(async () => {
      const current = this.jobs.get(job.id);
      if (this.status !== "processing" || current === undefined || !this.isHandedOut(current, object)) return "over";
      if (isAnnounced(object, current, this.jobs.all())) return "announced";
      log("job.object_replaced", {
        jobId: job.id,
        attempt: object.attempt,
        rendition: object.rendition,
        file: object.file,
      });
      try {
        await this.bindings().MEDIA.delete(renditionKey(this.asset().id, object.rendition, object.file));
        return "replace";
      } catch (error) {
        // What is thrown inside of `blockConcurrencyWhile` resets the object.
        log("job.object_not_replaced", { jobId: job.id, file: object.file, error: String(error) });
        return "unavailable";
      }
    });
  }

  private onComplete(job: JobRow, { result, attempt }: { result: JobResult; attempt: number }): { accepted: boolean } {
    if (!this.isHandedOut(job, { attempt }) || result.kind !== job.spec.kind) return { accepted: false };
    log("job.completed", { jobId: job.id, attempt: job.attempt });
    this.commit(() => {
      this.jobs.done(job.id, result, this.speedOf(result));
      if (result.kind === "probe") this.plan(result.facts);
    });
    if (result.kind !== "probe") this.showRenditions();
    this.hasten("work", Date.now());
    return { accepted: true };
  }

  private speedOf(result: JobResult): number {
    const grid = this.document<EncodingPlan>("plan")?.video?.grid;
    if (result.kind !== "video" || grid === undefined || result.encodeMs <= 0) return 0;
    const mediaMs = (result.frameCount * grid.frameRate.den * 1000) / grid.frameRate.num;
    return mediaMs / result.encodeMs;
  }

  private onFailure(job: JobRow, failure: JobFailure & { attempt: number }): { accepted: boolean } {
    if (!this.isHandedOut(job, failure)) return { accepted: false };
    log("job.failed", { jobId: job.id, attempt: job.attempt, code: failure.code });
    const error = fromJobFailure(failure);
    const isShutdown = failure.code === "encoder_shutdown"; // says nothing about the job
    if (isShutdown) this.jobs.requeue(job.id, true);
    else if (error.fault === "source" || job.attempt >= MAX_ATTEMPTS) this.fail(error);
    else this.jobs.requeue(job.id);
    this.hasten("work", Date.now() + 250);
    return { accepted: true };
  }

  protected async run(timer: AssetTimer): Promise<void> {
    if (timer === "outbox") return await this.drain();
    if (timer === "cleanup") return await this.cleanUp();
    if (timer === "purge") return await this.purge();
    if (this.status !== "processing") return;
    const stage = this.document<Stage>("stage") ?? "created";
    if (!(await this.beginStep(stage))) return this.fail(STEP_DIED);
    try {
      await this.work(stage);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      this.onSourceError(error);
    } finally {
      this.endStep();
    }
    await this.drain();
  }

  /** One step of the stage the asset is in; sets the timer for the next. */
  private async work(stage: Stage): Promise<void> {
    if (stage === "created") await this.probeSource();
    else if (stage === "downloading") await this.copySource();
    else await this.dispatch();
  }

  private async probeSource(): Promise<void> {
    const asset = this.asset();
    const startedAt = Date.now();
    const probe = await probeAtEdge(this.bindings(), asset);
    if (this.status !== "processing") return;
    this.commit(() => {
      this.setDocument("edge", {
        onLadderGrid: probe.onLadderGrid,
        isStandard: probe.isStandard,
        bitrateBps: probe.bitrateBps,
      } satisfies EdgeProbe["summary"]);
      this.enter("downloading", probe.facts);
      this.enqueueRenditions(probe.renditions);
      if (probe.tracks.length > 0) this.enqueueMessage({ kind: "tracks", payload: probe.tracks });
    });
    log("asset.probed", {
      assetId: asset.id,
      isStandard: probe.isStandard,
      reason: probe.reason,
      tookMs: Date.now() - startedAt,
    });
    await this.drain(); // from here on it plays
    this.schedule("work", Date.now() + (probe.isStandard ? COPY_AFTER_PLAYABLE_MS : 0));
  }

  private async copySource(): Promise<void> {
    const asset = this.asset();
    const state = this.document<CopyState>("copy") ?? null;
    const step = await nextCopyStep(this.bindings(), { assetId: asset.id, url: asset.sourceUrl }, state, {
      maxMs: COPY_STEP_MS,
      clock: Date.now,
      signal: this.copying.signal,
    });
    if (this.status !== "processing") return;
    this.commit(() => {
      this.setDocument("copy", step.state);
      this.setDocument("sourceFailures", 0);
      if (step.done) {
        this.enter("validating", { progress: copyProgress(1, 1) });
        this.jobs.add(jobId(asset.id, { kind: "probe" }), { kind: "probe" });
      } else {
        this.enqueueMessage({ kind: "facts", payload: { progress: copyProgress(step.bytesCopied, step.totalBytes) } });
      }
    });
    this.schedule("work", Date.now());
  }

  /** The encoder has looked at the source: from here on everything is known. Part of the caller's commit. */
  private plan(facts: SourceFacts): void {
    const asset = this.asset();
    const edge = this.document<EdgeProbe["summary"]>("edge");
    const { plan, skipTopRung } = planBesideSource(facts, asset, edge ?? null);
    this.setDocument("plan", plan);
    this.setDocument("skipTopRung", skipTopRung);
    for (const spec of jobsOf(plan)) this.jobs.add(jobId(asset.id, spec), spec);
    this.enter("encoding", { ...plannedFacts(facts, plan), progress: encodingProgress(plan, this.jobs.overview()) });
    this.enqueueMessage({ kind: "tracks", payload: tracksOf(asset.id, facts) });
  }

  private async dispatch(): Promise<void> {
    const asset = this.asset();
    if (this.document<Stage>("stage") === "encoding" && this.jobs.isComplete()) return this.finish();
    const context = {
      assetId: asset.id,
      publicUrl: asset.publicUrl,
      clip: { startMs: asset.clipStartMs, endMs: asset.clipEndMs },
      plan: this.document<EncodingPlan>("plan"),
    };
    const outcome = await dispatchJobs(this.bindings(), this.jobs, context, Date.now());
    if ("lost" in outcome) return this.fail(ENCODER_LOST);
    this.schedule("work", outcome.againAtMs);
  }

  /** Everything is encoded: the ladder is whole and the asset ready, in one commit. */
  private finish(): void {
    const plan = this.document<EncodingPlan>("plan");
    if (plan === undefined) throw new Error("finished without a plan");
    const rows = this.assembled(plan);
    if (rows === null) return this.fail(SEAM_BROKEN);
    const skipTopRung = this.document<boolean>("skipTopRung") === true;
    if (rows.length === 0 && !skipTopRung) return this.fail(NOTHING_DECODED);
    this.move("finish", (event) => {
      this.enqueueRenditions(rows);
      if (skipTopRung) this.enqueueMessage({ kind: "keepPassthrough", payload: {} });
      this.enter("done", readyFacts(rows, skipTopRung));
      this.enqueueEvent(event);
    });
    this.unschedule("work");
    this.hasten("outbox", Date.now());
  }

  private onSourceError(error: SourceError): void {
    const failures = (this.document<number>("sourceFailures") ?? 0) + 1;
    const scale = Number(this.bindings().SOURCE_RETRY_SCALE ?? "") || 1;
    const delayMs = error.retryable ? sourceRetryDelayMs(failures, error.retryAfterMs, scale) : null;
    log("source.failed", { assetId: this.name(), code: error.code, failures, delayMs });
    if (delayMs === null) return this.fail(fromSourceError(error));
    this.setDocument("sourceFailures", failures);
    this.schedule("work", Date.now() + delayMs);
  }

  /** Shows what became playable: whole renditions, and growing ones when nothing else plays yet. */
  private showRenditions(): void {
    const plan = this.document<EncodingPlan>("plan");
    if (plan === undefined) return;
    const rows = this.assembled(plan);
    this.commit(() => {
      if (rows !== null) this.enqueueRenditions(rows);
      this.enqueueMessage({ kind: "facts", payload: { progress: encodingProgress(plan, this.jobs.overview()) } });
    });
    this.hasten("outbox", Date.now());
  }

  private assembled(plan: EncodingPlan) {
    const isStandard = this.document<EdgeProbe["summary"]>("edge")?.isStandard === true;
    try {
      return assembleRenditions(this.asset().id, plan, this.jobs.all(), !isStandard);
    } catch (error) {
      if (error instanceof SeamError) return null;
      throw error;
    }
  }

  private reportProgress(now: number): void {
    const plan = this.document<EncodingPlan>("plan");
    if (plan === undefined) return;
    this.setDocument("progressAt", now);
    this.enqueueMessage({ kind: "facts", payload: { progress: encodingProgress(plan, this.jobs.overview()) } });
    this.hasten("outbox", now);
  }
}
