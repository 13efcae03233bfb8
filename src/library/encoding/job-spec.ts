import { captionsRendition } from "../../../protocol/captions.ts";
import type { ClipRange } from "../../../protocol/jobs.ts";
import type { SourceSubtitles } from "../../../protocol/source-facts.ts";
import { MAX_JUDGED_PICTURES, PICTURES_PER_SHEET, type PicturesPurpose } from "../../../protocol/pictures.ts";
import { MAX_SPEECH_PIECES } from "../../../protocol/speech.ts";
import type { MontagePlan } from "./plan-montage.ts";
import type { EncodingPlan } from "./plan.ts";

/** A job as the machine stores it, without the properties of an attempt (token, callback address). */
export type JobSpec =
  /** `file`: a further file of a montage; absent = the source. */
  | { kind: "probe"; file?: number }
  | { kind: "video"; chunk: number }
  | { kind: "audio"; track: number }
  /** `isLate`: those of the picture, which have been found while it was encoded. `file` as that of a probe. */
  | { kind: "captions"; streams: SourceSubtitles[]; isLate?: true; file?: number }
  /** Of a generated track: the rendition of that name is made ready for a speech model, as pieces of `rendition`. */
  | { kind: "speech"; rendition: string; sound: string; pieceMs: number; maxPieceMs: number }
  | { kind: "transcribe"; rendition: string; piece: number; languageCode: string | null; prompt: string }
  /** For moderation and chapters: pictures of the rendition `video` become sheets of `rendition`, or scores, or the times of scenes. */
  | { kind: "pictures"; rendition: string; video: string; purpose: PicturesPurpose };

/** `{assetId}.probe`, `{assetId}.probe.1` for a further file of a montage, `{assetId}.video.3`, `{assetId}.audio.0`, `{assetId}.captions`, `{assetId}.1.captions`, `{assetId}.late.captions`: the id contains its asset's id. */
export function jobId(assetId: string, spec: JobSpec): string {
  if (spec.kind === "captions")
    return `${assetId}.${spec.isLate === true ? "late." : ""}${spec.file === undefined ? "" : `${spec.file}.`}captions`;
  if (spec.kind === "probe") return `${assetId}.probe${spec.file === undefined ? "" : `.${spec.file}`}`;
  if (spec.kind === "pictures") throw new Error("a pictures job is that of a result of AI");
  if (spec.kind === "speech" || spec.kind === "transcribe") throw new Error(`a ${spec.kind} job is that of a track`);
  return spec.kind === "video" ? `${assetId}.video.${spec.chunk}` : `${assetId}.audio.${spec.track}`;
}

/** `{assetId}.track.{trackId}.probe` and `.audio`: the jobs of an added audio track; `.speech` and `.transcribe-{piece}`: those of a generated one. "" = what all of them begin with. */
export const trackJobId = (
  assetId: string,
  trackId: string,
  kind: "" | "probe" | "audio" | "speech" | `transcribe-${number}`,
) => `${assetId}.track.${trackId}.${kind}`;

/** `{assetId}.pictures.{requestId}`: beside the jobs of added tracks, too. */
export const picturesJobId = (assetId: string, requestId: string) => `${assetId}.pictures.${requestId}`;

/** The request of a result of AI that a job looks through pictures for; null = it is another job. */
export const requestOfJob = (id: string): string | null => /\.pictures\.([0-9a-f-]{36})$/.exec(id)?.[1] ?? null;

/** Reads the subtitles of the source. Its job is beside those of the added tracks, because the asset is ready without it. */
export const isCaptionsJob = (id: string): boolean => id.endsWith(".captions");

/** The added track of a job; null = the job is of the source. */
export const trackOfJob = (id: string): string | null => /\.track\.([0-9a-f-]{36})\./.exec(id)?.[1] ?? null;

/** In dispatch order. The first chunk and the audio come first, because a source without passthrough plays from these. */
export function jobsOf(plan: EncodingPlan): JobSpec[] {
  const chunks: JobSpec[] = (plan.video?.chunks ?? []).map((_, chunk) => ({ kind: "video", chunk }));
  const audio: JobSpec[] = plan.audio.map((_, track) => ({ kind: "audio", track }));
  return [...chunks.slice(0, 1), ...audio, ...chunks.slice(1)];
}

/** The attempt-independent part of a `Job` on the wire; the dispatcher adds token, lease and callback address. */
export function jobBody(spec: JobSpec, plan: EncodingPlan | undefined, clip: ClipRange) {
  if (spec.kind === "probe") return { kind: "probe", clip, ...fileOf(spec) } as const;
  if (spec.kind === "captions") return { kind: "captions", clip, streams: spec.streams, ...fileOf(spec) } as const;
  if (spec.kind === "speech") {
    const { kind, rendition, pieceMs, maxPieceMs } = spec;
    return { kind, clip, rendition, pieceMs, maxPieceMs } as const;
  }
  if (spec.kind === "transcribe") {
    const { kind, languageCode, prompt } = spec;
    return { kind, clip, languageCode, prompt } as const;
  }
  if (spec.kind === "pictures") {
    const { kind, rendition, purpose } = spec;
    return { kind, clip, rendition, purpose } as const;
  }
  if (plan === undefined) throw new Error("an encoding job without a plan");
  if (spec.kind === "audio") {
    const planned = plan.audio[spec.track];
    if (planned === undefined) throw new Error(`no audio track ${spec.track} in the plan`);
    return {
      kind: "audio",
      clip,
      ...planned,
      segmentSeconds: plan.audioSegmentSeconds,
      durationMs: plan.durationMs,
      ...soundMontage(plan.montage, spec.track),
    } as const;
  }
  const chunk = plan.video?.chunks[spec.chunk];
  if (plan.video === null || chunk === undefined) throw new Error(`no chunk ${spec.chunk} in the plan`);
  return {
    kind: "video",
    clip,
    video: plan.video.source,
    holdsLastPicture: plan.video.holdsLastPicture,
    grid: plan.video.grid,
    rungs: plan.video.rungs,
    ...chunk,
    ...pictureMontage(plan.montage),
    ...(plan.watermark === undefined ? {} : { watermark: plan.watermark }),
  } as const;
}

const fileOf = ({ file }: { file?: number }) => (file === undefined ? {} : { file });

const pictureMontage = (montage: MontagePlan | undefined) =>
  montage === undefined || montage.picture === null ? {} : { montage: montage.picture };

const soundMontage = (montage: MontagePlan | undefined, track: number) =>
  montage === undefined ? {} : { montage: { sounds: montage.sounds[track] ?? [], takes: montage.soundTakes } };

const MAX_SHEETS = Math.ceil(MAX_JUDGED_PICTURES / PICTURES_PER_SHEET);

/** The renditions a job may write, and the range of their segment numbers: from (inclusive), to (exclusive). */
export function jobScope(
  spec: JobSpec,
  plan: EncodingPlan | undefined,
): { renditions: string[]; segments: [number, number] } {
  if (spec.kind === "captions")
    return {
      renditions: spec.streams.map((stream) => captionsRendition({ ...stream, file: spec.file })),
      segments: [0, 0],
    };
  if (spec.kind === "speech") return { renditions: [spec.rendition], segments: [0, MAX_SPEECH_PIECES] };
  if (spec.kind === "pictures")
    return { renditions: [spec.rendition], segments: [0, spec.purpose === "sheets" ? MAX_SHEETS : 0] };
  if (spec.kind === "probe" || spec.kind === "transcribe" || plan === undefined)
    return { renditions: [], segments: [0, 0] };
  if (spec.kind === "audio") return { renditions: [plan.audio[spec.track]?.rendition ?? ""], segments: [0, 1_000_000] };
  const video = plan.video;
  const chunk = video?.chunks[spec.chunk];
  if (!video || !chunk) return { renditions: [], segments: [0, 0] };
  const count = Math.ceil(chunk.frameCount / video.grid.framesPerSegment);
  return {
    renditions: video.rungs.map((rung) => rung.name),
    segments: [chunk.firstSegment, chunk.firstSegment + count],
  };
}
