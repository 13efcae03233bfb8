import { env, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { eq } from "drizzle-orm";
import type { StreamTimer } from "../../../src/live/stream-machine/components.ts";
import type { LiveStreamMachine } from "../../../durable-objects/live-stream-machine.ts";
import { FACTS } from "../../support/live-facts.ts";
import { gatewayCredential } from "../../../protocol/gateway-credential.ts";
import type { AuthorizeAnswer, HeartbeatAnswer, IngestSettings, Started, Resume } from "../../../protocol/live.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { events } from "../../../src/events/index.ts";
import { CATALOGUE, type EventType } from "../../../src/events/catalogue/catalogue.ts";
import { type ErrorBody, send, type TestWorkspace } from "../workspace.ts";

export { evictDurableObject, FACTS };
const db = openDatabase(env.DB);

export interface Stream {
  streamId: string;
  streamKey: string;
  srtSecret: string;
  status: string;
  playbackIds: { id: string; accessPolicy: string }[];
  mediaIds: string[];
  simulcastResponses: { simulcastId: string }[];
  metadata: Record<string, string>;
  reconnectWindow: number;
  [field: string]: unknown;
}

export const settings = (inputMediaSettings: object = {}, accessPolicy = "public") => ({
  playbackSettings: { accessPolicy },
  inputMediaSettings,
});

export async function newStream(
  workspace: TestWorkspace,
  more: object = {},
  accessPolicy: "public" | "private" = "public",
): Promise<Stream> {
  const response = await workspace.request("POST", "/v1/live/streams", settings(more, accessPolicy));
  if (response.status !== 201) throw new Error(`creation: ${response.status} ${await response.text()}`);
  return (await response.json<{ data: Stream }>()).data;
}

export const getStream = async (workspace: TestWorkspace, streamId: string): Promise<Stream> =>
  (await (await workspace.request("GET", `/v1/live/streams/${streamId}`)).json<{ data: Stream }>()).data;

const post = (path: string, body: unknown, token: string, overrides = {}) =>
  send(
    new Request(`http://sluice.test${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    }),
    overrides,
  );

const gatewayIdIn = (body: unknown) => (body as { gatewayId?: string } | null)?.gatewayId ?? "gateway-1";
export const credentialOf = (gatewayId: string) =>
  gatewayCredential(env.ENCODER_SECRET, gatewayId, [`${gatewayId}.example.com`]);

/** A gateway's request, with the credential of the gateway that its body names. */
export const asGateway = (path: string, body: unknown, credential = credentialOf(gatewayIdIn(body)), overrides = {}) =>
  post(`/internal/ingest/${path}`, body, credential, overrides);

export async function ask(stream: Stream, more: object = {}, overrides = {}): Promise<AuthorizeAnswer> {
  const body = { gatewayId: "gateway-1", protocol: "rtmp", streamKey: stream.streamKey, ...more };
  const response = await asGateway("authorize", body, credentialOf(gatewayIdIn(body)), overrides);
  if (response.status !== 200) throw new Error(`authorize: ${response.status} ${await response.text()}`);
  return await response.json();
}

/** One connection of a broadcaster, with its gateway's calls. */
export interface Broadcaster {
  sessionId: string;
  token: string;
  /** The settings sent to its encoder. */
  settings: IngestSettings;
  /** Where its media continues; null for a new session. */
  resume: Resume | null;
  started(facts?: Started): Promise<number>;
  heartbeat(segments?: number, more?: object): Promise<HeartbeatAnswer>;
  left(): Promise<number>;
}

/** @param facts of its media, with which a session continues */
export async function connect(
  stream: Stream,
  more: object = {},
  overrides = {},
  facts: Started = FACTS,
): Promise<Broadcaster> {
  const answer = await ask(stream, more, overrides);
  if (!answer.accepted) throw new Error(`refused: ${answer.reason}`);
  const { sessionId, token, settings } = answer;
  const call = (name: string, body: object) => post(`/internal/live/${sessionId}/${name}`, body, token, overrides);
  const opening = {
    id: crypto.randomUUID(),
    capturedAt: Date.now(),
    renditions: facts.renditions.map(({ name }) => ({ name, initSha256: "0".repeat(64) })),
  };
  return {
    sessionId,
    token,
    settings,
    resume: settings.reconnect ? await (await call("resume", opening)).json<Resume>() : null,
    started: async (started = facts) => (await call("started", started)).status,
    heartbeat: async (segments = 0, heartbeat = {}) =>
      await (
        await call("heartbeat", { segments, droppedRungs: [], speed: 1, at: Date.now(), ...heartbeat })
      ).json<HeartbeatAnswer>(),
    left: async () => (await call("ended", { reason: "closed" })).status,
  };
}

/** Connects a broadcaster and makes the stream active. */
export async function goLive(stream: Stream, more: object = {}, overrides = {}): Promise<Broadcaster> {
  const broadcaster = await connect(stream, more, overrides);
  await broadcaster.started();
  await broadcaster.heartbeat(1);
  await settle(stream);
  return broadcaster;
}

export const machineOf = ({ streamId }: Pick<Stream, "streamId">) =>
  env.LIVE_STREAM_MACHINE.get(env.LIVE_STREAM_MACHINE.idFromName(streamId));

export const inMachine = <T>(
  stream: Pick<Stream, "streamId">,
  look: (machine: LiveStreamMachine, state: DurableObjectState) => T | Promise<T>,
): Promise<T> => runInDurableObject(machineOf(stream) as never, look as never);

/** Drains the machine's outbox. */
export async function settle(stream: Pick<Stream, "streamId">): Promise<void> {
  await inMachine(stream, async (machine, state) => {
    state.storage.sql.exec(
      "INSERT INTO timers (name, due) VALUES ('outbox', 1) ON CONFLICT (name) DO UPDATE SET due = 1",
    );
    await machine.alarm();
  });
}

/** Makes a machine's timer due and runs it. */
export async function elapse(stream: Pick<Stream, "streamId">, timer: Exclude<StreamTimer, "outbox">): Promise<void> {
  await inMachine(stream, (machine, state) => {
    state.storage.sql.exec("UPDATE timers SET due = 1 WHERE name = ?", timer);
    const session = state.storage.kv.get<{ windowEndsAtMs: number }>("session");
    if (timer === "window") state.storage.kv.put("session", { ...session, windowEndsAtMs: Date.now() });
    if (timer === "silence") machine.components.heardAtMs = Date.now() - 5000;
  });
  await settle(stream);
}

/** Finishes the broadcast of a gateway that has been silent for too long to be waited for. */
export async function finish(workspace: TestWorkspace, stream: Pick<Stream, "streamId">): Promise<Response> {
  await inMachine(stream, (machine) => void (machine.components.heardAtMs = Date.now() - 5000));
  return await workspace.request("PUT", at(stream, "/finish"));
}

interface Envelope {
  object: { type: string; id: string };
  status: string;
  data: Record<string, unknown> & { status: string; mediaIds: string[] };
}

/** The events of an object in order, each checked against the catalogue's schema. */
export async function eventsOf(objectId: string) {
  const rows = await db.select().from(events).where(eq(events.objectId, objectId)).orderBy(events.createdAt);
  return rows.map(({ type, videoType, body }) => {
    const envelope = JSON.parse(`{${body}`) as Envelope;
    CATALOGUE[type as EventType].data.parse(envelope.data);
    return { type, videoType, ...envelope };
  });
}

export const typesOf = async (objectId: string): Promise<string[]> =>
  (await eventsOf(objectId)).map(({ type }) => type.replace("video.", "").replace("live_stream.", ""));

/** The REST path of a stream, or of a resource below it. */
export const at = ({ streamId }: { streamId: string }, more = "") => `/v1/live/streams/${streamId}${more}`;
/** Status, message and fields of a refusal. */
export const refusal = async (response: Response) => {
  const { error } = await response.json<ErrorBody>();
  if (error.code !== response.status) throw new Error(`status ${response.status}, and in the body ${error.code}`);
  return { status: response.status, message: error.message, ...(error.fields ? { fields: error.fields } : {}) };
};
