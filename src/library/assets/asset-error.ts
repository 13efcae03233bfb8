import { JOB_FAILURE_CODES, type JobFailure } from "../../../protocol/jobs.ts";
import type { SourceError } from "../sources/source-errors.ts";

/** Why an asset is errored, as its record shows it: whose fault, and words for a person. */
export interface AssetError {
  code: string;
  message: string;
  fault: "source" | "service";
}

export const fromSourceError = (error: SourceError): AssetError => ({
  code: error.code,
  message: error.message,
  fault: "source",
});

export const fromJobFailure = ({ code, message }: JobFailure): AssetError => ({
  code,
  message,
  fault: JOB_FAILURE_CODES[code],
});

export const ENCODER_LOST: AssetError = {
  code: "encoder_lost",
  message: "The encoder did not finish this asset in three attempts.",
  fault: "service",
};

export const SEAM_BROKEN: AssetError = {
  code: "encoding_inconsistent",
  message: "The encoded parts of this asset do not fit together.",
  fault: "service",
};

export const STUCK: AssetError = {
  code: "internal",
  message: "Processing this asset failed on our side, again and again.",
  fault: "service",
};

export const STEP_DIED: AssetError = {
  code: "processing_died",
  message: "Processing this source ended our process three times in a row.",
  fault: "service",
};

export const NOTHING_DECODED: AssetError = {
  code: "source_no_streams",
  message: "Nothing in the source could be decoded.",
  fault: "source",
};

export const CLIP_SOURCE_GONE: AssetError = {
  code: "clip_source_gone",
  message: "What the clip was to be cut from was deleted before it was cut.",
  fault: "source",
};

export const RECORDING_EMPTY: AssetError = {
  code: "recording_empty",
  message: "The broadcast ended before anything of it could be recorded.",
  fault: "source",
};
