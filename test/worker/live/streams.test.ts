/** Streams over REST, as published clients use them (media contract, live streams). */
import { beforeAll, describe, expect, test } from "vitest";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import {
  at,
  connect,
  eventsOf,
  getStream,
  goLive,
  newStream,
  refusal,
  settings,
  type Stream,
  typesOf,
} from "./live-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const PATHS = ["/v1/live/streams", "/v1/live-stream"];
interface Created {
  success: true;
  stream_id: string;
  stream_key: string;
  playback_id: string;
  data: Stream & { ingest: Record<string, string> };
}
const create = async (path: string, body: unknown, headers = {}) =>
  await workspace.request("POST", path, body, headers);

describe.each(PATHS)("POST %s", (path) => {
  test("needs no body", async () => {
    expect((await workspace.request("POST", path)).status).toBe(201);
  });

  test("answers 201 with the whole stream, its ids also on top", async () => {
    const response = await create(path, settings());
    expect(response.status).toBe(201);
    expect(response.headers.get("content-type")).toBe("application/json;charset=UTF-8");
    expect(response.headers.get("cache-control")).toBe("no-store"); // it contains the stream key
    const answer = await response.json<Created>();
    const { streamId } = answer.data;
    expect(streamId).toMatch(/^[0-9a-f]{32}$/);
    const secret = expect.stringMatching(new RegExp(`^[0-9a-f]{32}k${streamId}$`)) as string;
    const playbackId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/) as string;
    expect(answer).toEqual({
      success: true,
      stream_id: streamId,
      stream_key: answer.data.streamKey,
      playback_id: answer.data.playbackIds[0]!.id,
      data: {
        streamId,
        streamKey: secret,
        srtSecret: secret,
        trial: false,
        status: "idle",
        maxResolution: "1080p",
        maxDuration: 0,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as string,
        reconnectWindow: 60,
        enableRecording: true,
        enableDvrMode: false,
        allowViewerClips: false,
        mediaPolicy: "public",
        metadata: {},
        latencyMode: "low",
        lowLatency: true,
        closedCaptions: false,
        playbackIds: [{ id: playbackId, accessPolicy: "public" }],
        ingestWarnings: [],
        ingest: { http: `http://sluice.test/ingest/${answer.data.streamKey}` },
      },
    });
    expect(answer.data.streamKey).not.toBe(answer.data.srtSecret);
    expect(answer.data).not.toHaveProperty("srtPlaybackResponse"); // streams do not play over SRT
    const [reported, ...more] = await eventsOf(streamId);
    expect(more).toEqual([]);
    expect(reported).toMatchObject({
      type: "video.live_stream.created",
      status: "created",
      data: { streamKey: "redacted", srtSecret: "redacted", mediaIds: [] },
    });
  });

  test.each([
    ["accessPolicy", { accessPolicy: "private" }],
    ["accessPolicy", { accessPolicy: "privat", playbackSettings: { accessPolicy: "public" } }],
    ["inputMediaSettings.accessPolicy", { inputMediaSettings: { accessPolicy: "private" } }],
    ["mediaPolicy", { mediaPolicy: "private" }],
  ])("refuses a misplaced %s, rather than create a public stream", async (field, body) => {
    const workspace = await newWorkspace();
    for (const path of ["/v1/live/streams", "/v1/live-stream"]) {
      const response = await workspace.request("POST", path, body);
      expect(response.status).toBe(422);
      const { error } = await response.json<{ error: { fields: { field: string }[]; hints: { message: string }[] } }>();
      expect(error.fields).toEqual([{ field, message: "is invalid" }]);
      expect(error.hints[0]!.message).toContain("did you mean");
    }
    const misplaced = { accessPolicy: "public", inputMediaSettings: { accessPolicy: "public" } };
    expect((await workspace.request("POST", "/v1/live/streams", misplaced)).status).toBe(201);
  });

  test("refuses captions, which are not available yet, and accepts that there are none", async () => {
    const inputMediaSettings = { closedCaptions: true };
    const { status, fields } = await refusal(await create(path, { inputMediaSettings }));
    const field = "inputMediaSettings.closedCaptions";
    expect([status, fields]).toEqual([422, [{ field, message: "is not available yet" }]]);
    const without = await create(path, { inputMediaSettings: { closedCaptions: false } });
    expect(without.status).toBe(201);
    expect(await without.json()).not.toHaveProperty("warnings");
  });

  test("accepts every setting", async () => {
    const wanted = {
      maxResolution: "480p",
      reconnectWindow: 1800,
      mediaPolicy: "public",
      metadata: { show: "harbour" },
      enableDvrMode: true,
      allowViewerClips: true,
      enableRecording: false,
      maxDuration: 28_800,
    };
    const { data } = await (await create(path, settings({ ...wanted, latencyMode: "standard" }))).json<Created>();
    const shown = { ...wanted, latencyMode: "standard", lowLatency: false };
    expect(data).toMatchObject(shown);
    expect(await getStream(workspace, data.streamId)).toMatchObject(shown);
  });

  test("names unknown fields as it ignores them, and requires no optional one", async () => {
    const body = {
      playbackSettings: { later: 1 },
      inputMediaSettings: { drmConfigurationId: null, reconectWindow: 90 },
      latencyMode: "standard",
    };
    const answer = await create(path, body);
    const { data, warnings } = await answer.json<Created & { warnings: object[] }>();
    expect([answer.status, warnings]).toEqual([
      201,
      [
        { field: "playbackSettings.later", message: "unknown field `later`" },
        {
          field: "inputMediaSettings.reconectWindow",
          message: "unknown field `reconectWindow`; did you mean `reconnectWindow`?",
        },
        {
          field: "latencyMode",
          message: "unknown field `latencyMode`; did you mean `inputMediaSettings.latencyMode`?",
        },
      ],
    ]);
    expect(data).toMatchObject({ reconnectWindow: 60, latencyMode: "low" });
  });

  test.each([
    ["reconnectWindow", 59],
    ["reconnectWindow", 1801],
    ["reconnectWindow", 60.5],
    ["reconnectWindow", "60"],
    ["maxResolution", "1440p"],
    ["mediaPolicy", "drm"],
    ["metadata", Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`k${n}`, ""]))],
    ["metadata.a", { a: "x".repeat(256) }],
    ["metadata.a", { a: 1 }],
    ["enableDvrMode", "true"],
    ["allowViewerClips", "true"],
    ["enableRecording", 1],
    ["latencyMode", "ultra"],
    ["maxDuration", 28_801],
    ["maxDuration", -1],
  ])("refuses %s %j", async (field, value) => {
    const [name] = field.split(".");
    expect(await refusal(await create(path, settings({ [name!]: value })))).toEqual({
      status: 422,
      message: "payload validation failed",
      fields: [{ field: `inputMediaSettings.${field}`, message: "is invalid" }],
    });
  });

  test("refuses a DRM configuration that the workspace does not have, and one with a public policy", async () => {
    const drmConfigurationId = crypto.randomUUID();
    const unknown = settings({ drmConfigurationId, mediaPolicy: "private" }, "private");
    const fieldOf = (field: string) => ({ status: 422, fields: [{ field, message: "is invalid" }] });
    expect(await refusal(await create(path, unknown))).toMatchObject(fieldOf("inputMediaSettings.drmConfigurationId"));
    for (const [field, body] of [
      ["playbackSettings.accessPolicy", settings({ drmConfigurationId, mediaPolicy: "private" }, "public")],
      ["inputMediaSettings.mediaPolicy", settings({ drmConfigurationId, mediaPolicy: "public" }, "private")],
    ] as const)
      expect(await refusal(await create(path, body))).toMatchObject(fieldOf(field));
  });

  test("creates a stream with the defaults from an empty object", async () => {
    const [least, spelled] = [await create(path, {}), await create(path, settings())];
    expect([least.status, spelled.status]).toEqual([201, 201]);
    const fresh = new Set(["streamId", "streamKey", "srtSecret", "playbackIds", "createdAt", "ingest"]);
    const shown = async (answer: Response) => {
      const { data } = await answer.json<{ data: Stream }>();
      expect(data.playbackIds).toMatchObject([{ accessPolicy: "public" }]);
      return Object.entries(data).filter(([field]) => !fresh.has(field));
    };
    expect(await shown(least)).toEqual(await shown(spelled));
  });

  test("refuses settings that are null, an unknown access policy, and a body that is not JSON", async () => {
    expect((await refusal(await create(path, { playbackSettings: null, inputMediaSettings: null }))).fields).toEqual([
      { field: "playbackSettings", message: "must not be null" },
      { field: "inputMediaSettings", message: "must not be null" },
    ]);
    expect((await refusal(await create(path, settings({}, "drm")))).fields).toEqual([
      { field: "playbackSettings.accessPolicy", message: "is invalid" },
    ]);
    expect((await refusal(await create(path, "{"))).fields).toEqual([{ field: "body", message: "is not JSON" }]);
  });
});

describe("an Idempotency-Key", () => {
  test("answers repeats with the first answer byte by byte, also on the other route and for 20 at once", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => create(PATHS[n % 2]!, settings(), headers)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const texts = new Set(await Promise.all(answers.map((answer) => answer.text())));
    expect(texts.size).toBe(1);
    const { stream_id } = JSON.parse([...texts][0]!) as Created;
    expect(await typesOf(stream_id)).toEqual(["created"]);
  });

  test("is refused with another body", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    await create(PATHS[0]!, settings(), headers);
    expect((await create(PATHS[0]!, settings({ maxResolution: "720p" }), headers)).status).toBe(409);
  });
});

test("a list is paged by creation time", async () => {
  const mine = await newWorkspace();
  const streams: string[] = [];
  for (let n = 0; n < 3; n += 1) streams.push((await newStream(mine)).streamId);
  const page = async (query: string) =>
    await (await mine.request("GET", `/v1/live/streams?${query}`)).json<{ data: Stream[]; pagination: object }>();
  const [first, second] = [await page("limit=2"), await page("limit=2&offset=2")];
  expect([...first.data, ...second.data].map(({ streamId }) => streamId).sort()).toEqual(streams.toSorted());
  expect(second.pagination).toEqual({ totalRecords: 3, currentOffset: 2, offsetCount: 2 });
  expect((await page("orderBy=asc")).data.map((s) => s.streamId)).toEqual(
    (await page("")).data.map((s) => s.streamId).toReversed(),
  );
  for (const query of ["limit=51", "limit=0", "offset=0", "orderBy=up"])
    expect((await mine.request("GET", `/v1/live/streams?${query}`)).status).toBe(422);
});

test("a list has each stream as the stream's own address has it, with its targets and recordings", async () => {
  const mine = await newWorkspace();
  const streams = [await newStream(mine), await newStream(mine)];
  const target = { url: "rtmp://live.example.com/app", streamKey: "of the platform" };
  for (const stream of streams) {
    for (const metadata of [{ nth: "1" }, { nth: "2" }])
      expect((await mine.request("POST", at(stream, "/simulcast"), { ...target, metadata })).status).toBe(201);
    await goLive(stream);
  }
  const each = await Promise.all(streams.map(({ streamId }) => getStream(mine, streamId)));
  expect(each.map(({ simulcastResponses, mediaIds }) => [simulcastResponses.length, mediaIds.length])).toEqual([
    [2, 1],
    [2, 1],
  ]);
  const list = await (await mine.request("GET", "/v1/live/streams?orderBy=asc")).json<{ data: Stream[] }>();
  const byId = (one: Stream, other: Stream) => one.streamId.localeCompare(other.streamId);
  expect(list.data.toSorted(byId)).toEqual(each.toSorted(byId));
});

describe("a change", () => {
  test("replaces metadata as a whole, sets the window, and is announced", async () => {
    const stream = await newStream(workspace, { metadata: { a: "1", b: "2" } });
    const body = { metadata: { c: "3" }, reconnectWindow: 600 };
    const response = await workspace.request("PATCH", at(stream), body);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ success: true, data: { ...body, streamId: stream.streamId } });
    expect((await getStream(workspace, stream.streamId)).metadata).toEqual({ c: "3" });
    const reported = await eventsOf(stream.streamId);
    expect(reported.at(-1)).toMatchObject({ type: "video.live_stream.updated", status: "updated", data: body });
  });

  test("keeps the fields that it does not name", async () => {
    const stream = await newStream(workspace, { metadata: { a: "1" }, reconnectWindow: 70 });
    const response = await workspace.request("PATCH", at(stream), { maxResolution: "480p" });
    expect(await response.json()).toMatchObject({
      warnings: [
        {
          field: "maxResolution",
          message: "`maxResolution` does not change here; it is fixed when the stream is created",
        },
      ],
    });
    expect(await getStream(workspace, stream.streamId)).toMatchObject({
      metadata: { a: "1" },
      reconnectWindow: 70,
      maxResolution: "1080p",
    });
  });

  test.each([{}, { reconnectWindo: 70 }])("that names no known field changes nothing: %j", async (body) => {
    const stream = await newStream(workspace);
    const before = await getStream(workspace, stream.streamId);
    const response = await workspace.request("PATCH", at(stream), body);
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ success: true })]);
    expect(await getStream(workspace, stream.streamId)).toEqual(before);
    expect(await typesOf(stream.streamId)).toEqual(["created"]);
  });

  test.each([{ reconnectWindow: 59 }, { reconnectWindow: 1801 }, { metadata: [] }])(
    "is refused for %j",
    async (body) => {
      const stream = await newStream(workspace);
      const { status, fields } = await refusal(await workspace.request("PATCH", at(stream), body));
      expect([status, fields]).toEqual([422, [{ field: Object.keys(body)[0], message: "is invalid" }]]);
    },
  );

  test("is announced for each of twenty at once, with its own change; the last event matches the record", async () => {
    const stream = await newStream(workspace);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => workspace.request("PATCH", at(stream), { metadata: { n: String(n) } })),
    );
    const reported = (await eventsOf(stream.streamId))
      .slice(1)
      .map(({ data }) => (data["metadata"] as { n: string }).n);
    expect(reported.toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => String(n)).toSorted());
    expect((await getStream(workspace, stream.streamId)).metadata).toEqual({ n: reported.at(-1) });
  });
});

describe("actions that would change nothing are refused with the contract's messages", () => {
  test("finish of a stream that is idle, preparing or disabled", async () => {
    const stream = await newStream(workspace);
    const finish = async () => await refusal(await workspace.request("PUT", at(stream, "/finish")));
    const expected = { status: 400, message: "stream cannot be completed" };
    expect(await finish()).toEqual(expected);
    await connect(stream);
    expect(await finish()).toEqual(expected);
    await workspace.request("PUT", at(stream, "/live-disable"));
    expect(await finish()).toEqual(expected);
  });

  test("disable of a disabled stream, enable of an enabled one", async () => {
    const stream = await newStream(workspace);
    const put = async (action: string) => await workspace.request("PUT", at(stream, `/${action}`));
    expect(await refusal(await put("live-enable"))).toEqual({ status: 400, message: "stream is already enabled" });
    const disabled = await put("live-disable");
    expect([disabled.status, await disabled.json()]).toEqual([200, { success: true }]);
    expect(await refusal(await put("live-disable"))).toEqual({ status: 400, message: "stream already disabled" });
    expect(await (await put("live-enable")).json()).toEqual({ success: true });
    expect(await typesOf(stream.streamId)).toEqual(["created", "disabled", "updated"]);
  });

  test("of twenty concurrent disables, one succeeds", async () => {
    const stream = await newStream(workspace);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => workspace.request("PUT", at(stream, "/live-disable"))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await typesOf(stream.streamId)).toEqual(["created", "disabled"]);
  });
});

describe("a deleted stream", () => {
  test("answers 404 to everything from then on, and is deleted once", async () => {
    const stream = await newStream(workspace);
    const answers = await Promise.all(Array.from({ length: 5 }, () => workspace.request("DELETE", at(stream))));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404, 404]);
    expect(await typesOf(stream.streamId)).toEqual(["created", "deleted"]);
    const target = `/simulcast/${"0".repeat(32)}`;
    const playback = `/playback-ids/${stream.playbackIds[0]!.id}`;
    for (const [method, path, message, body] of [
      ["GET", "", "stream not found"],
      ["PATCH", "", "stream not found", {}],
      ["DELETE", "", "stream not found"],
      ["GET", "/viewer-count", "stream not found"],
      ["PUT", "/live-enable", "stream not found"],
      ["PUT", "/live-disable", "stream not found"],
      ["PUT", "/finish", "stream not found"],
      ["POST", "/playback-ids", "stream not found", {}],
      ["GET", playback, "stream/playbackId not found"],
      ["DELETE", `/playback-ids?playbackId=${stream.playbackIds[0]!.id}`, "stream/playbackId not found"],
      ["POST", "/simulcast", "stream not found", { url: "rtmp://a.example/live", streamKey: "k" }],
      ["GET", target, "stream/simulcast not found"],
      ["PUT", target, "stream/simulcast not found", {}],
      ["DELETE", target, "stream/simulcast not found"],
    ] as const)
      expect([path, await refusal(await workspace.request(method, at(stream, path), body))]).toEqual([
        path,
        { status: 404, message },
      ]);
    const { data } = await (await workspace.request("GET", "/v1/live/streams?limit=50")).json<{ data: Stream[] }>();
    expect(data.map(({ streamId }) => streamId)).not.toContain(stream.streamId);
  });
});

test.each(["0".repeat(31), "G".repeat(32), crypto.randomUUID(), "A".repeat(32)])(
  "an id of another form is refused: %s",
  async (streamId) => {
    expect(await refusal(await workspace.request("GET", at({ streamId })))).toMatchObject({
      status: 422,
      fields: [{ field: "streamId", message: "is invalid" }],
    });
  },
);
