import { textProviderOf } from "../../../ai/providers/index.ts";
import { askTranslation, inTwoLines, plainLine, readTranslation, translationParts } from "../../../ai/text/index.ts";
import { parseWebVtt } from "../../../media/captions/webvtt.ts";
import { plainText } from "../../../media/captions/markup.ts";
import { escapeText } from "../../../../protocol/media/captions/cue.ts";
import { languageName } from "../../../media/languages.ts";
import { openDatabase } from "../../../platform/database.ts";
import { log, logWarning } from "../../../platform/log.ts";
import { captionsKey } from "../../../platform/storage/keys.ts";
import { AI_NOT_CONFIGURED, NO_TRANSCRIPT } from "../../assets/asset-error.ts";
import { findAsset } from "../../assets/repository.ts";
import { storeCaptions } from "../../tracks/store/store-captions.ts";
import { currentOf } from "../../tracks/store/versions.ts";
import type { AssetComponents } from "../core/components.ts";
import type { PendingTrack } from "../core/track-store.ts";
import { askQuestion } from "../insights/question.ts";
import { endTrack, leave, translationKey } from "./preparation.ts";

const WAIT_MS = 30_000;
/** A step asks for this long; other timers of the media wait for it. */
const STEP_MS = 60_000;
const UNTRIED = { tries: 0, unusable: 0 };
const UNSPENT = { costMicroUsd: 0, tookMs: 0, model: "" };

/** The next step of a track that is the translation of another one: part after part, of which each answer is stored. Times stay, cue by cue. */
export async function translateCaptions(machine: AssetComponents, track: PendingTrack): Promise<void> {
  const { clock, env, insights, outbox, tracks } = machine;
  const { id, assetId, languageCode, generated } = track;
  const provider = textProviderOf(env);
  if (provider === null) return endTrack(machine, id, AI_NOT_CONFIGURED);
  const record = await findAsset(openDatabase(env.DB), null, assetId);
  const source = record?.addedTracks.find((one) => one.id === generated?.translatedFrom);
  if (source?.status === "preparing") return tracks.change(id, { dueMs: clock() + WAIT_MS });
  if (record === null || source?.status !== "available") return endTrack(machine, id, NO_TRANSCRIPT);
  const { version, folder } = currentOf(source);
  const stored = await env.MEDIA.get(captionsKey(assetId, source.id, "whole.vtt", folder));
  if (stored === null) return tracks.change(id, { dueMs: clock() + WAIT_MS }); // it was replaced meanwhile
  const cues = parseWebVtt(await stored.text())
    .sorted()
    .map((cue) => ({ ...cue, text: plainLine(plainText(cue.text)) }))
    .filter(({ text }) => text !== "");
  const parts = translationParts(cues.map(({ text }) => text));
  if (parts.length === 0) return endTrack(machine, id, NO_TRANSCRIPT);
  const key = translationKey(id);
  if (track.translatedVersion !== version) insights.forget(key);
  tracks.change(id, { translatedVersion: version });
  const untilMs = clock() + STEP_MS;
  for (let answers = insights.answers(key); answers.length < parts.length; answers = insights.answers(key)) {
    const known = tracks.get(id);
    if (known?.step !== "fetching") return; // deleted
    if (clock() >= untilMs) return tracks.change(id, { dueMs: clock() });
    const part = parts[answers.length]!;
    const step = {
      request: askTranslation(part, languageName(languageCode)),
      read: (value: unknown) => readTranslation(value, part.length),
    };
    const { tried = UNTRIED, spent = UNSPENT } = known;
    const call = { workspaceId: record.asset.workspaceId, kind: "translation", tried } as const;
    const outcome = await askQuestion(machine, call, provider, step);
    const now = { costMicroUsd: spent.costMicroUsd + outcome.costMicroUsd, tookMs: spent.tookMs + outcome.tookMs };
    if (outcome.kind === "failed") return endTrack(machine, id, outcome.error);
    if (outcome.kind === "again") {
      logWarning("captions.provider_failed", { assetId, trackId: id, code: outcome.code, delayMs: outcome.delayMs });
      const dueMs = clock() + outcome.delayMs;
      return tracks.change(id, { tried: outcome.tried, spent: { ...spent, ...now }, dueMs });
    }
    machine.commit(() => {
      if (tracks.get(id)?.step !== "fetching") return;
      insights.keep(key, answers.length, outcome.answer);
      tracks.change(id, { tried: UNTRIED, spent: { ...now, model: outcome.model } });
      const percent = Math.floor((99 * (answers.length + 1)) / parts.length);
      outbox.enqueue({ kind: "trackProgress", payload: { id, percent } });
    });
  }
  const lines = (insights.answers(key) as string[][]).flat();
  const translated = cues.map((cue, n) => ({ ...cue, text: escapeText(inTwoLines(lines[n] ?? cue.text)) }));
  const facts = await storeCaptions(env, { assetId, trackId: id }, { cues: translated, skipped: 0 });
  const made = tracks.get(id);
  if (made?.step !== "fetching") return; // deleted meanwhile: its removal deletes the objects
  const { costMicroUsd, tookMs, model } = made.spent ?? UNSPENT;
  const result = {
    engine: provider.engine,
    model,
    languageCode,
    pieces: parts.length,
    soundSeconds: 0,
    costUsd: costMicroUsd / 1e6,
    tookMs,
  };
  machine.commit(() => {
    leave(machine, track);
    const end = { status: "available", captions: { ...facts, generated: result } } as const;
    outbox.enqueue({ kind: "trackEnded", payload: { id, end } });
  });
  log("captions.translated", { assetId, trackId: id, cues: cues.length, ...result });
}
