import { isHeardWrong } from "../../../ai/captions/index.ts";
import { costOf, ProviderError, type SpeechProvider, speechProviderOf } from "../../../ai/providers/index.ts";
import { budgetMicroUsd, type Call, isCovered, releaseCall, reserveCall } from "../../../ai/usage/index.ts";
import { openDatabase } from "../../../platform/database.ts";
import { log, logWarning } from "../../../platform/log.ts";
import {
  AI_BUDGET_SPENT,
  AI_NOT_CONFIGURED,
  type AssetError,
  fromProviderError,
  STUCK,
} from "../../assets/asset-error.ts";
import type { AssetComponents } from "../core/components.ts";
import type { OpenPart } from "../core/heard-store.ts";
import type { PendingTrack } from "../core/track-store.ts";
import { halvePart, soundOf } from "./halve-part.ts";
import { keepPart, toSpoken } from "./hear-pieces.ts";
import { endTrack } from "./preparation.ts";

const CALLS_AT_ONCE = 4;
/** A step starts calls for this long; other timers of the media wait for it. */
const STEP_MS = 60_000;
/** A provider has this long for a piece of five minutes. */
const CALL_MS = 180_000;
/** With the delays below, ten minutes in which a provider may be unreachable. */
const MAX_TRIES = 8;
const FIRST_DELAY_MS = 5000;
const LONGEST_DELAY_MS = 10 * 60_000;
/** Sound whose answer is none, or in which a model repeats itself, is asked for once more, in halves. */
const MAX_UNUSABLE = 2;
/** Halves of such a sound are not shorter: a sentence is said in less. */
const LEAST_HALF_MS = 2000;
/** A provider for which this is too large is asked for nothing shorter. */
const LEAST_SMALLER_MS = 10_000;

/** Asks the provider for the parts that are due, four at the same time. After the last one, the track takes its next step. */
export async function askProvider(machine: AssetComponents, track: PendingTrack): Promise<void> {
  const { clock, env, heard, tracks } = machine;
  const { id } = track;
  const provider = speechProviderOf(env);
  if (provider === null) return endTrack(machine, id, AI_NOT_CONFIGURED);
  const open = heard.pending(id);
  if (!(await isAffordable(machine, track, provider, open))) return endTrack(machine, id, AI_BUDGET_SPENT);
  const untilMs = clock() + STEP_MS;
  const due = open.filter(({ dueMs }) => dueMs <= clock());
  const isOver = () => tracks.get(id)?.step !== "hearing"; // deleted, or failed
  const failures: AssetError[] = [];
  const work = async () => {
    for (let part = due.shift(); part !== undefined; part = due.shift()) {
      if (isOver() || failures.length > 0 || clock() >= untilMs) return;
      const error = await hearPart(machine, track, provider, part);
      if (error !== null) failures.push(error);
    }
  };
  // An error of one does not leave the others at work while the step is repeated: they would be paid again.
  const ends = await Promise.allSettled(Array.from({ length: CALLS_AT_ONCE }, work));
  const broken = ends.find((end) => end.status === "rejected");
  if (broken !== undefined) throw broken.reason;
  const [failure] = failures;
  if (failure !== undefined) return endTrack(machine, id, failure); // what the others have heard meanwhile is stored
  if (isOver()) return;
  const pending = heard.pending(id);
  const next = Math.min(...pending.map(({ dueMs }) => dueMs));
  if (pending.length > 0) tracks.change(id, { dueMs: Math.max(next, clock()) });
  else tracks.change(id, { step: "fetching", dueMs: clock() });
}

/** Parts that could not all be paid are not begun. */
async function isAffordable(
  { clock, env }: AssetComponents,
  track: PendingTrack,
  provider: SpeechProvider,
  open: readonly OpenPart[],
): Promise<boolean> {
  const { workspaceId = "" } = track;
  const costMicroUsd = open.reduce((sum, part) => sum + costOf(provider, lengthOf(track, part)), 0);
  return await isCovered(openDatabase(env.DB), env, { workspaceId, costMicroUsd }, new Date(clock()));
}

const lengthOf = ({ pieces = [] }: PendingTrack, { piece, fromMs, toMs }: OpenPart): number =>
  (toMs ?? pieces[piece]!.durationMs) - fromMs;

/** @returns why the track cannot be made; null = the part is heard, or will be asked for again */
async function hearPart(
  machine: AssetComponents,
  track: PendingTrack,
  provider: SpeechProvider,
  open: OpenPart,
): Promise<AssetError | null> {
  const { clock, env, heard } = machine;
  const { id, assetId, generated, workspaceId = "" } = track;
  if (open.tries >= MAX_TRIES) return STUCK; // each was paid, and what was heard could not be stored
  const sound = await soundOf(machine, track, open);
  if (sound === null) return STUCK;
  const durationMs = lengthOf(track, open);
  const db = openDatabase(env.DB);
  const now = new Date(clock());
  const { engine, model } = provider;
  const costMicroUsd = costOf(provider, durationMs);
  const call: Call = { workspaceId, kind: "captions", engine, units: durationMs / 1000, costMicroUsd };
  if (!(await reserveCall(db, call, budgetMicroUsd(env), now))) return AI_BUDGET_SPENT;
  const unpaid = { ...open, tries: open.tries + 1 };
  const paid = { ...unpaid, paidMs: open.paidMs + durationMs, costMicroUsd: open.costMicroUsd + costMicroUsd };
  heard.note(id, paid);
  const startedMs = clock();
  const { languageCode = null, prompt = "" } = generated ?? {};
  try {
    const request = { sound, durationMs, languageCode, prompt, isRepeat: open.unusable > 0 };
    const answer = await provider.hear(request, AbortSignal.timeout(CALL_MS));
    const isLast = open.unusable + 1 >= MAX_UNUSABLE;
    const tookMs = clock() - startedMs;
    if (isHeardWrong(answer.words) && !isLast) {
      log("captions.piece_repeats", { assetId, trackId: id, piece: open.piece, engine });
      await askAtOtherCut(machine, track, { ...paid, unusable: open.unusable + 1 });
      return null;
    }
    const words = answer.words.map((word) =>
      toSpoken({ ...word, startMs: open.fromMs + word.startMs, endMs: open.fromMs + word.endMs }),
    );
    const { languageCode: heardLanguage, version } = answer;
    const { paidMs, costMicroUsd: spent } = paid;
    const found = { words, languageCode: heardLanguage, engine, model, version, tookMs, paidMs, costMicroUsd: spent };
    machine.commit(() => keepPart(machine, id, open, found));
    log("captions.piece_heard", { assetId, trackId: id, piece: open.piece, fromMs: open.fromMs, engine, tookMs });
    if (languageCode !== null && heardLanguage !== null && heardLanguage !== languageCode)
      logWarning("captions.other_language", { assetId, trackId: id, piece: open.piece, languageCode, heardLanguage });
    return null;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (!error.isPaid) await releaseCall(db, call, now);
    return await askAgain(machine, track, error.isPaid ? paid : unpaid, error);
  }
}

/** A model that has gone wrong in a sound hears it in two halves; one that is too short for that, once more as it is. */
async function askAtOtherCut(machine: AssetComponents, track: PendingTrack, part: OpenPart): Promise<void> {
  if (!(await halvePart(machine, track, part, LEAST_HALF_MS))) machine.heard.note(track.id, part);
}

/** @returns why it is not asked again; null = it is */
async function askAgain(
  machine: AssetComponents,
  track: PendingTrack,
  part: OpenPart,
  error: ProviderError,
): Promise<AssetError | null> {
  const { clock, env, heard } = machine;
  const { code, retryAfterMs, status } = error;
  const isUnusable = code === "ai_answer_unusable";
  const unusable = part.unusable + (isUnusable ? 1 : 0);
  const canSucceed = isUnusable ? unusable < MAX_UNUSABLE : error.isRetryable;
  // What may have cost something without a result is asked for three times.
  const tries = part.tries + (error.isPaid ? MAX_TRIES / 4 : 0);
  const isAsked = canSucceed && tries < MAX_TRIES;
  const scale = Number(env.SOURCE_RETRY_SCALE ?? "") || 1;
  const delayMs = Math.min(
    LONGEST_DELAY_MS,
    Math.max(retryAfterMs ?? 0, FIRST_DELAY_MS * 2 ** (part.tries - 1) * scale),
  );
  const facts = { assetId: track.assetId, trackId: track.id, piece: part.piece, code, status, tries: part.tries };
  logWarning("captions.provider_failed", { ...facts, ...(isAsked ? { delayMs } : {}) });
  if (code === "ai_piece_too_large" && (await halvePart(machine, track, part, LEAST_SMALLER_MS))) return null;
  if (!isAsked) return fromProviderError(error);
  const next = { ...part, tries, unusable, dueMs: clock() + delayMs };
  if (isUnusable) await askAtOtherCut(machine, track, next);
  else heard.note(track.id, next);
  return null;
}
