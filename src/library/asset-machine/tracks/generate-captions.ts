import { speechProviderOf, spokenCodeOf } from "../../../ai/providers/index.ts";
import { promptOf, settingsOf } from "../../../ai/settings/index.ts";
import { parseWebVtt } from "../../../media/captions/webvtt.ts";
import { openDatabase } from "../../../platform/database.ts";
import { captionsKey } from "../../../platform/storage/keys.ts";
import { MEDIA_FAILED, NO_SOUND } from "../../assets/asset-error.ts";
import { type AssetRecord, findAsset, findReadyRenditions } from "../../assets/repository.ts";
import { isCaptionsJob, trackJobId } from "../../encoding/job-spec.ts";
import { heardSound } from "../../tracks/store/heard-sound.ts";
import { type AddedTrack, audioRenditionOf, speechRenditionOf } from "../../tracks/store/repository.ts";
import { storeCaptions } from "../../tracks/store/store-captions.ts";
import type { CaptionOrder, GeneratedFacts } from "../../tracks/store/tables.ts";
import type { AssetComponents } from "../core/components.ts";
import type { PendingTrack } from "../core/track-store.ts";
import { askProvider } from "./ask-provider.ts";
import { assembleCaptions } from "./assemble-captions.ts";
import { endTrack, leave } from "./preparation.ts";

/** The machine of a media in processing comes back when it is ready; this is the net under that. */
const WAIT_MS = 30_000;
/** The same while the media waits for its file. */
const UPLOAD_WAIT_MS = 10 * 60_000;
/** Pieces that are heard at the same time, if there are encoders for them. */
const PIECES_AT_ONCE = 4;
/** Pieces of the encoder's own model, which makes fewer errors in long ones. */
const OWN_PIECES = { least: 300_000, most: 600_000 };

/** The next step of a generated subtitle track: its sound is cut into pieces once the media is ready; when all are heard, their words become captions. */
export async function generateCaptions(machine: AssetComponents, track: PendingTrack): Promise<void> {
  if (track.step === "hearing") return await askProvider(machine, track);
  if (track.pieces !== undefined) return await assembleCaptions(machine, track, track.pieces);
  const { id, assetId } = track;
  const { clock, env, tracks } = machine;
  const record = await findAsset(openDatabase(env.DB), null, assetId);
  const rows = await findReadyRenditions(env.DB, assetId);
  if (record?.asset.status === "waiting") return tracks.change(id, { dueMs: clock() + UPLOAD_WAIT_MS });
  if (record === null || rows === "processing") return tracks.change(id, { dueMs: clock() + WAIT_MS });
  if (record.asset.status === "errored") return endTrack(machine, id, MEDIA_FAILED);
  const given = track.generated?.unlessGiven === true ? givenCaptions(machine, track, record) : null;
  if (given === "expected") return tracks.change(id, { dueMs: clock() + WAIT_MS });
  if (given !== null) return await takeCaptions(machine, track, given);
  const wanted = track.generated?.sound ?? null;
  const isComing = record.addedTracks.some(
    ({ id: added, kind, status }) => kind === "audio" && status === "preparing" && audioRenditionOf(added) === wanted,
  );
  if (isComing) return tracks.change(id, { dueMs: clock() + WAIT_MS });
  const sound = heardSound(rows, wanted);
  if (sound === undefined) return endTrack(machine, id, NO_SOUND);
  const { least, most } = speechProviderOf(env)?.pieceMs ?? OWN_PIECES;
  const durationMs = record.asset.durationMs ?? 0;
  const pieceMs = Math.min(most * 0.8, Math.max(least, durationMs / PIECES_AT_ONCE));
  const { publicUrl, workspaceId } = record.asset;
  const generated = track.generated && (await withVocabulary(machine, workspaceId, track.generated));
  machine.commit(() => {
    if (tracks.get(id)?.step !== "fetching") return;
    tracks.change(id, { step: "encoding", publicUrl, workspaceId, generated });
    const spec = { kind: "speech", rendition: speechRenditionOf(id), sound: sound.name, pieceMs } as const;
    machine.trackJobs.add(trackJobId(assetId, id, "speech"), { ...spec, maxPieceMs: Math.max(most, pieceMs) });
  });
}

/** The workspace's names and terms come behind those of the request. */
async function withVocabulary(
  { env }: AssetComponents,
  workspaceId: string,
  order: CaptionOrder,
): Promise<CaptionOrder> {
  const { vocabulary } = await settingsOf(openDatabase(env.DB), workspaceId);
  return { ...order, prompt: [order.prompt, promptOf(vocabulary)].filter((text) => text !== "").join(", ") };
}

/** Captions in the language that the source has, or that came with the media. "expected" = they are being prepared. */
function givenCaptions(
  { trackJobs }: AssetComponents,
  { id, languageCode }: PendingTrack,
  { addedTracks }: AssetRecord,
): AddedTrack | "expected" | null {
  if (trackJobs.all().some((job) => isCaptionsJob(job.id))) return "expected";
  const same = addedTracks.filter(
    (one) =>
      one.kind === "subtitle" &&
      one.id !== id &&
      (one.generated === null || one.status === "available") &&
      !one.isForced &&
      spokenCodeOf(one.languageCode) === spokenCodeOf(languageCode),
  );
  if (same.some(({ status }) => status === "preparing")) return "expected";
  return same.find(({ status }) => status === "available") ?? null;
}

/** The captions that the media has are the result: nothing is heard again. */
async function takeCaptions(machine: AssetComponents, track: PendingTrack, given: AddedTrack): Promise<void> {
  const { id, assetId } = track;
  const { env, tracks } = machine;
  const stored = await env.MEDIA.get(captionsKey(assetId, given.id, "whole.vtt", given.captions?.folder));
  if (stored === null) return tracks.change(id, { dueMs: machine.clock() + WAIT_MS });
  const { cues } = parseWebVtt(await stored.text());
  const facts = await storeCaptions(env, { assetId, trackId: id }, { cues, skipped: 0 });
  if (tracks.get(id)?.step !== "fetching") return; // deleted meanwhile: its removal deletes the objects
  const generated: GeneratedFacts = {
    engine: "source",
    model: "",
    languageCode: spokenCodeOf(given.languageCode),
    pieces: 0,
    soundSeconds: 0,
    units: { unit: "second", quantity: 0 },
    costUsd: 0,
    tookMs: 0,
    takenFrom: given.id,
  };
  machine.commit(() => {
    leave(machine, track);
    const end = { status: "available", captions: { ...facts, generated } } as const;
    machine.outbox.enqueue({ kind: "trackEnded", payload: { id, end } });
  });
}
