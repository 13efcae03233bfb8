/** Messages between the service and a process that makes pictures. Bodies travel by its stdin and stdout. */
import type { ErrorFields } from "../../protocol/error-fields.ts";
import type { ImageRequest } from "../../protocol/images.ts";
import type { JobFailureCode } from "../../protocol/jobs.ts";

/** `bodyBytes` bytes follow on stdin. */
export interface MakeMessage {
  type: "make";
  request: ImageRequest;
  bodyBytes: number;
}
export interface ImageFailure {
  code: JobFailureCode;
  message: string;
  /** An exception, for the log alone. */
  unexpected?: ErrorFields;
}
export type ImageChildMessage =
  | { type: "ready" } // libav is loaded
  /** `bytes` bytes follow on stdout. */
  | { type: "made"; contentType: string; bytes: number }
  | ({ type: "failed" } & ImageFailure);
