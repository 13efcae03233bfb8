import type { JobFailureCode } from "../../protocol/jobs.ts";
import type { SourceErrorCode } from "../library/sources/index.ts";

/** Codes of assets whose failure is neither the source's server's nor a job's. */
type OtherCode = "recording_empty" | "clip_empty" | "clip_source_gone" | "storage_full";
type ServiceCode = "encoder_crashed" | "encoder_failed" | "encoder_shutdown" | "speech_no_model";
type Explained = SourceErrorCode | Exclude<JobFailureCode, ServiceCode> | OtherCode;

/** Why a media cannot be played, for its viewers. Codes that are not listed are failures of the service (docs/guides/errors.md). */
const REASONS: Record<Explained, string> = {
  source_forbidden: "The address of the file is not allowed.",
  source_unresolvable: "The server of the file was not found: its host name has no address.",
  source_unreachable: "The server of the file cannot be reached.",
  source_tls_failed: "The server of the file has no valid certificate.",
  source_timed_out: "The server of the file took too long to respond.",
  source_not_found: "The file was not found at its address.",
  source_denied: "The server refused access to the file.",
  source_unavailable: "The server of the file is temporarily unavailable.",
  source_bad_status: "The server of the file gave an unexpected response.",
  source_too_many_redirects: "The address of the file redirects too many times.",
  source_interrupted: "The connection to the server of the file was interrupted.",
  source_length_mismatch: "The file changed while it was copied.",
  source_too_large: "The file is too large.",
  source_empty: "The file is empty.",
  source_not_media: "The file is not a video or audio file.",
  source_no_streams: "Nothing in the file can be decoded.",
  source_encrypted: "The file is encrypted.",
  source_too_long: "The video is longer than 12 hours.",
  source_too_large_picture: "The picture of the video is too large.",
  source_exceeds_limits: "The file exceeds the limits of time or memory for its processing.",
  watermark_unusable: "The watermark of the video cannot be used.",
  source_damaged: "The file is damaged.",
  recording_empty: "The broadcast ended before any of it could be recorded.",
  storage_full: "There was no room for the file.",
  clip_empty: "The video has nothing between the times of this clip.",
  clip_source_gone: "The video was deleted before this clip of it was made.",
};

const isExplained = (code: string): code is Explained => Object.hasOwn(REASONS, code);

/** The words for a code of the error catalogue, about a failure or about a retry. */
export const reasonOf = (code: string): string =>
  isExplained(code) ? REASONS[code] : "Something went wrong while this video was processed.";
