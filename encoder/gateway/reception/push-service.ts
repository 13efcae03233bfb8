/** Accepts broadcasts pushed to the encoder service, for installations without a gateway. Each request carries the Worker's URL. */
import { randomUUID } from "node:crypto";
import { gatewayCredential } from "../../../protocol/gateway-credential.ts";
import { isSecureUrl } from "../../../protocol/secure-url.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import { takePush } from "./push.ts";
import { GatewayReception } from "./reception.ts";
import { WorkerClient } from "../worker/worker-client.ts";

export class PushService {
  readonly #secret: string;
  readonly #capacity: number;
  readonly #receptions = new Map<string, GatewayReception>();

  constructor(secret: string, capacity: number) {
    this.#secret = secret;
    this.#capacity = capacity;
  }

  get broadcasts(): number {
    return [...this.#receptions.values()].reduce((sum, { broadcasts }) => sum + broadcasts, 0);
  }

  /** The caller must be authenticated: its `X-Worker-Url` is trusted. */
  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.headers["x-worker-url"];
    if (typeof url !== "string" || !isSecureUrl(url)) return void response.writeHead(422).end();
    const known = this.#receptions.get(url) ?? this.#open(url);
    await takePush(request, response, known);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#receptions.values()].map((reception) => reception.close()));
  }

  #open(url: string): GatewayReception {
    const gatewayId = randomUUID();
    const credential = gatewayCredential(this.#secret, gatewayId);
    const gateway = { gatewayId, startedAt: Date.now(), capacity: this.#capacity };
    const reception = new GatewayReception(new WorkerClient(url, credential), gateway);
    this.#receptions.set(url, reception);
    return reception;
  }
}
