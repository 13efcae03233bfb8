/** Client for the Worker's ingest routes before a session exists (protocol/live.ts). */
import { z } from "zod";
import {
  type AskPassphraseRequest,
  type AuthorizeRequest,
  AuthorizeAnswer,
  type PassphraseAnswer,
  type Register,
} from "../../../protocol/live.ts";
import { causeOf } from "../../platform/cause.ts";
import { FailureRow } from "../../platform/failure-row.ts";

const TIMEOUT_MS = 10_000;

const Passphrase = z.discriminatedUnion("accepted", [
  z.object({ accepted: z.literal(true), passphrase: z.string() }),
  z.object({ accepted: z.literal(false), reason: z.enum(["unknown_key", "disabled"]) }),
]);

/** The Worker is unreachable, or its answer is invalid. */
const UNAVAILABLE = { accepted: false, reason: "unavailable" } as const;

export class WorkerClient {
  readonly #workerUrl: string;
  readonly #credential: string;
  readonly #failures = new FailureRow("gateway.request_failed");

  /** @param credential of the gateway (protocol/gateway-credential.ts) */
  constructor(workerUrl: string, credential: string) {
    this.#workerUrl = workerUrl.replace(/\/+$/, "");
    this.#credential = credential;
  }

  /** @returns whether the Worker accepted the registration */
  async register(register: Register): Promise<boolean> {
    return (await this.#post("register", register)) !== null;
  }

  async authorize(authorize: AuthorizeRequest): Promise<AuthorizeAnswer | typeof UNAVAILABLE> {
    const parsed = AuthorizeAnswer.safeParse(await this.#post("authorize", authorize));
    return parsed.data ?? UNAVAILABLE;
  }

  async passphrase(request: AskPassphraseRequest): Promise<PassphraseAnswer | typeof UNAVAILABLE> {
    const parsed = Passphrase.safeParse(await this.#post("passphrase", request));
    return parsed.data ?? UNAVAILABLE;
  }

  /** Null without a valid answer. Not retried, because a broadcaster is waiting. */
  async #post(name: string, body: Register | AuthorizeRequest | AskPassphraseRequest): Promise<unknown> {
    const { gatewayId } = body;
    try {
      const response = await fetch(`${this.#workerUrl}/internal/ingest/${name}`, {
        method: "POST",
        headers: { authorization: `Bearer ${this.#credential}`, "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
        redirect: "error",
      });
      const answer: unknown = await response.json();
      if (response.ok) {
        this.#failures.succeeded();
        return answer;
      }
      this.#failures.failed({ gatewayId, route: name, reason: `answered ${response.status}` });
    } catch (error) {
      this.#failures.failed({ gatewayId, route: name, reason: causeOf(error) });
    }
    return null;
  }
}
