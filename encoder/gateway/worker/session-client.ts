/** Client for the Worker's routes of one session, below `callbackUrl` (protocol/live.ts). */
import {
  type HeartbeatRequest,
  type HeartbeatAnswer,
  type Opening,
  type PartAnswer,
  type Resume,
  type Started,
  SimulcastTargets,
  type TargetState,
} from "../../../protocol/live.ts";
import { type MediaFormat, queryOfInit } from "../../../protocol/init-facts.ts";
import { queryOfPart } from "../../../protocol/part-facts.ts";
import type { PartFacts } from "../../live/output.ts";
import { causeOf } from "../../platform/cause.ts";
import { FailureRow } from "../../platform/failure-row.ts";
import { pause } from "../../platform/pause.ts";

const ATTEMPT_TIMEOUT_MS = 5000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2000;
/** Statuses of a session or connection that is no longer valid. */
const OVER = new Set([401, 403, 410]);

/** The session has ended or belongs to another connection; all requests are rejected. */
export class SessionOver extends Error {}
/** A rejection that a retry cannot change. */
class Refused extends Error {}

type Method = "GET" | "POST" | "PUT";

export interface SessionAccess {
  streamId: string;
  sessionId: string;
  callbackUrl: string;
  token: string;
}

export class SessionClient {
  readonly #url: string;
  readonly #onOver: (status: number) => void;
  readonly #end = new AbortController();
  readonly #ids: { streamId: string; sessionId: string };
  readonly #failures = new FailureRow("session.request_failed");
  #token: string;

  /** @param onOver called with the status when the Worker rejects this session's connection */
  constructor({ streamId, sessionId, callbackUrl, token }: SessionAccess, onOver: (status: number) => void) {
    this.#ids = { streamId, sessionId };
    this.#url = callbackUrl.replace(/\/+$/, "");
    this.#token = token;
    this.#onOver = onOver;
  }

  started = (facts: Started) => this.#call("POST", "started", JSON.stringify(facts));

  /** Returns where media continues. */
  resume = async (opening: Opening): Promise<Resume> =>
    (await this.#call("POST", "resume", JSON.stringify(opening))) as Resume;

  putInit = (rendition: string, version: number, bytes: Buffer, format: MediaFormat) =>
    this.#call("PUT", `init/${rendition}/${version}?${queryOfInit(format).toString()}`, bytes);

  putPart = async (facts: PartFacts, bytes: Buffer): Promise<PartAnswer> => {
    const captions = Buffer.from(facts.captions === undefined ? "" : JSON.stringify(facts.captions));
    const query = queryOfPart(facts, captions.length);
    const { rendition, msn, part } = facts;
    const body = captions.length > 0 ? Buffer.concat([captions, bytes]) : bytes;
    return (await this.#call("PUT", `parts/${rendition}/${msn}/${part}?${query.toString()}`, body)) as PartAnswer;
  };

  gap = async (rendition: string, msn: number): Promise<PartAnswer> =>
    (await this.#call("POST", "gap", JSON.stringify({ rendition, msn }))) as PartAnswer;

  dropped = (rendition: string, fromMsn: number) =>
    this.#call("POST", "dropped", JSON.stringify({ rendition, fromMsn }));

  targets = async () => SimulcastTargets.parse(await this.#call("GET", "targets", null));

  reportTarget = (state: TargetState) => this.#call("POST", "target", JSON.stringify(state));

  putThumbnail = (bytes: Buffer, capturedAtMs: number) =>
    this.#attempt("PUT", `thumbnail?capturedAt=${Math.round(capturedAtMs)}`, bytes); // no retry: the next one follows soon

  /** Sent without retry, since the next one replaces it. Null when it failed. */
  async heartbeat(heartbeat: HeartbeatRequest): Promise<HeartbeatAnswer | null> {
    const answer = (await this.#attempt("POST", "heartbeat", JSON.stringify(heartbeat))) as HeartbeatAnswer | null;
    if (answer?.token !== undefined) this.#token = answer.token;
    return answer;
  }

  ended = (reason: string) => this.#call("POST", "ended", JSON.stringify({ reason }));

  /** Aborts pending requests. */
  close(): void {
    this.#end.abort();
  }

  /** Retries until answered. @throws {SessionOver} @throws {Refused} */
  async #call(method: Method, path: string, body: string | Buffer | null): Promise<unknown> {
    for (let attempt = 0; ; attempt += 1) {
      const answer = await this.#attempt(method, path, body);
      if (answer !== null) return answer;
      const pauseMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 8));
      await pause(pauseMs * (0.75 + Math.random() / 2), this.#end.signal);
      if (this.#end.signal.aborted) throw new SessionOver("closed");
    }
  }

  /** Returns null after a failure worth retrying. @throws {SessionOver} @throws {Refused} */
  async #attempt(method: Method, path: string, body: string | Buffer | null): Promise<unknown> {
    if (this.#end.signal.aborted) throw new SessionOver("closed");
    let status: number;
    let text: string;
    try {
      const response = await fetch(`${this.#url}/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.#token}`,
          ...(body === null ? {} : { "content-type": typeof body === "string" ? "application/json" : "video/mp4" }),
        },
        ...(body === null ? {} : { body: body as BodyInit }),
        redirect: "error",
        signal: AbortSignal.any([this.#end.signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]),
      });
      status = response.status;
      text = await response.text();
    } catch (error) {
      return this.#retryable(method, path, causeOf(error));
    }
    if (OVER.has(status)) {
      this.#onOver(status);
      throw new SessionOver(`answered ${status}`);
    }
    if (status >= 500 || status === 408 || status === 429) return this.#retryable(method, path, `answered ${status}`);
    if (status >= 400) throw new Refused(`${method} ${path.split("?")[0]} was answered with ${status}`);
    try {
      const answer = JSON.parse(text) as unknown;
      this.#failures.succeeded();
      return answer;
    } catch {
      return this.#retryable(method, path, "the answer is not JSON");
    }
  }

  #retryable(method: Method, path: string, reason: string): null {
    const route = `${method} ${path.split("?")[0]}`;
    if (!this.#end.signal.aborted) this.#failures.failed({ ...this.#ids, route, reason });
    return null;
  }
}
