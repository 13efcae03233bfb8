/** The Worker as one session sees it: what lies below `callbackUrl` (protocol.ts). */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type HeartbeatRequest,
  type HeartbeatAnswer,
  type Opening,
  type PartAnswer,
  type Resume,
  type Started,
  SimulcastTargets,
  type TargetState,
} from "../../protocol/live.ts";
import type { PartFacts } from "../live/output.ts";

const ATTEMPT_TIMEOUT_MS = 5000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2000;
/** The Worker says that this session or this connection is none any more. */
const OVER = new Set([401, 403, 410]);

/** The session is over, or somebody else's: nothing more is wanted of it. */
export class SessionOver extends Error {}
/** An answer that no repetition makes better. */
class Refused extends Error {}

type Method = "GET" | "POST" | "PUT";

export class SessionClient {
  readonly #url: string;
  readonly #onOver: (reason: string) => void;
  readonly #end = new AbortController();
  #token: string;

  /** @param onOver told once, when the Worker does not know this session's connection any more */
  constructor({ callbackUrl, token }: { callbackUrl: string; token: string }, onOver: (reason: string) => void) {
    this.#url = callbackUrl.replace(/\/+$/, "");
    this.#token = token;
    this.#onOver = onOver;
  }

  started = (facts: Started) => this.#call("POST", "started", JSON.stringify(facts));

  /** Where media goes on. */
  resume = async (opening: Opening): Promise<Resume> =>
    (await this.#call("POST", "resume", JSON.stringify(opening))) as Resume;

  putInit = (rendition: string, version: number, bytes: Buffer) =>
    this.#call("PUT", `init/${rendition}/${version}`, bytes);

  putPart = async (facts: PartFacts, bytes: Buffer): Promise<PartAnswer> => {
    const query = new URLSearchParams({
      ticks: String(facts.durationTicks),
      at: String(facts.decodeTicks),
      independent: facts.isIndependent ? "1" : "0",
      last: facts.isLast ? "1" : "0",
      capturedAt: String(Math.round(facts.capturedAtMs)),
      discontinuity: facts.isDiscontinuous ? "1" : "0",
      init: String(facts.initVersion),
    });
    const { rendition, msn, part } = facts;
    return (await this.#call("PUT", `parts/${rendition}/${msn}/${part}?${query.toString()}`, bytes)) as PartAnswer;
  };

  gap = async (rendition: string, msn: number): Promise<PartAnswer> =>
    (await this.#call("POST", "gap", JSON.stringify({ rendition, msn }))) as PartAnswer;

  dropped = (rendition: string, fromMsn: number) =>
    this.#call("POST", "dropped", JSON.stringify({ rendition, fromMsn }));

  targets = async () => SimulcastTargets.parse(await this.#call("GET", "targets", null));

  tellTarget = (state: TargetState) => this.#call("POST", "target", JSON.stringify(state));

  putThumbnail = (bytes: Buffer, capturedAtMs: number) =>
    this.#attempt("PUT", `thumbnail?capturedAt=${Math.round(capturedAtMs)}`, bytes); // the next one comes soon: tried once

  /** Tried once: the next one says more. Null when it has not come through. */
  async heartbeat(heartbeat: HeartbeatRequest): Promise<HeartbeatAnswer | null> {
    const answer = (await this.#attempt("POST", "heartbeat", JSON.stringify(heartbeat))) as HeartbeatAnswer | null;
    if (answer?.token !== undefined) this.#token = answer.token;
    return answer;
  }

  ended = (reason: string) => this.#call("POST", "ended", JSON.stringify({ reason }));

  /** What is under way is given up. */
  close(): void {
    this.#end.abort();
  }

  /** Again and again until it is answered. @throws {SessionOver} @throws {Refused} */
  async #call(method: Method, path: string, body: string | Buffer | null): Promise<unknown> {
    for (let attempt = 0; ; attempt += 1) {
      const answer = await this.#attempt(method, path, body);
      if (answer !== null) return answer;
      const pauseMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 8));
      await sleep(pauseMs * (0.75 + Math.random() / 2), undefined, { signal: this.#end.signal }).catch(() => {});
      if (this.#end.signal.aborted) throw new SessionOver("closed");
    }
  }

  /** Null when it may be better the next time. @throws {SessionOver} @throws {Refused} */
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
    } catch {
      return null;
    }
    if (OVER.has(status)) {
      this.#onOver(`answered ${status}`);
      throw new SessionOver(`answered ${status}`);
    }
    if (status >= 500 || status === 408 || status === 429) return null;
    if (status >= 400) throw new Refused(`${method} ${path.split("?")[0]} was answered with ${status}`);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return null;
    }
  }
}
