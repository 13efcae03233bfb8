import { type AssetError, CHUNKS_INCONSISTENT, NOTHING_DECODED } from "../assets/asset-error.ts";
import { erroredFacts, readyFacts } from "../assets/asset-facts.ts";
import { languageTag } from "../../media/languages.ts";
import type { LevelledSound } from "../../media/types.ts";
import type { JobRow } from "../encoding/job-store.ts";
import type { EncodingPlan } from "../encoding/plan.ts";
import type { RenditionRow } from "../encoding/assemble.ts";
import type { AssetComponents } from "./core/components.ts";
import { assembled } from "./show-progress.ts";
import { wakeInsights } from "./insights/take-insight.ts";
import { wakeTracks } from "./tracks/preparation.ts";
import { logFailed } from "./core/log-failed.ts";

/** Audio tracks read the outcome from D1, so the outbox goes first. */
const AFTER_OUTBOX_MS = 500;

/** Every job is done: the ladder is whole and the asset ready, in one commit. */
export function finishAsset(machine: AssetComponents): void {
  const { documents } = machine;
  const plan = documents.get("plan");
  if (plan === undefined) throw new Error("finished without a plan");
  const rows = assembled(machine, plan);
  if (rows === null) return failAsset(machine, CHUNKS_INCONSISTENT);
  const skipTopRung = documents.get("skipTopRung") === true;
  if (rows.length === 0 && !skipTopRung) return failAsset(machine, NOTHING_DECODED);
  endReady(machine, rows, skipTopRung, levelledSounds(plan, machine.jobs.all()));
}

/** What the audio jobs have measured; null = they were to level nothing. */
function levelledSounds(plan: EncodingPlan, jobs: JobRow[]): LevelledSound[] | null {
  const levelled = jobs.flatMap(({ spec, result }) => {
    if (spec.kind !== "audio" || result?.kind !== "audio" || result.loudness === undefined) return [];
    const { source, gainDb, result: after } = result.loudness;
    const rounded = (value: number) => Math.round(value * 10) / 10;
    return [
      {
        languageCode: languageTag(plan.audio[spec.track]?.audio.languageCode ?? "und"),
        integratedLufs: rounded(source.integratedLufs),
        truePeakDb: rounded(source.truePeakDb),
        loudnessRangeLu: rounded(source.rangeLu),
        gainDb: rounded(gainDb),
        resultLufs: rounded(after.integratedLufs),
        resultTruePeakDb: rounded(after.truePeakDb),
      },
    ];
  });
  return levelled.length === 0 ? null : levelled;
}

/** The move to `ready`, with the last rows. @param skipTopRung the source stays listed as the top rung */
export function endReady(
  machine: AssetComponents,
  rows: RenditionRow[],
  skipTopRung: boolean,
  loudness: LevelledSound[] | null = null,
): void {
  const { outbox, state, timers } = machine;
  state.move("finish", (event) => {
    machine.enqueueRenditions(rows);
    if (skipTopRung) outbox.enqueue({ kind: "keepPassthrough", payload: {} });
    machine.enterStage("done", {
      ...readyFacts(rows, skipTopRung),
      ...(loudness === null ? {} : { loudness }),
    });
    machine.enqueueEvent(event);
  });
  timers.cancel("work");
  wakeTracks(machine, machine.clock() + AFTER_OUTBOX_MS);
  wakeInsights(machine, machine.clock() + AFTER_OUTBOX_MS);
  timers.bringForward("outbox", machine.clock());
  timers.schedule("images", machine.clock());
}

export function failAsset(machine: AssetComponents, error: AssetError): void {
  logFailed("asset.failed", { assetId: machine.id }, error);
  machine.state.move("fail", (event) => {
    machine.enqueueFacts(erroredFacts(error));
    machine.enqueueEvent(event);
  });
  const nowMs = machine.clock();
  machine.timers.cancel("work");
  machine.timers.bringForward("outbox", nowMs);
  machine.timers.schedule("cleanup", nowMs);
  wakeTracks(machine, nowMs + AFTER_OUTBOX_MS);
  wakeInsights(machine, nowMs + AFTER_OUTBOX_MS);
}
