import type { SpeechPiece } from "../../../../protocol/speech.ts";
import { layOutCues, placeWords, type Word, withoutLoops, withoutMarkers } from "../../../ai/captions/index.ts";
import { languageName } from "../../../media/languages.ts";
import { openDatabase } from "../../../platform/database.ts";
import { log } from "../../../platform/log.ts";
import { NO_SPEECH } from "../../assets/asset-error.ts";
import { findAsset } from "../../assets/repository.ts";
import { storeCaptions, storeWords } from "../../tracks/store/store-captions.ts";
import type { GeneratedFacts } from "../../tracks/store/tables.ts";
import type { AssetComponents } from "../core/components.ts";
import type { HeardPart } from "../core/heard-store.ts";
import type { PendingTrack } from "../core/track-store.ts";
import { toWord } from "./hear-pieces.ts";
import { endTrack, leave } from "./preparation.ts";

/** All pieces are heard: their words, at their places in the media, become captions. */
export async function assembleCaptions(
  machine: AssetComponents,
  track: PendingTrack,
  pieces: readonly SpeechPiece[],
): Promise<void> {
  const { id, assetId } = track;
  const { env } = machine;
  const record = await findAsset(openDatabase(env.DB), null, assetId);
  const durationMs = record?.asset.durationMs ?? Infinity;
  const words: Word[] = [];
  const summary = new Summary();
  for (const { piece, parts } of machine.heard.heard(id)) {
    const placed = wordsOf(parts, pieces[piece]!);
    summary.add(parts, pieces[piece]!, placed.length);
    for (const word of placed) if (word.startMs < durationMs) words.push(word);
  }
  const cues = layOutCues(words, durationMs);
  if (cues.length === 0) return endTrack(machine, id, NO_SPEECH);
  const facts = await storeCaptions(env, { assetId, trackId: id }, { cues, skipped: 0 });
  await storeWords(env, { assetId, trackId: id }, words);
  if (machine.tracks.get(id)?.step !== "fetching") return; // deleted meanwhile: its removal deletes the objects
  const { generated } = summary;
  machine.commit(() => {
    leave(machine, track);
    const spoken = track.languageCode === "und" ? generated.languageCode : null;
    const end = {
      status: "available",
      captions: { ...facts, generated },
      ...(spoken === null ? {} : { languageCode: spoken }),
      ...(spoken !== null && track.generated?.isNamedByLanguage === true ? { languageName: languageName(spoken) } : {}),
    } as const;
    machine.outbox.enqueue({ kind: "trackEnded", payload: { id, end } });
  });
  log("captions.generated", { assetId, trackId: id, words: words.length, ...generated });
}

function wordsOf(parts: readonly HeardPart[], { spans }: SpeechPiece): Word[] {
  const words = parts.flatMap((part) => part.words);
  const places = spans.map(([atMs, mediaMs, durationMs]) => ({ atMs, mediaMs, durationMs }));
  return placeWords(withoutLoops(withoutMarkers(words.map(toWord))), places);
}

/** What has made the captions, and at what cost. */
class Summary {
  #pieces = 0;
  #soundMs = 0;
  #tookMs = 0;
  #costMicroUsd = 0;
  #paidMs = 0;
  #by: Pick<HeardPart, "engine" | "model" | "version"> = { engine: "", model: "", version: null };
  /** Words by language. */
  readonly #languages = new Map<string, number>();

  add(parts: readonly HeardPart[], piece: SpeechPiece, wordCount: number): void {
    this.#pieces += 1;
    this.#soundMs += piece.durationMs;
    for (const { engine, model, version, languageCode, tookMs, paidMs, costMicroUsd } of parts) {
      this.#paidMs += paidMs;
      this.#tookMs += tookMs;
      this.#costMicroUsd += costMicroUsd;
      this.#by = { engine, model, version };
      if (languageCode === null) continue;
      const share = wordCount / parts.length;
      this.#languages.set(languageCode, (this.#languages.get(languageCode) ?? 0) + share);
    }
  }

  get generated(): GeneratedFacts {
    const [spoken] = [...this.#languages].toSorted(([, a], [, b]) => b - a);
    const { version, ...by } = this.#by;
    return {
      ...by,
      ...(version === null ? {} : { version }),
      languageCode: spoken?.[0] ?? null,
      pieces: this.#pieces,
      soundSeconds: Math.round(this.#soundMs) / 1000,
      units: { unit: "second", quantity: Math.round(this.#paidMs) / 1000 },
      costUsd: this.#costMicroUsd / 1e6,
      tookMs: Math.round(this.#tookMs),
    };
  }
}
