import type { SpeechPiece } from "../../../../protocol/speech.ts";
import { isHeardWrong } from "../../../ai/captions/index.ts";
import {
  costOf,
  ProviderError,
  type SpeechProvider,
  speechProviderOf,
  type SpeechSound,
} from "../../../ai/providers/index.ts";
import { budgetMicroUsd, type Call, isCovered, releaseCall, reserveCall } from "../../../ai/usage/index.ts";
import { openDatabase } from "../../../platform/database.ts";
import { log, logWarning } from "../../../platform/log.ts";
import { renditionKey } from "../../../platform/storage/keys.ts";
import {
  AI_BUDGET_SPENT,
  AI_NOT_CONFIGURED,
  type AssetError,
  fromProviderError,
  STUCK,
} from "../../assets/asset-error.ts";
import { speechRenditionOf } from "../../tracks/store/repository.ts";
import type { AssetComponents } from "../core/components.ts";
import type { OpenPiece } from "../core/heard-store.ts";
import type { PendingTrack } from "../core/track-store.ts";
import { keepPiece, toSpoken } from "./hear-pieces.ts";
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
/** An answer that is none, or in which a model repeats itself, is asked for once more. */
const MAX_UNUSABLE = 2;

/** Asks the provider for the pieces that are due, four at the same time. After the last piece, the track takes its next step. */
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
  const work = async () => {
    for (let piece = due.shift(); piece !== undefined; piece = due.shift()) {
      if (isOver() || clock() >= untilMs) return;
      const error = await hearPiece(machine, track, provider, piece);
      if (error !== null) return endTrack(machine, id, error);
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
  if (isOver()) return;
  const pending = heard.pending(id);
  const next = Math.min(...pending.map(({ dueMs }) => dueMs));
  if (pending.length > 0) tracks.change(id, { dueMs: Math.max(next, clock()) });
  else tracks.change(id, { step: "fetching", dueMs: clock() });
}

/** Pieces that could not all be paid are not begun. */
async function isAffordable(
  { clock, env }: AssetComponents,
  { pieces = [], workspaceId = "" }: PendingTrack,
  provider: SpeechProvider,
  open: readonly OpenPiece[],
): Promise<boolean> {
  const costMicroUsd = open.reduce((sum, { piece }) => sum + costOf(provider, pieces[piece]?.durationMs ?? 0), 0);
  return await isCovered(openDatabase(env.DB), env, { workspaceId, costMicroUsd }, new Date(clock()));
}

/** @returns why the track cannot be made; null = the piece is heard, or will be asked for again */
async function hearPiece(
  machine: AssetComponents,
  track: PendingTrack,
  provider: SpeechProvider,
  open: OpenPiece,
): Promise<AssetError | null> {
  const { clock, env, heard } = machine;
  const { id, assetId, pieces = [], generated, workspaceId = "" } = track;
  const { durationMs } = pieces[open.piece] as SpeechPiece;
  const sound = await storedSound(env, renditionKey(assetId, speechRenditionOf(id), `${open.piece}.flac`));
  if (sound === null) return STUCK;
  const db = openDatabase(env.DB);
  const now = new Date(clock());
  const costMicroUsd = costOf(provider, durationMs);
  const call: Call = {
    workspaceId,
    kind: "captions",
    engine: provider.engine,
    units: durationMs / 1000,
    costMicroUsd,
  };
  if (!(await reserveCall(db, call, budgetMicroUsd(env), now))) return AI_BUDGET_SPENT;
  const tried = { ...open, tries: open.tries + 1 };
  heard.note(id, tried);
  const startedMs = clock();
  const { languageCode = null, prompt = "" } = generated ?? {};
  try {
    const request = { sound, durationMs, languageCode, prompt, isRepeat: open.unusable > 0 };
    const answer = await provider.hear(request, AbortSignal.timeout(CALL_MS));
    const isLast = tried.unusable + 1 >= MAX_UNUSABLE;
    const tookMs = clock() - startedMs;
    if (isHeardWrong(answer.words) && !isLast) {
      log("captions.piece_repeats", { assetId, trackId: id, piece: open.piece, engine: provider.engine });
      heard.note(id, { ...tried, unusable: tried.unusable + 1 });
      return null;
    }
    const { engine, model } = provider;
    const words = answer.words.map(toSpoken);
    const found = { words, languageCode: answer.languageCode, engine, model, tookMs, costMicroUsd };
    machine.commit(() => keepPiece(machine, id, open.piece, found));
    const heardLanguage = answer.languageCode;
    log("captions.piece_heard", { assetId, trackId: id, piece: open.piece, engine, tookMs });
    if (languageCode !== null && heardLanguage !== null && heardLanguage !== languageCode)
      logWarning("captions.other_language", { assetId, trackId: id, piece: open.piece, languageCode, heardLanguage });
    return null;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (!error.isPaid) await releaseCall(db, call, now);
    return askAgain(machine, track, tried, error);
  }
}

async function storedSound({ MEDIA }: AssetComponents["env"], key: string): Promise<SpeechSound | null> {
  const stored = await MEDIA.head(key);
  if (stored === null) return null;
  const open = async () => {
    const object = await MEDIA.get(key);
    if (object === null) throw new Error("a piece of speech is gone");
    return object.body;
  };
  return { bytes: stored.size, open };
}

/** @returns why it is not asked again; null = it is */
function askAgain(
  { clock, env, heard }: AssetComponents,
  { id, assetId }: PendingTrack,
  tried: OpenPiece,
  error: ProviderError,
): AssetError | null {
  const { code, retryAfterMs, status } = error;
  const unusable = tried.unusable + (code === "ai_answer_unusable" ? 1 : 0);
  const canSucceed = code === "ai_answer_unusable" ? unusable < MAX_UNUSABLE : error.isRetryable;
  // What may have cost something without a result is asked for three times.
  const tries = tried.tries + (error.isPaid ? MAX_TRIES / 4 : 0);
  const isAsked = canSucceed && tries < MAX_TRIES;
  const scale = Number(env.SOURCE_RETRY_SCALE ?? "") || 1;
  const delayMs = Math.min(
    LONGEST_DELAY_MS,
    Math.max(retryAfterMs ?? 0, FIRST_DELAY_MS * 2 ** (tried.tries - 1) * scale),
  );
  const facts = { assetId, trackId: id, piece: tried.piece, code, status, tries: tried.tries };
  logWarning("captions.provider_failed", { ...facts, ...(isAsked ? { delayMs } : {}) });
  if (!isAsked) return fromProviderError(error);
  heard.note(id, { ...tried, tries, unusable, dueMs: clock() + delayMs });
  return null;
}
