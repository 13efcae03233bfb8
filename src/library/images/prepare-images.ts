import { PLAIN_FIT } from "../../media/images/sizes.ts";
import { planPoster } from "../../media/images/poster-plan.ts";
import { planSheet } from "../../media/images/sheet-plan.ts";
import { presentationOf } from "../../media/manifest/model.ts";
import { errorFields, log, logWarning } from "../../platform/log.ts";
import { findReadyRenditions } from "../assets/repository.ts";
import type { ImageOrder } from "./image-calls.ts";
import { choosePoster, makeImage } from "./make-image.ts";
import { sheetOrder, stillOrder } from "./orders.ts";
import { type ImageMakerComponents, PREPARE } from "./components.ts";

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 300_000;
/** About an hour of retries. What is then missing is made by the first request for it. */
const MAX_TRIES = 20;

/** Asks for the pictures of a ready asset. Repeatable; they are made after the answer. */
export function prepareSoon({ ctx, timers, clock }: ImageMakerComponents, assetId: string): void {
  ctx.storage.kv.put(PREPARE, { assetId, tries: 0 });
  timers.schedule("prepare", clock());
}

/** Prepares what is due, and schedules the next try if something is missing. */
export async function prepareDue(machine: ImageMakerComponents): Promise<void> {
  const { ctx, timers, clock } = machine;
  const due = ctx.storage.kv.get<{ assetId: string; tries: number }>(PREPARE);
  if (due === undefined) return;
  const { assetId, tries } = due;
  const isDone = await prepare(machine, assetId).catch((error: unknown) => {
    logWarning("image.not_prepared", { assetId, tries, ...errorFields(error) });
    return false;
  });
  if (isDone || tries + 1 >= MAX_TRIES) return void ctx.storage.kv.delete(PREPARE);
  ctx.storage.kv.put(PREPARE, { assetId, tries: tries + 1 });
  timers.schedule("prepare", clock() + Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** tries));
}

/** The sheet, the poster, and the poster's pictures at the default size. @returns false when some of it has to be tried again */
async function prepare(machine: ImageMakerComponents, assetId: string): Promise<boolean> {
  const renditions = await findReadyRenditions(machine.env.DB, assetId);
  if (renditions === "processing") return false;
  const facts = {
    status: "ready" as const,
    createdAtMs: 0,
    videoTrackCount: 0,
    audioTrackCount: 0,
    renditions,
    textTracks: [],
  };
  const rungs = presentationOf(facts)?.videoSets.flat() ?? [];
  const [sheet, poster] = [planSheet(rungs), planPoster(rungs)];
  if (sheet === null || poster === null) return true; // no picture, or deleted
  const startedAtMs = machine.clock();
  const own = { assetId, workspaceId: null, playbackId: null };
  const isSheetMade = await isMade(machine, sheetOrder(own, sheet));
  const seconds = await choosePoster(machine, assetId, poster);
  if (!isSheetMade || seconds === null) return false;
  for (const format of ["jpg", "png"] as const) {
    const still = stillOrder(own, rungs, { seconds, fit: PLAIN_FIT, format });
    if (still !== null && !(await isMade(machine, still))) return false;
  }
  log("image.prepared", { assetId, posterSeconds: seconds, tookMs: machine.clock() - startedAtMs });
  return true;
}

/** Media that cannot be decoded does not get better. */
const isMade = async (machine: ImageMakerComponents, order: ImageOrder) =>
  (await makeImage(machine, order)).kind !== "unavailable";
