import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readBounded } from "../../../protocol/read-bounded.ts";
import { serviceSignatureProblem, standardSignatureProblem } from "../../webhooks/signatures.ts";
import { headerReader } from "../../webhooks/verify-webhook.ts";

/** The envelope fields that every event has (docs/guides/events.md). */
export interface WebhookEvent {
  type: string;
  object: { type: string; id: string };
  event_id: string;
  status: string;
  data: Record<string, unknown>;
  createdAt: string;
}

/** A request to the receiver, and the status it was answered with. */
export type Arrival = { at: Date; answered: number } & (
  | {
      kind: "event";
      event: WebhookEvent;
      /** Null without a secret to verify with. */
      verified: true | null;
      /** The id was received before; the event is dropped. */
      isRepeat: boolean;
      /** A repeat with other bytes than the first time. The sender never sends one. */
      isAltered: boolean;
    }
  /** The unsigned `{}` that checks whether the receiver answers. */
  | { kind: "check" }
  | { kind: "refused"; why: string }
);

export interface ReceiverOptions {
  /** On loopback; 0 = any free port. */
  port: number;
  /** Base64. Deliveries wait for them, because the first one can arrive before a new webhook's secret is known. Null = no verification. */
  secrets: Promise<readonly string[]> | null;
  onArrival: (arrival: Arrival) => void;
}

export interface Receiver {
  url: string;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** Remembered event ids. A real receiver keeps them for as long as deliveries are repeated. */
const REMEMBERED = 10_000;

/** @throws {NodeJS.ErrnoException} such as EADDRINUSE */
export async function startReceiver({ port, secrets, onArrival }: ReceiverOptions): Promise<Receiver> {
  const seen = new Map<string, string>(); // event id → hash of its bytes
  const server = createServer((request, response) => {
    const at = new Date();
    void receive(request, secrets, seen, at)
      .then((arrival) => {
        onArrival(arrival);
        answer(response, arrival);
      })
      .catch(() => response.destroy()); // the sender has closed the connection
  });
  await new Promise<void>((done, failed) => server.once("error", failed).listen(port, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function receive(
  request: IncomingMessage,
  secrets: ReceiverOptions["secrets"],
  seen: Map<string, string>,
  at: Date,
): Promise<Arrival> {
  const refuse = (answered: number, why: string): Arrival => ({ at, answered, kind: "refused", why });
  if (request.method !== "POST") return refuse(405, `${request.method} instead of POST`);
  // Bytes above the bound are not read, and the connection stays open for the answer.
  const bytes = await readBounded(request.iterator({ destroyOnReturn: false }), MAX_BODY_BYTES);
  if (bytes === null) return refuse(413, "a body above 16 MB");
  const body = Buffer.from(bytes.buffer);
  const isSigned = "service-signature" in request.headers || "webhook-signature" in request.headers;
  if (!isSigned && ["", "{}"].includes(body.toString("latin1").trim())) return { at, answered: 200, kind: "check" };
  const json = parse(body);
  if (json === undefined) return refuse(400, "no JSON");
  if (secrets !== null) {
    const signed = { header: headerReader(request.headers), body: bytes, secrets: await secrets };
    const problem =
      (await serviceSignatureProblem(signed)) ?? (await standardSignatureProblem(signed, { nowMs: at.getTime() }));
    if (problem !== null) return refuse(401, problem);
  }
  if (!isEvent(json)) return refuse(400, "JSON that is not an event");
  const hash = createHash("sha256").update(body).digest("base64");
  const before = seen.get(json.event_id);
  remember(seen, json.event_id, before ?? hash);
  const repeat = { isRepeat: before !== undefined, isAltered: before !== undefined && before !== hash };
  return { at, answered: 200, kind: "event", event: json, verified: secrets === null ? null : true, ...repeat };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

function isEvent(json: unknown): json is WebhookEvent {
  const event = json as Partial<WebhookEvent> | null;
  const texts = [event?.type, event?.event_id, event?.status, event?.createdAt, event?.object?.type, event?.object?.id];
  return texts.every((text) => typeof text === "string") && typeof event?.data === "object" && event.data !== null;
}

function remember(seen: Map<string, string>, id: string, hash: string): void {
  seen.delete(id); // now the newest entry
  seen.set(id, hash);
  const [oldest] = seen.keys();
  if (seen.size > REMEMBERED && oldest !== undefined) seen.delete(oldest);
}

function answer(response: ServerResponse, arrival: Arrival): void {
  const text = arrival.kind === "refused" ? `refused: ${arrival.why}\n` : "";
  const headers = {
    "content-type": "text/plain",
    ...(arrival.answered === 405 ? { allow: "POST" } : {}),
    ...(arrival.answered === 413 ? { connection: "close" } : {}),
  };
  response.writeHead(arrival.answered, headers).end(text);
}
