import type { ContentfulStatusCode } from "hono/utils/http-status";

interface ProblemKind {
  status: ContentfulStatusCode;
  message: string;
  /** `Retry-After` of a problem that names no time of its own. */
  retryAfterSeconds?: number;
}

/**
 * The closed catalogue of API errors: status and the contract's message (contract/rest.md §1). The API returns no other errors.
 */
export const PROBLEMS = {
  /** A playback request for an asset that is not playable yet; players look for the word "ready". */
  not_ready: { status: 400, message: "media is not ready", retryAfterSeconds: 1 },
  stream_not_active: { status: 400, message: "stream cannot be completed" },
  stream_disabled: { status: 400, message: "stream already disabled" },
  stream_enabled: { status: 400, message: "stream is already enabled" },
  stream_not_idle: { status: 400, message: "Bad Request" },
  webhook_limit_reached: { status: 400, message: "webhook limit reached" },
  /** Invalid delivery directives of a live playlist request (RFC 8216bis §6.2.5.2). */
  bad_directives: { status: 400, message: "Bad Request" },
  unauthorized: { status: 401, message: "unauthorized" },
  forbidden: { status: 403, message: "forbidden" },
  media_not_found: { status: 404, message: "media workspace relation not found" },
  playback_not_found: { status: 404, message: "Media/PlaybackId not Found" },
  stream_not_found: { status: 404, message: "stream not found" },
  stream_playback_not_found: { status: 404, message: "stream/playbackId not found" },
  simulcast_not_found: { status: 404, message: "stream/simulcast not found" },
  webhook_not_found: { status: 404, message: "webhook not found" },
  event_not_found: { status: 404, message: "event not found" },
  not_found: { status: 404, message: "not found" },
  method_not_allowed: { status: 405, message: "method not allowed" },
  idempotency_conflict: { status: 409, message: "idempotency key was used with another body" },
  stream_busy: { status: 409, message: "another broadcaster is on air" },
  object_announced: { status: 409, message: "object has been announced" },
  secret_rotated_recently: { status: 409, message: "secret was rotated recently" },
  job_gone: { status: 410, message: "job is cancelled" },
  /** A live stream whose broadcast has ended without a recording; the next broadcast plays at the same URL. */
  broadcast_over: { status: 410, message: "broadcast is over" },
  session_over: { status: 410, message: "session is over" },
  body_too_large: { status: 413, message: "request body is too large" },
  range_not_satisfiable: { status: 416, message: "range not satisfiable" },
  validation_failed: { status: 422, message: "payload validation failed" },
  too_many_requests: { status: 429, message: "too many requests" },
  clip_limit_reached: { status: 429, message: "too many requests" },
  internal: { status: 500, message: "something failed on our side" },
  unavailable: { status: 503, message: "temporarily unavailable", retryAfterSeconds: 2 },
} as const satisfies Record<string, ProblemKind>;
export type ProblemCode = keyof typeof PROBLEMS;

/** An invalid field of a request; `message` follows the contract: "is invalid", "must not be null". */
export interface FieldProblem {
  field: string;
  message: string;
}

/** `detail` and `fields` are sent to the caller. Private details belong in `cause`, which is only logged. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly fields: FieldProblem[];
  /** Sent as `Retry-After`; null = the default of its code. */
  readonly retryAfterSeconds: number | null;
  constructor(
    code: ProblemCode,
    detail: string,
    options?: ErrorOptions & { fields?: FieldProblem[]; retryAfterSeconds?: number },
  ) {
    super(detail, options);
    this.code = code;
    this.fields = options?.fields ?? [];
    this.retryAfterSeconds = options?.retryAfterSeconds ?? null;
  }
}

const NOT_FOUND = {
  media_not_found: "no media has this id",
  stream_not_found: "no stream has this id",
  stream_playback_not_found: "no stream of this id has such a playback ID",
  simulcast_not_found: "no stream of this id has such a simulcast target",
  webhook_not_found: "no webhook has this id",
  event_not_found: "no event has this id",
} as const satisfies Partial<Record<ProblemCode, string>>;

/** @throws {Problem} the same for an id of another workspace as for an unknown one */
export function orNotFound<T>(found: T | null | undefined, code: keyof typeof NOT_FOUND): T {
  if (found === null || found === undefined) throw new Problem(code, NOT_FOUND[code]);
  return found;
}

/** The contract's error envelope. `fields` is sent with 422 only, and then without `description`. */
function problemBody(problem: Problem) {
  const { status, message } = PROBLEMS[problem.code];
  const error =
    problem.fields.length > 0
      ? { code: status, message, fields: problem.fields }
      : { code: status, message, description: problem.message };
  return { success: false as const, error };
}

/**
 * Renders a problem. The response is not cacheable unless `headers` says otherwise, because a repeat may succeed.
 *
 * @param headers added to the response, where they replace the defaults
 */
export function problemResponse(problem: Problem, headers: Record<string, string> = {}): Response {
  const kind: ProblemKind = PROBLEMS[problem.code];
  const retryAfterSeconds = problem.retryAfterSeconds ?? kind.retryAfterSeconds ?? null;
  return new Response(JSON.stringify(problemBody(problem)), {
    status: kind.status,
    headers: {
      "content-type": "application/json;charset=UTF-8",
      "cache-control": "no-store",
      ...(kind.status === 401 ? { "www-authenticate": 'Basic realm="sluice", charset="UTF-8"' } : {}),
      ...(retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) }),
      ...headers,
    },
  });
}
