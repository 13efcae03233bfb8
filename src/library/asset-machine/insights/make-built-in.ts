import { BUILT_IN, type TextKind, type TextSource } from "../../../ai/text/index.ts";
import { AI_LANGUAGE_UNKNOWN } from "../../assets/asset-error.ts";
import { log } from "../../../platform/log.ts";
import type { AssetRecord } from "../../assets/repository.ts";
import type { AddedTrack } from "../../tracks/store/repository.ts";
import type { AssetComponents } from "../core/components.ts";
import type { PendingInsight } from "../core/insight-store.ts";
import { findCuts } from "./scene-cuts.ts";
import { endInsight, failInsight } from "./take-insight.ts";

/** A shorter media has one chapter, whatever it shows. */
const SHORTEST_CUT_MS = 20_000;

/** Makes a result without a model. Chapters wait until an encoder has found the scenes; the rest is one step. */
export async function makeBuiltIn(
  machine: AssetComponents,
  insight: PendingInsight & { kind: TextKind },
  record: AssetRecord,
  { sentences, durationMs }: TextSource,
  { id: trackId, languageCode }: Pick<AddedTrack, "id" | "languageCode">,
): Promise<void> {
  const { assetId, kind, order } = insight;
  // Its lexicon of names is English.
  if (kind === "namedEntities" && !/^(?:en|und)(?:-|$)/i.test(languageCode))
    return failInsight(machine, insight, AI_LANGUAGE_UNKNOWN);
  const needsCuts = kind === "chapters" && durationMs >= SHORTEST_CUT_MS && sentences.length > 1;
  const cutsMs = needsCuts ? await findCuts(machine, insight, record) : [];
  if (cutsMs === "later") return;
  const startedMs = machine.clock();
  const result = await BUILT_IN[kind](sentences, order, durationMs, cutsMs);
  const tookMs = machine.clock() - startedMs;
  const madeBy = { engine: "built-in", model: "", trackId, costUsd: 0, tookMs };
  endInsight(machine, insight, { status: "available", result, madeBy });
  log("insight.made", { assetId, kind, ...madeBy });
}
