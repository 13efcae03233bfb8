/** Every error of this package. The message is for people; it contains no credentials. */
export class SluiceError extends Error {
  override readonly name: string = "SluiceError";
}

/** An invalid field of a request, by its path: `inputs[0].url`. The message completes a sentence that begins with the field. */
export interface FieldError {
  field: string;
  message: string;
}

interface ErrorBody {
  error?: {
    code?: number;
    message?: string;
    description?: string;
    fields?: FieldError[];
    hints?: FieldError[];
  };
}

/** The API has refused a request. */
export class ApiError extends SluiceError {
  override readonly name = "ApiError";
  /** HTTP status. */
  readonly status: number;
  /** `error.code` of the answer; the API sends the HTTP status there. */
  readonly code: number;
  /** The invalid fields, each with what would be right. Empty unless the status is 422. */
  readonly fields: readonly FieldError[];
  /** Seconds from `Retry-After`; null when the answer has none. */
  readonly retryAfterSeconds: number | null;
  /** Identifies the request in the logs of the platform; empty when the answer has none. */
  readonly requestId: string;

  constructor(
    message: string,
    facts: Pick<ApiError, "status" | "code" | "fields" | "retryAfterSeconds" | "requestId">,
  ) {
    super(message);
    this.status = facts.status;
    this.code = facts.code;
    this.fields = facts.fields;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.requestId = facts.requestId;
  }
}

/** The platform did not answer, or its connection broke, also after repetitions. `cause` is the last failure. */
export class ConnectionError extends SluiceError {
  override readonly name = "ConnectionError";
}

/** Reads an answer that is not a success. Answers of proxies in front of the platform need not be JSON. */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => "");
  const { error } = parse(text);
  const fields = error?.hints ?? error?.fields ?? [];
  const retryAfter = headers.get("retry-after") ?? "";
  return new ApiError(inWords(status, error, fields), {
    status,
    code: error?.code ?? status,
    fields: fields.map(({ field, message }) => ({ field, message })),
    retryAfterSeconds: /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : null,
    requestId: headers.get("x-request-id") ?? "",
  });
}

function parse(text: string): ErrorBody {
  try {
    const body = JSON.parse(text) as ErrorBody | null;
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    return {};
  }
}

function inWords(status: number, error: ErrorBody["error"], fields: readonly FieldError[]): string {
  if (error?.message === undefined) return `the platform answered with status ${status}`;
  const invalid = fields.map(({ field, message }) => `${field} ${message}`).join("; ");
  const detail = invalid === "" ? (error.description ?? "") : invalid;
  return detail === "" || detail === error.message ? error.message : `${error.message}: ${detail}`;
}
