import { CaptionsError, MAX_CAPTION_BYTES } from "../../../media/captions/cue.ts";
import { readCaptions } from "../../../media/captions/read-captions.ts";
import { moveCues, type PlacedTake, placeTakes } from "../../../media/edits/move-cues.ts";
import { log } from "../../../platform/log.ts";
import { fetchSource } from "../../sources/safe-fetch.ts";
import { SourceError } from "../../sources/source-errors.ts";
import { storeCaptions } from "../../tracks/store/store-captions.ts";
import type { AssetComponents } from "../core/components.ts";
import { MEDIA_FAILED } from "../../assets/asset-error.ts";
import { endTrack, leave } from "./preparation.ts";
import type { PendingTrack } from "../core/track-store.ts";

/** The plan wakes subtitles that wait for it; this is the net under that. */
const WAIT_MS = 60_000;

/** Fetches the file of a subtitle track, reads it and stores its captions: one step, because a file has at most 10 MiB. */
export async function prepareSubtitles(machine: AssetComponents, track: PendingTrack): Promise<void> {
  const { id, assetId, url, languageCode } = track;
  const startedAt = machine.clock();
  if (track.followsEdit && machine.state.status === "errored") return endTrack(machine, id, MEDIA_FAILED);
  const takes = track.followsEdit ? placedTakes(machine) : "whole";
  if (takes === "not planned") return machine.tracks.change(id, { dueMs: startedAt + WAIT_MS });
  const read = readCaptions(await fetchWhole(machine, url ?? ""), languageCode);
  const captions = takes === "whole" ? read : { ...read, cues: moveCues(read.cues, 0, takes) };
  if (captions.cues.length === 0) throw new CaptionsError("captions_empty");
  const facts = await storeCaptions(machine.env, { assetId, trackId: id }, captions);
  if (machine.tracks.get(id)?.step !== "fetching") return; // deleted meanwhile: its removal deletes the objects
  machine.commit(() => {
    leave(machine, track);
    const end = { status: "available", captions: facts } as const;
    machine.outbox.enqueue({ kind: "trackEnded", payload: { id, end } });
  });
  log("track.prepared", { assetId, trackId: id, ...facts, tookMs: machine.clock() - startedAt });
}

/** What the media shows of its source. The duration of one range is not needed: captions behind its end are never shown. */
function placedTakes({ documents }: AssetComponents): PlacedTake[] | "not planned" {
  const [asset, plan] = [documents.get("asset"), documents.get("plan")];
  if (asset === undefined || plan === undefined) return "not planned";
  if (plan.montage !== undefined) return placeTakes(plan.montage.soundTakes);
  const { clipStartMs: startMs, clipEndMs } = asset;
  return [{ file: 0, startMs, endMs: clipEndMs ?? Infinity, atMs: 0 }];
}

/** @throws {SourceError}, {CaptionsError} captions_too_large */
async function fetchWhole({ env }: AssetComponents, url: string): Promise<Uint8Array> {
  const { body } = await fetchSource(env, url);
  try {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (let piece = await body.read(); piece !== null; piece = await body.read()) {
      size += piece.byteLength;
      if (size > MAX_CAPTION_BYTES) throw new CaptionsError("captions_too_large");
      chunks.push(piece.slice());
    }
    if (size === 0) throw new SourceError("source_empty");
    const whole = new Uint8Array(size);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.byteLength;
    }
    return whole;
  } finally {
    await body.cancel();
  }
}
