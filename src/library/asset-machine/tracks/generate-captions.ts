import type { SpeechPiece, SpeechResult, TranscribeResult } from "../../../../protocol/speech.ts";
import { layOutCues, placeWords, type Word, withoutLoops, withoutMarkers } from "../../../ai/captions/index.ts";
import { openDatabase } from "../../../platform/database.ts";
import { log } from "../../../platform/log.ts";
import { captionsKey } from "../../../platform/storage/keys.ts";
import { MEDIA_FAILED, NO_SOUND, NO_SPEECH } from "../../assets/asset-error.ts";
import { findAsset, findReadyRenditions } from "../../assets/repository.ts";
import { trackJobId, trackOfJob } from "../../encoding/job-spec.ts";
import type { JobRow } from "../../encoding/job-store.ts";
import { speechRenditionOf } from "../../tracks/store/repository.ts";
import { storeCaptions } from "../../tracks/store/store-captions.ts";
import type { AssetComponents } from "../core/components.ts";
import type { PendingTrack } from "../core/track-store.ts";
import { endTrack, leave } from "./preparation.ts";

/** The machine of a media in processing comes back when it is ready; this is the net under that. */
const WAIT_MS = 30_000;
const [SHORTEST_PIECE_MS, LONGEST_PIECE_MS] = [60_000, 600_000];
/** Pieces that are heard at the same time, if there are encoders for them. */
const PIECES_AT_ONCE = 4;

/** The next step of a generated subtitle track: its sound is cut into pieces once the media is ready; when all are heard, their words become captions. */
export async function generateCaptions(machine: AssetComponents, track: PendingTrack): Promise<void> {
  if (track.pieces !== undefined) return await assemble(machine, track, track.pieces);
  const { id, assetId } = track;
  const { clock, env, tracks } = machine;
  const record = await findAsset(openDatabase(env.DB), null, assetId);
  const rows = await findReadyRenditions(env.DB, assetId);
  if (record === null || rows === "processing") return tracks.change(id, { dueMs: clock() + WAIT_MS });
  if (record.asset.status === "errored") return endTrack(machine, id, MEDIA_FAILED);
  const sounds = rows.filter(({ kind, origin }) => kind === "audio" && origin !== "passthrough");
  const sound =
    sounds.find(({ name }) => name === track.generated?.sound) ??
    sounds.find(({ isDefault }) => isDefault) ??
    sounds[0];
  if (sound === undefined) return endTrack(machine, id, NO_SOUND);
  const pieceMs = Math.min(
    LONGEST_PIECE_MS,
    Math.max(SHORTEST_PIECE_MS, (record.asset.durationMs ?? 0) / PIECES_AT_ONCE),
  );
  machine.commit(() => {
    if (tracks.get(id)?.step !== "fetching") return;
    tracks.change(id, { step: "encoding", publicUrl: record.asset.publicUrl });
    const rendition = speechRenditionOf(id);
    machine.trackJobs.add(trackJobId(assetId, id, "speech"), { kind: "speech", rendition, sound: sound.name, pieceMs });
  });
}

/** The pieces are stored: each is a job of its own, so that a failure repeats one piece. */
export function hearPieces(machine: AssetComponents, track: PendingTrack, job: JobRow, { pieces }: SpeechResult): void {
  const { id, assetId, generated } = track;
  if (pieces.length === 0) return endTrack(machine, id, NO_SPEECH);
  const rendition = speechRenditionOf(id);
  const { languageCode = null, prompt = "" } = generated ?? {};
  machine.commit(() => {
    machine.trackJobs.remove(job.id);
    machine.tracks.change(id, { pieces });
    for (const piece of pieces.keys())
      machine.trackJobs.add(trackJobId(assetId, id, `transcribe-${piece}`), {
        kind: "transcribe",
        rendition,
        piece,
        languageCode,
        prompt,
      });
  });
}

/** One piece has been heard. After the last one, the track takes its next step. */
export function keepWords(machine: AssetComponents, track: PendingTrack, job: JobRow, result: TranscribeResult): void {
  const { clock, trackJobs, tracks } = machine;
  machine.commit(() => {
    trackJobs.done(job.id, result, 0);
    if (heardPieces(machine, track).every(({ state }) => state === "done"))
      tracks.change(track.id, { step: "fetching", dueMs: clock() });
  });
}

const heardPieces = ({ trackJobs }: AssetComponents, { id }: PendingTrack): JobRow[] =>
  trackJobs.all().filter((job) => job.spec.kind === "transcribe" && trackOfJob(job.id) === id);

async function assemble(machine: AssetComponents, track: PendingTrack, pieces: readonly SpeechPiece[]): Promise<void> {
  const { id, assetId } = track;
  const { env } = machine;
  const record = await findAsset(openDatabase(env.DB), null, assetId);
  const durationMs = record?.asset.durationMs ?? Infinity;
  const heard = heardPieces(machine, track).flatMap(({ spec, result }) =>
    spec.kind === "transcribe" && result?.kind === "transcribe" ? [{ piece: spec.piece, result }] : [],
  );
  const words = heard
    .toSorted((a, b) => a.piece - b.piece)
    .flatMap(({ piece, result }) => wordsOf(result, pieces[piece]!))
    .filter(({ startMs }) => startMs < durationMs);
  const cues = layOutCues(words, durationMs);
  if (cues.length === 0) return endTrack(machine, id, NO_SPEECH);
  const facts = await storeCaptions(env, { assetId, trackId: id }, { cues, skipped: 0 });
  await env.MEDIA.put(captionsKey(assetId, id, "words.json"), JSON.stringify({ words: words.map(toRow) }));
  if (machine.tracks.get(id)?.step !== "fetching") return; // deleted meanwhile: its removal deletes the objects
  machine.commit(() => {
    leave(machine, track);
    machine.outbox.enqueue({ kind: "trackEnded", payload: { id, end: { status: "available", captions: facts } } });
  });
  const { model = "" } = heard[0]?.result ?? {};
  log("captions.generated", { assetId, trackId: id, pieces: pieces.length, words: words.length, model });
}

function wordsOf({ words }: TranscribeResult, { spans }: SpeechPiece): Word[] {
  const said = words.map(([startMs, endMs, text, hasSpace]): Word => ({ startMs, endMs, text, hasSpace }));
  const places = spans.map(([atMs, mediaMs, durationMs]) => ({ atMs, mediaMs, durationMs }));
  return placeWords(withoutLoops(withoutMarkers(said)), places);
}

/** [start, end, text] in the file of a track's words. */
const toRow = ({ startMs, endMs, text }: Word) => [Math.round(startMs), Math.round(endMs), text] as const;
