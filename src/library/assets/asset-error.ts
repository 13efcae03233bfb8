import { JOB_FAILURE_CODES, type JobFailure } from "../../../protocol/jobs.ts";
import { PROVIDER_ERRORS, type ProviderError } from "../../ai/providers/index.ts";
import type { CaptionsError } from "../../media/captions/cue.ts";
import type { SourceError } from "../sources/source-errors.ts";

/** Why an asset is errored, as shown in its record: code, message for people, and whether the source or the service is at fault. */
export interface AssetError {
  code: string;
  message: string;
  fault: "source" | "service";
}

export const fromSourceError = ({ code, message }: SourceError): AssetError => ofSource(code, message);

export const fromCaptionsError = ({ code, message }: CaptionsError): AssetError => ofSource(code, message);

export const fromJobFailure = ({ code, message }: JobFailure): AssetError => ({
  code,
  message,
  fault: JOB_FAILURE_CODES[code],
});

export const fromProviderError = ({ code }: ProviderError): AssetError =>
  ofService(code, PROVIDER_ERRORS[code].message);

const ofSource = (code: string, message: string): AssetError => ({ code, message, fault: "source" });
const ofService = (code: string, message: string): AssetError => ({ code, message, fault: "service" });

/** The files of a montage do not give a media. */
export const notJoined = ({ problem, isTooLong }: { problem: string; isTooLong: boolean }): AssetError =>
  ofSource(isTooLong ? "source_too_long" : "source_damaged", problem);

export const ENCODER_LOST = ofService("encoder_lost", "The encoder did not finish this media in three attempts.");
export const CHUNKS_INCONSISTENT = ofService(
  "encoding_inconsistent",
  "The encoded parts of this media do not fit together.",
);
export const STUCK = ofService("internal", "Processing this media failed on our side, again and again.");
export const STEP_DIED = ofService("processing_died", "Processing this source ended our process three times in a row.");
export const NO_SOUND = ofSource("source_no_streams", "The file has no sound that can be decoded.");
export const NO_SPEECH = ofSource("no_speech", "Nothing is spoken in this sound.");
export const NO_TRANSCRIPT = ofSource("no_transcript", "The media has no subtitles, and nothing is spoken in it.");
export const NO_PICTURE = ofSource("no_picture", "The media has no picture that could be judged.");
export const LANGUAGE_WITHOUT_WORDS = ofService(
  "ai_language_unknown",
  "The built-in engine has no list of words in this language: set AI_BASE_URL, or bind Workers AI.",
);
export const AI_LANGUAGE_UNKNOWN = ofService(
  "ai_language_unknown",
  "The built-in engine finds names in English texts only: set AI_BASE_URL, or bind Workers AI.",
);
export const AI_BUDGET_SPENT = ofService("ai_budget_spent", "The workspace's AI budget of this month is spent.");
export const AI_NOT_CONFIGURED = ofService("ai_not_configured", "No AI provider is configured any more.");
export const MEDIA_FAILED = ofSource("media_failed", "The media to which the track was added could not be processed.");
export const NOTHING_DECODED = ofSource("source_no_streams", "Nothing in the source could be decoded.");
export const STORAGE_FULL = ofSource(
  "storage_full",
  "The workspace has no room for this file. Delete media, or have MAX_WORKSPACE_BYTES raised.",
);
export const CLIP_SOURCE_GONE = ofSource(
  "clip_source_gone",
  "What the clip was to be cut from was deleted before it was cut.",
);
export const CLIP_EMPTY = ofSource(
  "clip_empty",
  "The media has no picture and no sound between the times of the clip.",
);
export const RECORDING_EMPTY = ofSource(
  "recording_empty",
  "The broadcast ended before anything of it could be recorded.",
);
