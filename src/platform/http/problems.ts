import type { FieldProblem } from "./hints/field-problem.ts";
import { JSON_TYPE } from "./json-charset.ts";
import type { ContentfulStatusCode } from "hono/utils/http-status";

interface ProblemKind {
  status: ContentfulStatusCode;
  message: string;
  /** `Retry-After` of a problem that names no time of its own. */
  retryAfterSeconds?: number;
}

/**
 * The closed catalogue of API errors: status and the contract's message (media contract, conventions). The API returns no other errors.
 */
export const PROBLEMS = {
  /** A playback request for an asset that is not playable yet; players look for the word "ready". */
  not_ready: { status: 400, message: "media is not ready", retryAfterSeconds: 1 },
  stream_not_active: { status: 400, message: "stream cannot be completed" },
  stream_disabled: { status: 400, message: "stream already disabled" },
  stream_enabled: { status: 400, message: "stream is already enabled" },
  /** A body whose connection broke, of a pushed broadcast or a list. Its client has usually left, so the status is for the log. */
  push_incomplete: { status: 400, message: "Bad Request" },
  stream_not_idle: { status: 400, message: "Bad Request" },
  playback_id_limit_reached: { status: 400, message: "playback ID limit reached" },
  mp4_support_exists: { status: 400, message: "mp4Support value already exists" },
  mp4_support_with_drm: { status: 400, message: "Bad Request" },
  upload_not_waiting: { status: 400, message: "Bad Request" },
  /** A chunk whose range contradicts the upload, or its own length. */
  bad_chunk: { status: 400, message: "Bad Request" },
  duplicate_language_name: { status: 400, message: "duplicate language name" },
  /** Clients look for "already exist" (media contract, conventions). */
  captions_exist: { status: 400, message: "captions already exist" },
  track_not_available: { status: 400, message: "track is not available" },
  track_limit_reached: { status: 400, message: "track limit reached" },
  playlist_limit_reached: { status: 400, message: "playlist limit reached" },
  signing_key_limit_reached: { status: 400, message: "signing key limit reached" },
  alert_limit_reached: { status: 400, message: "alert limit reached" },
  import_limit_reached: { status: 400, message: "import limit reached" },
  export_limit_reached: { status: 400, message: "export limit reached" },
  media_limit_reached: { status: 400, message: "media limit reached" },
  stream_limit_reached: { status: 400, message: "stream limit reached" },
  upload_limit_reached: { status: 400, message: "upload limit reached" },
  ai_not_configured: { status: 400, message: "AI is not configured" },
  insight_exists: { status: 400, message: "output already exist" },
  summary_not_enabled: { status: 400, message: "Summary not enabled" },
  ai_budget_spent: { status: 400, message: "AI budget is spent" },
  storage_limit_reached: { status: 400, message: "storage limit reached" },
  import_list_limit_reached: { status: 400, message: "import list limit reached" },
  import_credential_limit_reached: { status: 400, message: "import credential limit reached" },
  import_host_limit_reached: { status: 400, message: "import host limit reached" },
  webhook_limit_reached: { status: 400, message: "webhook limit reached" },
  /** Invalid delivery directives of a live playlist request (RFC 8216bis §6.2.5.2). */
  bad_directives: { status: 400, message: "Bad Request" },
  /** The list of DRM configurations is empty, or a `drm` playback ID is asked for without one. */
  no_drm_configuration: { status: 400, message: "DRM ID does not exist" },
  drm_not_set_up: { status: 400, message: "DRM is not set up" },
  unauthorized: { status: 401, message: "unauthorized" },
  /** Playback without a valid token. Not `unauthorized`, whose challenge makes browsers ask for a password. */
  playback_unauthorized: { status: 401, message: "unauthorized" },
  forbidden: { status: 403, message: "forbidden" },
  /** Moderation has flagged the media, and its owner has not cleared it. */
  moderation_hold: { status: 403, message: "moderation_hold" },
  /** The owner's licence service refused a player or a key. */
  license_refused: { status: 403, message: "license refused" },
  media_not_found: { status: 404, message: "media workspace relation not found" },
  /** The contract has no message of its own for a track. */
  track_not_found: { status: 404, message: "media workspace relation not found" },
  playback_not_found: { status: 404, message: "Media/PlaybackId not Found" },
  stream_not_found: { status: 404, message: "stream not found" },
  stream_playback_not_found: { status: 404, message: "stream/playbackId not found" },
  simulcast_not_found: { status: 404, message: "stream/simulcast not found" },
  signing_key_not_found: { status: 404, message: "Signing key Not Found" },
  drm_configuration_not_found: { status: 404, message: "DRM ID does not exist" },
  playlist_not_found: { status: 404, message: "playlist not found" },
  webhook_not_found: { status: 404, message: "webhook not found" },
  event_not_found: { status: 404, message: "event not found" },
  view_not_found: { status: 404, message: "View not found" },
  alert_not_found: { status: 404, message: "alert not found" },
  export_not_found: { status: 404, message: "export not found" },
  import_not_found: { status: 404, message: "import not found" },
  import_list_not_found: { status: 404, message: "import list not found" },
  import_credential_not_found: { status: 404, message: "import credential not found" },
  import_host_not_found: { status: 404, message: "import host not found" },
  not_found: { status: 404, message: "not found" },
  method_not_allowed: { status: 405, message: "method not allowed" },
  playlist_reference_taken: { status: 409, message: "playlist create failed" },
  import_host_taken: { status: 409, message: "import host is taken" },
  idempotency_conflict: { status: 409, message: "idempotency key was used with another body" },
  stream_busy: { status: 409, message: "another broadcaster is on air" },
  object_announced: { status: 409, message: "object has been announced" },
  /** A command that the state of a batch does not accept. */
  import_state: { status: 409, message: "import is in another state" },
  webhook_disabled: { status: 409, message: "webhook is disabled" },
  secret_rotated_recently: { status: 409, message: "secret was rotated recently" },
  job_gone: { status: 410, message: "job is cancelled" },
  /** A live stream whose broadcast has ended without a recording; the next broadcast plays at the same URL. */
  broadcast_over: { status: 410, message: "broadcast is over" },
  upload_over: { status: 410, message: "upload is over" },
  /** `If-Match` names another version than the current one. */
  precondition_failed: { status: 412, message: "precondition failed" },
  length_required: { status: 411, message: "length required" },
  session_over: { status: 410, message: "session is over" },
  body_too_large: { status: 413, message: "request body is too large" },
  range_not_satisfiable: { status: 416, message: "range not satisfiable" },
  validation_failed: { status: 422, message: "payload validation failed" },
  invalid_timespan: { status: 422, message: "Invalid timespan value" },
  too_many_requests: { status: 429, message: "too many requests" },
  clip_limit_reached: { status: 429, message: "too many requests" },
  internal: { status: 500, message: "something failed on our side" },
  license_service_failed: { status: 502, message: "license service failed" },
  unavailable: { status: 503, message: "temporarily unavailable", retryAfterSeconds: 2 },
} as const satisfies Record<string, ProblemKind>;
export type ProblemCode = keyof typeof PROBLEMS;

export type PageWords = readonly [heading: string, text: string];

/** `detail` and `fields` are sent to the caller. Private details belong in `cause`, which is only logged. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly fields: FieldProblem[];
  /** Unknown fields of the request, which may be meant to be the missing ones. */
  readonly unknown: FieldProblem[];
  /** What a page says to viewers; null = the words of its code (problem-page.ts). */
  readonly pageWords: PageWords | null;
  /** Sent as `Retry-After`; null = the default of its code. */
  readonly retryAfterSeconds: number | null;
  /** The caller has logged the failure, with more ids than the request's. */
  readonly isLogged: boolean;
  constructor(
    code: ProblemCode,
    detail: string,
    options?: ErrorOptions & {
      fields?: FieldProblem[];
      unknown?: FieldProblem[];
      pageWords?: PageWords | undefined;
      retryAfterSeconds?: number;
      isLogged?: boolean;
    },
  ) {
    super(detail, options);
    this.code = code;
    this.fields = options?.fields ?? [];
    this.unknown = options?.unknown ?? [];
    this.pageWords = options?.pageWords ?? null;
    this.retryAfterSeconds = options?.retryAfterSeconds ?? null;
    this.isLogged = options?.isLogged ?? false;
  }
}

const NOT_FOUND = {
  media_not_found: "no media has this id",
  track_not_found: "no track with this id has been added to a media of this id",
  playback_not_found: "no media of this id has such a playback ID",
  stream_not_found: "no stream has this id",
  stream_playback_not_found: "no stream of this id has such a playback ID",
  simulcast_not_found: "no stream of this id has such a simulcast target",
  signing_key_not_found: "no signing key has this id",
  playlist_not_found: "no playlist has this id",
  drm_configuration_not_found: "no DRM configuration has this id",
  webhook_not_found: "no webhook has this id",
  event_not_found: "no event has this id",
  view_not_found: "no view has this id",
  alert_not_found: "no alert has this id",
  export_not_found: "no export has this id",
  import_not_found: "no import has this id",
  import_list_not_found: "no list has this id",
  import_credential_not_found: "no credential of a source has this id",
  import_host_not_found: "no host of this name is mapped",
} as const satisfies Partial<Record<ProblemCode, string>>;

/** @throws {Problem} the same for an id of another workspace as for an unknown one */
export function orNotFound<T>(found: T | null | undefined, code: keyof typeof NOT_FOUND): T {
  if (found === null || found === undefined) throw new Problem(code, NOT_FOUND[code]);
  return found;
}

/** The contract's error envelope. `fields` is sent with 422 only, and then without `description`; `hints` has the same order, then unknown fields. */
export function problemBody({ code, message: description, fields, unknown }: Problem) {
  const { status, message } = PROBLEMS[code];
  if (fields.length === 0) return { success: false as const, error: { code: status, message, description } };
  const error = {
    code: status,
    message,
    fields: fields.map((one) => ({ field: one.field, message: one.message })),
    hints: [...fields, ...unknown].map((one) => ({ field: one.field, message: one.hint ?? one.message })),
  };
  return { success: false as const, error };
}

const BASIC = 'Basic realm="sluice", charset="UTF-8"';
const CHALLENGES: Partial<Record<ProblemCode, string>> = { playback_unauthorized: 'Bearer realm="playback"' };

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
      "content-type": JSON_TYPE,
      "cache-control": "no-store",
      ...(kind.status === 401 ? { "www-authenticate": CHALLENGES[problem.code] ?? BASIC } : {}),
      ...(retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) }),
      ...headers,
    },
  });
}
