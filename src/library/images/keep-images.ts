import { setPictureBytes } from "../assets/repository.ts";
import { openDatabase } from "../../platform/database.ts";
import { log } from "../../platform/log.ts";
import { imageKey } from "../../platform/storage/keys.ts";
import { type ImageMakerComponents, SPENT_MS } from "./components.ts";
import type { KeptImage } from "./kept-images.ts";

/** What the pictures of an asset take is written to the database at most this often, because strangers ask for them. */
const REPORT_EVERY_MS = 600_000;

/** Call when a picture has been stored. */
export function noteStored({ kept, timers, clock }: ImageMakerComponents, image: KeptImage): void {
  const nowMs = clock();
  kept.add(image, nowMs);
  timers.bringForward("report", nowMs + REPORT_EVERY_MS);
  timers.bringForward("sweep", kept.isBeyondBounds ? nowMs : (kept.nextExpiryMs ?? nowMs + SPENT_MS));
}

/** Writes what the asset's pictures take: it counts as storage of the workspace. */
export async function reportKept({ env, kept, assetId }: ImageMakerComponents): Promise<void> {
  if (assetId === null) return;
  await setPictureBytes(openDatabase(env.DB), assetId, kept.bytes);
}

/** Deletes pictures that are due, and schedules the next run. @returns whether nothing is left that the maker must keep */
export async function sweepImages(machine: ImageMakerComponents): Promise<boolean> {
  const { env, kept, made, timers, clock, assetId } = machine;
  const due = kept.due(clock());
  if (assetId !== null && due.length > 0) {
    await env.MEDIA.delete(due.map((name) => imageKey(assetId, name)));
    kept.drop(due);
    log("image.deleted", { assetId, images: due.length });
    timers.bringForward("report", clock() + REPORT_EVERY_MS);
  }
  const isBusy = timers.isScheduled("report") || timers.isScheduled("prepare");
  if (due.length > 0) timers.schedule("sweep", clock() + 1);
  else if (kept.nextExpiryMs !== null) timers.schedule("sweep", kept.nextExpiryMs);
  else if (made.lastMs + SPENT_MS > clock()) timers.schedule("sweep", made.lastMs + SPENT_MS);
  else if (isBusy) timers.schedule("sweep", clock() + SPENT_MS);
  else return kept.isEmpty;
  return false;
}
