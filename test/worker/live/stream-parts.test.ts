/** Subresources of a stream over REST: playback IDs, simulcast targets, viewers (media contract, live streams). */
import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { reportViewers } from "../../../src/live/streams/report-viewers.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { at, eventsOf, getStream, goLive, inMachine, newStream, refusal, type Stream } from "./live-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

describe("playback IDs of a stream", () => {
  test("are added, read and removed, and each change is announced with the record", async () => {
    const stream = await newStream(workspace);
    const [first] = stream.playbackIds;
    const added = await workspace.request("POST", at(stream, "/playback-ids"), { accessPolicy: "public" });
    expect(added.status).toBe(201);
    const { data } = await added.json<{ data: { id: string } }>();
    expect(data).toEqual({ id: data.id, accessPolicy: "public" });
    expect((await getStream(workspace, stream.streamId)).playbackIds).toEqual([first, data]);
    const read = await workspace.request("GET", at(stream, `/playback-ids/${data.id.toUpperCase()}`));
    expect(await read.json()).toEqual({ success: true, data });
    const remove = () => workspace.request("DELETE", at(stream, `/playback-ids?playbackId=${first!.id}`));
    expect(await (await remove()).json()).toEqual({ success: true });
    expect(await refusal(await remove())).toEqual({ status: 404, message: "stream/playbackId not found" });
    const reported = await eventsOf(stream.streamId);
    expect(reported.map(({ type, data: { playbackIds } }) => [type, playbackIds])).toEqual([
      ["video.live_stream.created", [first]],
      ["video.live_stream.updated", [first, data]],
      ["video.live_stream.updated", [data]],
    ]);
  });

  test("are public by default, or private, and have no DRM", async () => {
    const stream = await newStream(workspace);
    const add = (body: unknown) => workspace.request("POST", at(stream, "/playback-ids"), body);
    expect(await (await add({})).json()).toMatchObject({ data: { accessPolicy: "public" } });
    expect(await (await add({ accessPolicy: "private" })).json()).toMatchObject({ data: { accessPolicy: "private" } });
    expect((await refusal(await add({ accessPolicy: "drm" }))).fields).toEqual([
      { field: "accessPolicy", message: "is invalid" },
    ]);
  });

  test("of a stream with DRM are encrypted, and not public", async () => {
    const made = await workspace.request("POST", "/v1/on-demand/drm-configurations", { keySystems: ["clearkey"] });
    const { data } = await made.json<{ data: { id: string } }>();
    const stream = await newStream(workspace, { drmConfigurationId: data.id, mediaPolicy: "private" }, "private");
    const add = (body: unknown) => workspace.request("POST", at(stream, "/playback-ids"), body);
    for (const accessPolicy of ["drm", "private"])
      expect(await (await add({ accessPolicy })).json()).toMatchObject({ data: { accessPolicy: "private" } });
    expect((await refusal(await add({}))).fields).toEqual([{ field: "accessPolicy", message: "is invalid" }]);
  });

  test("have rules and a resolution, which are shown and announced where there are any", async () => {
    const stream = await newStream(workspace);
    const path = at(stream, "/playback-ids");
    const OPEN = { defaultPolicy: "allow", allow: [], deny: [] };
    const domains = { defaultPolicy: "deny", allow: ["*.example.com"], deny: [] };
    const body = { accessPolicy: "public", accessRestrictions: { domains }, resolution: "480p" };
    const added = await workspace.request("POST", path, body);
    const { data } = await added.json<{ data: { id: string } }>();
    const id = data.id;
    const shown = { id, accessPolicy: "public", accessRestrictions: { domains, userAgents: OPEN }, resolution: "480p" };
    expect([added.status, data]).toEqual([201, shown]);
    const read = async () => (await (await workspace.request("GET", `${path}/${id}`)).json<{ data: object }>()).data;
    expect(await read()).toEqual(shown);

    const change = async (kind: string, rules: object) => {
      const answer = await workspace.request("PATCH", `${path}/${id.toUpperCase()}/${kind}`, rules);
      const { data: now, warnings = [] } = await answer.json<{ data: object; warnings?: { field: string }[] }>();
      return [answer.status, now, warnings.map(({ field }) => field)];
    };
    const userAgents = { ...OPEN, deny: ["Scraper/"] };
    expect(await change("user-agents", { userAgents })).toEqual([200, OPEN, ["userAgents"]]);
    expect(await change("user-agents", userAgents)).toEqual([200, userAgents, []]);
    expect(await change("domains", {})).toEqual([200, domains, []]);
    expect(await read()).toEqual({ ...shown, accessRestrictions: { domains, userAgents } });
    expect(await change("domains", { deny: [] })).toEqual([200, OPEN, ["defaultPolicy"]]);
    expect(await change("user-agents", { allow: [] })).toEqual([200, OPEN, []]);
    expect(await read()).toEqual({ id, accessPolicy: "public", resolution: "480p" });
    expect((await eventsOf(stream.streamId))[1]!.data.playbackIds).toEqual([stream.playbackIds[0], shown]);

    for (const [method, to, sent] of [
      ["POST", path, { accessRestrictions: { domains: { allow: ["localhost"] } } }],
      ["POST", path, { resolution: "360p" }],
      ["PATCH", `${path}/${id}/domains`, { defaultPolicy: "maybe" }],
    ] as const)
      expect((await workspace.request(method, to, sent)).status).toBe(422);
    for (const rules of [{}, { deny: ["a.example"] }])
      expect(
        await refusal(await workspace.request("PATCH", `${path}/${crypto.randomUUID()}/domains`, rules)),
      ).toMatchObject({ status: 404, message: "stream/playbackId not found" });
  });

  test("are not removed without an id, or with a malformed one; the refusal names the field", async () => {
    const stream = await newStream(workspace);
    const remove = (query: string) => workspace.request("DELETE", at(stream, `/playback-ids${query}`));
    expect((await refusal(await remove(""))).fields).toEqual([{ field: "playbackId", message: "must not be null" }]);
    expect((await refusal(await remove("?playbackId=1"))).fields).toEqual([
      { field: "playbackId", message: "is invalid" },
    ]);
  });
});

describe("simulcast targets", () => {
  const target = { url: "rtmps://live.example.com:443/app", streamKey: "theirs?a=b" };
  const add = (stream: Stream, body: unknown = target) => workspace.request("POST", at(stream, "/simulcast"), body);

  test("are added, read, enabled, disabled, relabelled and removed, with one event each", async () => {
    const stream = await newStream(workspace);
    const added = await add(stream, { ...target, metadata: { to: "them" } });
    expect(added.status).toBe(201);
    const { data } = await added.json<{ data: { simulcastId: string; state: string } }>();
    expect(data.simulcastId).toMatch(/^[0-9a-f]{32}$/);
    const { state, ...sent } = data;
    expect(sent).toEqual({ ...target, simulcastId: data.simulcastId, isEnabled: true, metadata: { to: "them" } });
    expect(state).toBe("idle");
    const one = at(stream, `/simulcast/${data.simulcastId}`);
    expect(await (await workspace.request("GET", one)).json()).toEqual({ success: true, data });
    expect(await (await workspace.request("PUT", one, { isEnabled: false })).json()).toEqual({
      success: true,
      data: { ...data, isEnabled: false },
    });
    const relabelled = { ...data, isEnabled: false, metadata: {} };
    expect(await (await workspace.request("PUT", one, { metadata: {} })).json()).toMatchObject({ data: relabelled });
    expect((await getStream(workspace, stream.streamId)).simulcastResponses).toEqual([relabelled]);
    expect(await (await workspace.request("DELETE", one)).json()).toEqual({ success: true });
    expect((await workspace.request("DELETE", one)).status).toBe(404);
    const reported = (await eventsOf(stream.streamId)).slice(1);
    const streamId = stream.streamId;
    const hidden = { streamId, streamKey: "redacted" };
    expect(reported.map(({ type, object, data: said }) => [type.split(".").at(-1), object.id, said])).toEqual([
      ["created", streamId, { ...sent, ...hidden }],
      ["updated", streamId, { ...sent, isEnabled: false, ...hidden }],
      ["updated", streamId, { ...sent, isEnabled: false, metadata: {}, ...hidden }],
      ["deleted", streamId, { ...sent, isEnabled: false, metadata: {}, ...hidden }],
    ]);
  });

  test("can be created disabled", async () => {
    const stream = await newStream(workspace);
    const disabled = await (await add(stream, { ...target, isEnabled: false })).json();
    expect(disabled).toMatchObject({ data: { isEnabled: false, state: "idle" } });
    expect(disabled).not.toHaveProperty("warnings");
    expect((await getStream(workspace, stream.streamId)).simulcastResponses).toMatchObject([{ isEnabled: false }]);
    const { status, fields } = await refusal(await add(stream, { ...target, isEnabled: "no" }));
    expect([status, fields]).toEqual([422, [{ field: "isEnabled", message: "is invalid" }]]);
    const misspelt = await add(stream, { ...target, enabled: false });
    expect(misspelt.status).toBe(422);
    expect(await misspelt.text()).toContain("did you mean `isEnabled`?");
  });

  test("may name no application, as published clients do by default, with a warning", async () => {
    const stream = await newStream(workspace);
    const created = async (url: string) => {
      const answer = await add(stream, { ...target, url });
      const { data, warnings = [] } = await answer.json<{ data: { url: string }; warnings?: { field: string }[] }>();
      return [answer.status, data.url, warnings.map(({ field }) => field)];
    };
    for (const url of ["rtmp://live.example.com/", "rtmps://live.example.com", "rtmp://live.example.com/?x=1"])
      expect(await created(url)).toEqual([201, url, ["url"]]);
    expect(await created("rtmp://live.example.com/app")).toEqual([201, "rtmp://live.example.com/app", []]);
  });

  test("have no metadata field when none was set", async () => {
    const { data } = await (await add(await newStream(workspace))).json<{ data: object }>();
    expect(Object.keys(data).sort()).toEqual(["isEnabled", "simulcastId", "state", "streamKey", "url"]);
  });

  test("are added only to an idle stream, and changed on any", async () => {
    const stream = await newStream(workspace);
    const { data } = await (await add(stream)).json<{ data: { simulcastId: string } }>();
    await goLive(stream);
    expect(await refusal(await add(stream))).toEqual({ status: 400, message: "Bad Request" });
    const one = at(stream, `/simulcast/${data.simulcastId}`);
    expect((await workspace.request("PUT", one, { isEnabled: false })).status).toBe(200);
    await workspace.request("PUT", at(stream, "/live-disable"));
    expect((await add(stream)).status).toBe(400);
    expect((await workspace.request("DELETE", one)).status).toBe(200);
  });

  test("are at most five for a stream, also with concurrent requests; a removed one frees its place", async () => {
    const stream = await newStream(workspace);
    const answers = await Promise.all(Array.from({ length: 12 }, () => add(stream)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(await Promise.all(refused.map(refusal))).toEqual(
      refused.map(() => ({
        status: 422,
        message: "payload validation failed",
        fields: [{ field: "streamId", message: "has 5 simulcast targets, the maximum; remove one first" }],
      })),
    );
    const { simulcastResponses } = await getStream(workspace, stream.streamId);
    expect(simulcastResponses).toHaveLength(5);
    await workspace.request("DELETE", at(stream, `/simulcast/${simulcastResponses[0]!.simulcastId}`));
    expect([(await add(stream)).status, (await add(stream)).status]).toEqual([201, 422]);
    expect((await add(await newStream(workspace))).status).toBe(201); // each stream has its own five
  });

  test.each([
    [{ streamKey: "k" }, "url", "must not be null"],
    [{ url: target.url }, "streamKey", "must not be null"],
    [{ ...target, streamKey: "" }, "streamKey", "is invalid"],
    [{ ...target, metadata: "x" }, "metadata", "is invalid"],
    [{ ...target, url: "http://live.example.com/app" }, "url", "must be an rtmp or rtmps URL"],
    [{ ...target, url: "live.example.com" }, "url", "must be an absolute URL"],
    [{ ...target, url: "rtmp://a:b@live.example.com/app" }, "url", "must not carry a user name or password"],
  ])("are refused for %j", async (body, field, message) => {
    const { status, fields } = await refusal(await add(await newStream(workspace), body));
    expect([status, fields]).toEqual([422, [{ field, message }]]);
  });
});

test("viewers are those reported within 30 s, for the session on air", async () => {
  const stream = await newStream(workspace);
  const views = async () => await (await workspace.request("GET", at(stream, "/viewer-count"))).json();
  expect(await views()).toEqual({ success: true, data: { views: 0 } });
  const { sessionId } = await goLive(stream);
  expect(await views()).toEqual({ success: true, data: { views: 0 } });
  await reportViewers(env, stream.streamId, sessionId, 7);
  expect(await views()).toEqual({ success: true, data: { views: 7 } });
  await inMachine(stream, (machine) => {
    machine.components.viewers.reported!.atMs -= 30_000;
  });
  expect(await views()).toEqual({ success: true, data: { views: 0 } });
  await reportViewers(env, stream.streamId, crypto.randomUUID(), 7);
  expect(await views()).toEqual({ success: true, data: { views: 0 } });
});
