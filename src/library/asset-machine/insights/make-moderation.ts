import {
  askPictures,
  askSpeech,
  combine,
  type Finding,
  findingsOfJudged,
  findWords,
  MODERATION_HALVES,
  type ModerationResult,
  picturesOn,
  readPictures,
  readSpeech,
  sheetsOf,
} from "../../../ai/moderation/index.ts";
import { listenerOf, visionProviderOf } from "../../../ai/providers/index.ts";
import type { TextStep } from "../../../ai/text/index.ts";
import { log } from "../../../platform/log.ts";
import { renditionKey } from "../../../platform/storage/keys.ts";
import { toBase64 } from "../../../../protocol/base64.ts";
import {
  AI_NOT_CONFIGURED,
  type AssetError,
  LANGUAGE_WITHOUT_WORDS,
  NO_PICTURE,
  NO_TRANSCRIPT,
} from "../../assets/asset-error.ts";
import type { AssetRecord } from "../../assets/repository.ts";
import { moderationOrderOf } from "../../insights/store/moderation-order.ts";
import type { AssetComponents } from "../core/components.ts";
import type { PendingInsight } from "../core/insight-store.ts";
import { askAll, keptAnswers } from "./ask-all.ts";
import { findTranscript } from "./find-transcript.ts";
import { loseHalf } from "./lose-half.ts";
import { picturesOf, planPictures } from "./pictures-job.ts";
import { readTranscript } from "./read-transcript.ts";
import { endInsight, failInsight } from "./take-insight.ts";

/** The end of a job or of a track wakes a request; this is the net under that. */
const WAIT_MS = 30_000;
const SHEETS_KEY = "moderation sheets";
const PARTS_KEY = "moderation parts";
/** The share of the pictures in the progress of both halves. */
const PICTURES_PERCENT = 80;

/** One half of the result: who has judged what. */
interface Judged<Who> {
  findings: Finding[];
  who: Who;
}
type OfPictures = Judged<NonNullable<ModerationResult["pictures"]>>;
type OfSpeech = Judged<NonNullable<ModerationResult["speech"]>>;

/** `later`: the request has failed, or its next step follows. `none`: there is nothing to judge. */
type Half<Of> = Of | "later" | "none";

/** The next step of the scores of a ready media. */
export async function makeModeration(
  machine: AssetComponents,
  insight: PendingInsight,
  record: AssetRecord,
): Promise<void> {
  const { type, threshold } = moderationOrderOf(insight);
  const pictures = type === "audio" ? "none" : await judgePictures(machine, insight, record);
  if (pictures === "later") return;
  if (type === "video" && pictures === "none") return failInsight(machine, insight, NO_PICTURE);
  const speech = type === "video" ? "none" : await judgeSpeech(machine, insight, record, type === "av");
  if (speech === "later") return;
  const made = machine.insights.get("moderation");
  if (made?.requestId !== insight.requestId) return; // deleted, or asked for again
  const { lost = {} } = made;
  if (pictures === "none" && speech === "none")
    return failInsight(machine, insight, lost.pictures ?? lost.speech ?? NO_TRANSCRIPT);
  const halves = [pictures, speech].filter((half) => half !== "none");
  const result: ModerationResult = {
    ...combine(
      halves.flatMap(({ findings }) => findings),
      threshold,
    ),
    ...(pictures === "none" ? {} : { pictures: pictures.who }),
    ...(speech === "none" ? {} : { speech: speech.who }),
    ...(Object.keys(lost).length === 0 ? {} : { notJudged: notJudged(lost) }),
  };
  const unique = (texts: (string | undefined)[]) => [...new Set(texts.filter(Boolean))].join(", ");
  const madeBy = {
    engine: unique(halves.map(({ who }) => who.engine)),
    model: unique(halves.map(({ who }) => who.model)),
    trackId: speech === "none" ? "" : speech.who.trackId,
    costUsd: made.costMicroUsd / 1e6,
    tookMs: Math.round(made.tookMs),
  };
  endInsight(machine, made, { status: "available", result, madeBy });
  log("insight.made", { assetId: made.assetId, kind: "moderation", isFlagged: result.isFlagged, ...madeBy });
}

const notJudged = (lost: NonNullable<PendingInsight["lost"]>) =>
  MODERATION_HALVES.flatMap((half) => {
    const error = lost[half];
    return error === undefined ? [] : [{ half, code: error.code, message: error.message }];
  });

async function judgePictures(
  machine: AssetComponents,
  insight: PendingInsight,
  { asset }: AssetRecord,
): Promise<Half<OfPictures>> {
  const { clock, env, insights } = machine;
  if (insight.pictures === undefined)
    await planPictures(machine, insight, asset, visionProviderOf(env) === null ? "scores" : "sheets");
  const known = insights.get("moderation");
  if (known?.requestId !== insight.requestId) return "later";
  const { pictures } = known;
  if (pictures === null || pictures?.count === 0) return "none";
  const count = pictures?.count ?? null;
  if (pictures === undefined || count === null) {
    insights.change(insight, { dueMs: clock() + WAIT_MS });
    return "later";
  }
  const taken = picturesOf(machine, insight);
  if (pictures.judge !== null) return { findings: findingsOfJudged(taken), who: { ...named(pictures.judge), count } };
  const provider = visionProviderOf(env);
  // The provider is gone, or the encoder has no classifier.
  const fail = (error: AssetError) => loseHalf(machine, insight, "pictures", error);
  if (provider === null) {
    fail(AI_NOT_CONFIGURED);
    return "later";
  }
  const sheets = sheetsOf(taken);
  const step = async (n: number): Promise<TextStep> => {
    const times = picturesOn(taken, n);
    const stored = await env.MEDIA.get(renditionKey(insight.assetId, pictures.rendition, `${n}.jpg`));
    if (stored === null) throw new Error(`sheet ${n} is gone`);
    const image = `data:image/jpeg;base64,${toBase64(new Uint8Array(await stored.arrayBuffer()))}`;
    return { request: askPictures(times.length, image), read: (value) => readPictures(value, times) };
  };
  const percent = insight.order.type === "av" ? ([0, PICTURES_PERCENT] as const) : ([0, 99] as const);
  if (!(await askAll(machine, insight, { key: SHEETS_KEY, count: sheets, step, provider, percent, fail })))
    return "later";
  const { answers, model } = keptAnswers<Finding[]>(machine, SHEETS_KEY);
  return { findings: answers.flat(), who: { ...named({ engine: provider.engine, model }), count } };
}

const named = ({ engine, model }: { engine: string; model: string }) => ({
  engine,
  ...(model === "" ? {} : { model }),
});

/** @param isOptional a media without a transcript has no such half */
async function judgeSpeech(
  machine: AssetComponents,
  insight: PendingInsight,
  record: AssetRecord,
  isOptional: boolean,
): Promise<Half<OfSpeech>> {
  const { clock, env, insights } = machine;
  if (insight.lost?.speech !== undefined) return "none";
  const fail = (error: AssetError) => loseHalf(machine, insight, "speech", error);
  const wait = () => {
    insights.change(insight, { dueMs: clock() + WAIT_MS });
    return "later" as const;
  };
  const without = (error: AssetError) => {
    if (isOptional && error.fault === "source") return "none" as const; // nothing is said
    fail(error);
    return "later" as const;
  };
  const track = findTranscript(record);
  if (track === "expected") return wait();
  if ("code" in track) return without(track);
  const provider = listenerOf(env);
  const found = await readTranscript(machine, track, record.asset.durationMs, provider?.partCharacters ?? null);
  if (found === null) return wait();
  const { source, read } = found;
  const { trackId } = read;
  if (insight.read?.trackId !== trackId || insight.read.version !== read.version) insights.forget(PARTS_KEY);
  insights.change(insight, { read });
  if (source.sentences.length === 0) return without(NO_TRANSCRIPT);
  if (provider === null) {
    const findings = findWords(source.sentences, track.languageCode);
    if (findings === null) return without(LANGUAGE_WITHOUT_WORDS);
    return { findings, who: { engine: "built-in", trackId } };
  }
  const { parts } = source;
  const step = async (n: number): Promise<TextStep> => {
    const part = parts[n]!;
    return { request: askSpeech(part), read: (value) => readSpeech(value, part) };
  };
  const percent = [isOptional ? PICTURES_PERCENT : 0, 99] as const;
  const questions = { key: PARTS_KEY, count: parts.length, step, provider, percent, fail };
  if (!(await askAll(machine, insight, questions))) return "later";
  const { answers, model } = keptAnswers<Finding[]>(machine, PARTS_KEY);
  return { findings: answers.flat(), who: { ...named({ engine: provider.engine, model }), trackId } };
}
