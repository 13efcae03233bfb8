import { CaptionsError, MAX_CAPTION_BYTES } from "../../../media/captions/cue.ts";
import { readCaptions } from "../../../media/captions/read-captions.ts";
import { log } from "../../../platform/log.ts";
import { fetchSource } from "../../sources/safe-fetch.ts";
import { SourceError } from "../../sources/source-errors.ts";
import { storeCaptions } from "../../tracks/store/store-captions.ts";
import type { AssetComponents } from "../core/components.ts";
import { leave } from "./preparation.ts";
import type { PendingTrack } from "../core/track-store.ts";

/** Fetches the file of a subtitle track, reads it and stores its captions: one step, because a file has at most 10 MiB. */
export async function prepareSubtitles(machine: AssetComponents, track: PendingTrack): Promise<void> {
  const { id, assetId, url, languageCode } = track;
  const startedAt = machine.clock();
  const captions = readCaptions(await fetchWhole(machine, url ?? ""), languageCode);
  const facts = await storeCaptions(machine.env, { assetId, trackId: id }, captions);
  if (machine.tracks.get(id)?.step !== "fetching") return; // deleted meanwhile: its removal deletes the objects
  machine.commit(() => {
    leave(machine, track);
    const end = { status: "available", captions: facts } as const;
    machine.outbox.enqueue({ kind: "trackEnded", payload: { id, end } });
  });
  log("track.prepared", { assetId, trackId: id, ...facts, tookMs: machine.clock() - startedAt });
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
