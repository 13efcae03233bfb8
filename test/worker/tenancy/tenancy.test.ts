/**
 * Two workspaces side by side: over every operation of the OpenAPI document, nothing of one is reachable from the other.
 * An operation or a path parameter that this file does not know fails it: say here how it is called.
 */
import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { openRecording } from "../../../src/library/assets/index.ts";
import { commit, openDatabase } from "../../../src/platform/database.ts";
import { events } from "../../../src/events/index.ts";
import { createApp, openApiDocument } from "../../../src/app.ts";
import { newHexId } from "../../../src/live/streams/ids.ts";
import { deliveries, deliveryAttempts } from "../../../src/events/webhooks/tables.ts";
import { type MediaAnswer, newWorkspace, type TestWorkspace, videoFrom } from "../workspace.ts";

const db = openDatabase(env.DB);
const app = createApp();
const PUBLIC_ROUTES = new Set(["/v1/openapi.json", "/v1/reference"]);

/** The ids of what a workspace has; or of nothing at all, in the same form. */
const someIds = () => ({
  mediaId: crypto.randomUUID(),
  webhookId: crypto.randomUUID(),
  eventId: crypto.randomUUID(),
  streamId: newHexId(),
  livestreamId: newHexId(), // the same by another name
  playbackId: crypto.randomUUID(), // of the stream
  simulcastId: newHexId(),
});
type Ids = { [Name in keyof ReturnType<typeof someIds>]: string };

interface Call {
  /** With the ids of somebody else, or of nobody. */
  body?: (theirs: Ids) => unknown;
  /** Queries that name somebody else's things. */
  queries?: (theirs: Ids) => string[];
  /** A query that it does not go without. */
  query?: (theirs: Ids) => string;
  /** What is answered where there is nothing, if that is not 404. */
  nothing?: number;
  /** What its owner is answered, where that is not 200. */
  opens?: number;
  /** Where something of it is read, when that is not below its own path. */
  madeAt?: string;
  /** Its pages have a cursor. */
  isPaged?: true;
}

const STREAM = { playbackSettings: {}, inputMediaSettings: {} };
const TARGET = { url: "rtmp://127.0.0.1/b", streamKey: "b" };
const HOUR_AGO = new Date(Date.now() - 3600_000).toISOString();

const CALLS: Record<string, Call> = {
  "create-media": { body: () => videoFrom("http://127.0.0.1:9/b.mp4") },
  "list-media": { queries: () => ["limit=50", "limit=50&orderBy=asc"] },
  "get-media": {},
  "updated-media": { body: () => ({ title: "mine now" }) },
  "delete-media": {},
  retrieveMediaInputInfo: {},
  "list-media-activity": { isPaged: true },
  "list-live-clips": { nothing: 200 },
  "list-event-types": {},
  "list-events": {
    isPaged: true,
    queries: ({ mediaId, eventId, webhookId }) => [
      "limit=100",
      `objectId=${mediaId}`,
      `objectId=${mediaId}&type=asset.created&naming=video`,
      `objectId=${eventId}`,
      `objectId=${webhookId}`,
      `from=${HOUR_AGO}`,
    ],
  },
  "get-event": {},
  "redeliver-event": { body: ({ webhookId }) => ({ webhookId }) },
  "list-request-logs": {
    isPaged: true,
    queries: ({ mediaId, eventId, webhookId }) => [
      "limit=100",
      `resourceId=${mediaId}`,
      `resourceId=${webhookId}`,
      `resourceId=${eventId}`,
      "status=2xx&method=POST",
    ],
  },
  "create-webhook": { body: () => ({ url: "http://127.0.0.1:9000/b", skipVerification: true, enabled: false }) },
  "list-webhooks": { queries: () => ["limit=50", "limit=50&orderBy=asc"] },
  "get-webhook": {},
  "update-webhook": { body: () => ({ description: "mine now" }) },
  "delete-webhook": {},
  "reveal-webhook-secret": {},
  "rotate-webhook-secret": {},
  "test-webhook": { body: () => ({ type: "asset.ready" }) },
  "recover-webhook": { body: () => ({ since: HOUR_AGO }) },
  "list-webhook-deliveries": { isPaged: true },
  "create-new-stream": { body: () => STREAM },
  "create-live-stream": { body: () => STREAM, madeAt: "/v1/live/streams" },
  "get-all-streams": { queries: () => ["limit=50", "limit=50&orderBy=asc"] },
  "get-live-stream-by-id": {},
  "update-live-stream": { body: () => ({ metadata: { whose: "mine now" } }) },
  "delete-live-stream": {},
  "get-live-stream-viewer-count-by-id": {},
  "enable-live-stream": { opens: 400 }, // there is nothing to enable
  "disable-live-stream": {},
  "complete-live-stream": { opens: 400 }, // nor to finish
  "rotate-live-stream-key": {},
  "create-live-clip": { body: () => ({ startTime: 0, endTime: 2 }), opens: 400 }, // it has not been on air
  "create-playbackId-of-stream": { body: () => ({}), opens: 201 },
  "get-live-stream-playback-id": {},
  "delete-playbackId-of-stream": { query: ({ playbackId }) => `playbackId=${playbackId}` },
  "create-simulcast-of-stream": { body: () => TARGET, opens: 201 },
  "get-specific-simulcast-of-stream": {},
  "update-specific-simulcast-of-stream": { body: () => ({ isEnabled: false }) },
  "delete-simulcast-of-stream": {},
};

interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: string[];
}
const operations: Operation[] = Object.entries(openApiDocument(app, "http://sluice.test").paths ?? {}).flatMap(
  ([path, methods]) =>
    Object.entries(methods as Record<string, { operationId?: string }>).map(([method, { operationId }]) => ({
      id: operationId ?? `${method} ${path}`,
      method: method.toUpperCase(),
      path,
      parameters: [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!),
    })),
);
const items = operations.filter(({ parameters }) => parameters.length > 0);
const lists = operations.filter(({ method, parameters }) => method === "GET" && parameters.length === 0);
const creations = operations.filter(({ method, parameters }) => method !== "GET" && parameters.length === 0);

function pathOf({ id: operationId, path }: Operation, ids: Ids): string {
  const query = CALLS[operationId]?.query?.(ids);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = (ids as Record<string, string | undefined>)[name];
    if (id === undefined) throw new Error(`this test does not know how to fill {${name}}`);
    return id;
  });
  return query === undefined ? filled : `${filled}?${query}`;
}

interface StreamAnswer {
  data: { streamId: string; streamKey: string; srtSecret: string; playbackIds: { id: string }[] };
}
interface Tenant {
  workspace: TestWorkspace;
  ids: Ids;
  /** What is in the other workspace's answers when something leaks. */
  traces: string[];
}
const IDEMPOTENCY_KEY = "the same key in both workspaces";

/** A workspace that has two of everything, so that every list has a second page. */
async function newTenant(): Promise<Tenant> {
  const workspace = await newWorkspace();
  const mark = crypto.randomUUID();
  const make = async (path: string, body: object, headers = {}) =>
    (await (await workspace.request("POST", path, body, headers)).json<MediaAnswer>()).data;
  const media = await make(
    "/v1/on-demand",
    { ...videoFrom(`http://127.0.0.1:9/${mark}.mp4`), title: mark },
    { "idempotency-key": IDEMPOTENCY_KEY },
  );
  await make("/v1/on-demand", videoFrom("http://127.0.0.1:9/a.mp4"));
  // Paused: nothing changes its record while the test looks.
  const url = { url: `http://127.0.0.1:9000/${mark}`, skipVerification: true, enabled: false };
  const webhook = await make("/v1/webhooks", { ...url, description: mark });
  await make("/v1/webhooks", url);
  const stream = (
    await (
      await workspace.request("POST", "/v1/live/streams", { ...STREAM, inputMediaSettings: { metadata: { mark } } })
    ).json<StreamAnswer>()
  ).data;
  await make("/v1/live/streams", STREAM);
  const target = await make(`/v1/live/streams/${stream.streamId}/simulcast`, { ...TARGET, streamKey: mark });
  const clip = openRecording(db, {
    mediaId: crypto.randomUUID(),
    playbackId: crypto.randomUUID(),
    eventId: crypto.randomUUID(),
    streamId: stream.streamId,
    workspaceId: workspace.id,
    publicUrl: `http://${mark}.test`,
    maxResolution: "1080p",
    mediaPolicy: "public",
    atMs: Date.now(),
    clip: { sourceAssetId: crypto.randomUUID(), startMs: 0, endMs: 2000 },
  });
  await commit(env.DB, clip.statements);
  const reported = await db.select().from(events).where(eq(events.workspaceId, workspace.id));
  const now = new Date();
  for (const event of reported) {
    const row = { eventId: event.id, webhookId: webhook.id };
    const delivery = { ...row, workspaceId: workspace.id, type: event.type, naming: "service" as const, attempts: 1 };
    await db.insert(deliveries).values({ ...delivery, status: "failed", lastFailure: "timed_out", createdAt: now });
    await db.insert(deliveryAttempts).values({ ...row, number: 1, startedAt: now, durationMs: 1, responseHead: mark });
  }
  const [credentialId] = atob(workspace.authorization.slice(6)).split(":");
  return {
    workspace,
    ids: {
      mediaId: media.id,
      webhookId: webhook.id,
      eventId: reported.find(({ objectId }) => objectId === media.id)!.id,
      streamId: stream.streamId,
      livestreamId: stream.streamId,
      playbackId: stream.playbackIds[0]!.id,
      simulcastId: target["simulcastId"] as string,
    },
    traces: [
      mark,
      clip.event.objectId,
      media.id,
      media.playbackIds[0]!.id,
      webhook.id,
      webhook["secret"] as string,
      stream.streamKey,
      stream.srtSecret,
      stream.playbackIds[0]!.id,
      target["simulcastId"] as string,
      workspace.id,
      credentialId!,
      ...reported.flatMap(({ id, objectId }) => [id, objectId]),
    ],
  };
}

const call = ({ workspace }: Tenant, operation: Operation, path: string, theirs: Ids, headers = {}) =>
  workspace.request(operation.method, path, CALLS[operation.id]?.body?.(theirs), headers);

/** Everything of an answer but the request's own id. */
async function whatIsSaidBy(response: Response) {
  const headers = [...response.headers].filter(([name]) => name !== "x-request-id");
  return { status: response.status, headers, body: await response.text() };
}

/** All that somebody has that others might change. */
async function possessionsOf({ workspace, ids: { mediaId, webhookId, eventId, streamId } }: Tenant) {
  const read = async (method: string, path: string) =>
    (await (await workspace.request(method, path)).json<{ data: Record<string, unknown> }>()).data;
  const { title, metadata } = await read("GET", `/v1/on-demand/${mediaId}`);
  return {
    media: { title, metadata },
    webhook: await read("GET", `/v1/webhooks/${webhookId}`),
    secret: await read("POST", `/v1/webhooks/${webhookId}/secret/reveal`),
    event: await read("GET", `/v1/events/${eventId}`),
    deliveries: await read("GET", `/v1/webhooks/${webhookId}/deliveries`),
    stream: await read("GET", `/v1/live/streams/${streamId}`),
  };
}

const expectNothingOf = (owner: Tenant, text: string) => {
  for (const trace of owner.traces) expect(text).not.toContain(trace);
};

test("the table has every operation of the API, and the document has every route", () => {
  expect(operations.map(({ id }) => id).sort()).toEqual(Object.keys(CALLS).sort());
  const documented = operations.map(({ method, path }) => `${method} ${path}`);
  const routes = app.routes
    .filter(({ path }) => path.startsWith("/v1/") && !path.includes("*") && !PUBLIC_ROUTES.has(path))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
  expect([...new Set(routes)].sort()).toEqual(documented.toSorted());
});

describe("an operation on somebody else's thing answers like one on nothing, and does nothing", () => {
  test.each(items)("$id", async (operation) => {
    const [owner, stranger] = [await newTenant(), await newTenant()];
    const before = await possessionsOf(owner);
    const nobodys = someIds();
    for (const parameter of ["all of them", ...operation.parameters]) {
      const fill = (theirs: Ids) =>
        parameter === "all of them"
          ? theirs
          : { ...stranger.ids, [parameter]: (theirs as Record<string, string>)[parameter]! };
      const foreign = await call(stranger, operation, pathOf(operation, fill(owner.ids)), owner.ids);
      const unknown = await call(stranger, operation, pathOf(operation, fill(nobodys)), nobodys);
      expect(unknown.status).toBe(CALLS[operation.id]?.nothing ?? 404);
      const said = await whatIsSaidBy(foreign);
      expect(said).toEqual(await whatIsSaidBy(unknown));
      expectNothingOf(owner, said.body);
    }
    expect(await possessionsOf(owner)).toEqual(before);
    // The ids are good ones: to their owner they open what they name.
    expect((await call(owner, operation, pathOf(operation, owner.ids), owner.ids)).status).toBe(
      CALLS[operation.id]?.opens ?? 200,
    );
  });
});

describe("ids of somebody else in a body are as good as ids of nothing", () => {
  const withIds = items.filter(({ id }) => {
    const { body } = CALLS[id] ?? {};
    return body !== undefined && JSON.stringify(body(someIds())) !== JSON.stringify(body(someIds()));
  });
  test.each(withIds)("$id", async (operation) => {
    const [owner, stranger] = [await newTenant(), await newTenant()];
    const before = await possessionsOf(owner);
    const path = pathOf(operation, stranger.ids);
    const unknown = await call(stranger, operation, path, someIds());
    expect(unknown.status).toBe(404);
    expect(await whatIsSaidBy(await call(stranger, operation, path, owner.ids))).toEqual(await whatIsSaidBy(unknown));
    expect(await possessionsOf(owner)).toEqual(before);
  });
});

describe("a list has nothing of another workspace", () => {
  test.each(lists)("$id", async (operation) => {
    const [owner, stranger] = [await newTenant(), await newTenant()];
    const queries = CALLS[operation.id]?.queries ?? (() => []);
    const nobodys = someIds();
    for (const [index, query] of ["", ...queries(owner.ids)].entries()) {
      const answer = await call(stranger, operation, `${operation.path}?${query}`, owner.ids);
      expect(answer.status).toBe(200);
      const text = await answer.text();
      expectNothingOf(owner, text);
      const harmless = ["", ...queries(nobodys)][index]!;
      if (harmless === query) continue;
      // A filter by another's id finds what a filter by nobody's finds.
      expect(text).toBe(await (await call(stranger, operation, `${operation.path}?${harmless}`, nobodys)).text());
      expect(JSON.parse(text)).toMatchObject({ data: [] });
    }
  });

  const paged = operations.filter(({ id }) => CALLS[id]?.isPaged);
  test.each(paged)("$id: nor with a cursor from there", async (operation) => {
    const [stranger, owner] = [await newTenant(), await newTenant()]; // the owner's things are the newer ones
    const firstPage = await call(owner, operation, `${pathOf(operation, owner.ids)}?limit=1`, owner.ids);
    const { pagination } = await firstPage.json<{ pagination: { nextCursor: string | null } }>();
    expect(pagination.nextCursor).not.toBeNull();
    const path = `${pathOf(operation, stranger.ids)}?limit=100&cursor=${pagination.nextCursor}`;
    const answer = await call(stranger, operation, path, stranger.ids);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expectNothingOf(owner, text);
    expect(JSON.parse(text)).toMatchObject({ data: expect.arrayContaining([expect.anything()]) as unknown });
  });

  test("which operations have one is in the document", () => {
    const document = openApiDocument(app, "http://sluice.test").paths as Record<
      string,
      Record<string, { operationId: string; parameters?: { name: string }[] }>
    >;
    const withCursor = Object.values(document)
      .flatMap((methods) => Object.values(methods))
      .filter(({ parameters }) => parameters?.some(({ name }) => name === "cursor"));
    expect(withCursor.map(({ operationId }) => operationId).sort()).toEqual(paged.map(({ id }) => id).sort());
  });
});

describe("a creation is the caller's own, also under a key that another workspace has used", () => {
  test.each(creations)("$id", async (operation) => {
    const [owner, stranger] = [await newTenant(), await newWorkspace()];
    const headers = { "idempotency-key": IDEMPOTENCY_KEY };
    const tenant = { workspace: stranger, ids: someIds(), traces: [] };
    const answer = await call(tenant, operation, operation.path, owner.ids, headers);
    expect(answer.status).toBe(201);
    const text = await answer.text();
    expectNothingOf(owner, text);
    const { id, streamId } = (JSON.parse(text) as { data: { id?: string; streamId?: string } }).data;
    const path = `${CALLS[operation.id]?.madeAt ?? operation.path}/${id ?? streamId}`;
    expect((await stranger.request("GET", path)).status).toBe(200);
    expect((await owner.workspace.request("GET", path)).status).toBe(404);
  });
});
