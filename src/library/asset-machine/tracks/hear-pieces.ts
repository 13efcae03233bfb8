import type { SpeechResult, SpokenWord, TranscribeResult } from "../../../../protocol/speech.ts";
import { isHeardWrong, type Word } from "../../../ai/captions/index.ts";
import { speechProviderOf } from "../../../ai/providers/index.ts";
import { reserveCall } from "../../../ai/usage/index.ts";
import { openDatabase } from "../../../platform/database.ts";
import { log } from "../../../platform/log.ts";
import { NO_SPEECH } from "../../assets/asset-error.ts";
import { trackJobId } from "../../encoding/job-spec.ts";
import type { JobRow } from "../../encoding/job-store.ts";
import { speechRenditionOf } from "../../tracks/store/repository.ts";
import type { AssetComponents } from "../core/components.ts";
import type { HeardPart, PartKey } from "../core/heard-store.ts";
import type { PendingTrack } from "../core/track-store.ts";
import { endTrack } from "./preparation.ts";

/** The pieces are stored. A provider is asked for each; without one, each is a job of its own. A failure repeats one piece. */
export function hearPieces(machine: AssetComponents, track: PendingTrack, job: JobRow, { pieces }: SpeechResult): void {
  const { id, assetId, generated } = track;
  if (pieces.length === 0) return endTrack(machine, id, NO_SPEECH);
  const rendition = speechRenditionOf(id);
  const { languageCode = null, prompt = "" } = generated ?? {};
  const provider = speechProviderOf(machine.env);
  const sound = job.spec.kind === "speech" ? job.spec.sound : "";
  const told = [provider?.engine, provider?.model, sound, languageCode, prompt];
  const source = JSON.stringify([...told, pieces.map(({ durationMs, bytes }) => [durationMs, bytes])]);
  machine.commit(() => {
    machine.trackJobs.remove(job.id);
    machine.heard.open(id, pieces.length, source);
    machine.tracks.change(id, { pieces, ...(provider === null ? {} : { step: "hearing", dueMs: machine.clock() }) });
    if (provider !== null) return;
    for (const { piece } of machine.heard.pending(id))
      machine.trackJobs.add(trackJobId(assetId, id, `transcribe-${piece}`), {
        kind: "transcribe",
        rendition,
        piece,
        languageCode,
        prompt,
      });
  });
}

/**
 * The encoder's model has heard one piece. A piece in which it repeats itself is heard once more, in other windows. After the last piece, the track takes its
 * next step.
 */
export async function keepWords(
  machine: AssetComponents,
  track: PendingTrack,
  job: JobRow,
  result: TranscribeResult,
): Promise<void> {
  const { clock, heard, trackJobs, tracks } = machine;
  if (job.spec.kind !== "transcribe") return;
  const { piece } = job.spec;
  if (job.attempt === 1 && isHeardWrong(result.words.map(toWord))) {
    log("captions.piece_repeats", { assetId: track.assetId, trackId: track.id, piece, engine: result.engine });
    return trackJobs.requeue(job.id);
  }
  const { words, engine, model, version = null, transcribeMs: tookMs } = result;
  const languageCode = result.languageCode === "und" ? null : result.languageCode;
  const paidMs = track.pieces?.[piece]?.durationMs ?? 0;
  const found = { words, languageCode, engine, model, version, tookMs, paidMs, costMicroUsd: 0 };
  machine.commit(() => {
    keepPart(machine, track.id, { piece, fromMs: 0, toMs: null }, found);
    trackJobs.remove(job.id);
    if (heard.pending(track.id).length === 0) tracks.change(track.id, { step: "fetching", dueMs: clock() });
  });
  const units = paidMs / 1000;
  const call = { workspaceId: track.workspaceId ?? "", kind: "captions", engine: "built-in", units } as const;
  await reserveCall(openDatabase(machine.env.DB), { ...call, costMicroUsd: 0 }, 0, new Date(clock()));
}

/** Steps in which progress is shown. */
const PERCENT_STEP = 5;

/** Stores what was heard in a part, and shows it. */
export function keepPart(
  { heard, outbox, timers, clock }: AssetComponents,
  trackId: string,
  part: PartKey,
  found: HeardPart,
): void {
  const stepsOf = (percent: number) => Math.floor(percent / PERCENT_STEP);
  const before = heard.percent(trackId);
  heard.keep(trackId, part, found);
  const percent = heard.percent(trackId);
  if (stepsOf(percent) === stepsOf(before)) return;
  outbox.enqueue({ kind: "trackProgress", payload: { id: trackId, percent } });
  timers.bringForward("outbox", clock());
}

export const toWord = ([startMs, endMs, text, hasSpace]: SpokenWord): Word => ({ startMs, endMs, text, hasSpace });
export const toSpoken = ({ startMs, endMs, text, hasSpace }: Word): SpokenWord => [startMs, endMs, text, hasSpace];
