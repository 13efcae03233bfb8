import { corsHeaders } from "../transfer/cors.ts";
import { failureAnswer } from "../transfer/answers.ts";
import { Problem } from "../../../platform/http/problems.ts";
import { CHECKSUMS, TUS_EXTENSIONS, TUS_VERSION } from "./headers.ts";

/** Methods of an upload URL: PUT and POST are of the REST API's protocol, the others of tus. */
const UPLOAD_METHODS = "HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/** A refusal of the protocol. Its status is not among those of the API. */
export class TusRefusal extends Error {
  override readonly name = "TusRefusal";
  readonly status: number;
  constructor(status: 409 | 412 | 415 | 460, message: string) {
    super(message);
    this.status = status;
  }
}

/** The headers that every answer has. */
export const tusHeaders = (corsOrigin: string): Record<string, string> => ({
  ...corsHeaders(corsOrigin),
  "Tus-Resumable": TUS_VERSION,
  "Cache-Control": "no-store",
});

/** What this server offers. @param maxBytes of a file */
export const offerHeaders = (maxBytes: number): Record<string, string> => ({
  "Tus-Resumable": TUS_VERSION,
  "Tus-Version": TUS_VERSION,
  "Tus-Extension": TUS_EXTENSIONS,
  "Tus-Max-Size": String(maxBytes),
  "Tus-Checksum-Algorithm": Object.keys(CHECKSUMS).join(","),
});

/** An error that scripts of the upload's origin can read. */
export function tusFailure(error: unknown, context: { corsOrigin: string; requestId: string }): Response {
  if (error instanceof TusRefusal) {
    const headers = {
      ...tusHeaders(context.corsOrigin),
      ...(error.status === 412 ? { "Tus-Version": TUS_VERSION } : {}),
    };
    return new Response(`${error.message}\n`, { status: error.status, headers });
  }
  const response = failureAnswer(error, context);
  if (error instanceof Problem && error.code === "method_not_allowed") response.headers.set("Allow", UPLOAD_METHODS);
  response.headers.set("Tus-Resumable", TUS_VERSION);
  return response;
}
