/** A gateway's requests and reports about simulcast targets while a broadcast is on air. */
import { beforeAll, expect, test } from "vitest";
import { SimulcastTargets } from "../../../protocol/live.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { at, type Broadcaster, connect, getStream, goLive, newStream, type Stream, typesOf } from "./live-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

async function addTarget(stream: Stream, streamKey: string): Promise<string> {
  const body = { url: "rtmp://live.example.com/app", streamKey };
  const answer = await workspace.request("POST", at(stream, "/simulcast"), body);
  return (await answer.json<{ data: { simulcastId: string } }>()).data.simulcastId;
}

const call = ({ sessionId }: Broadcaster, token: string, name: string, body?: object) =>
  send(
    new Request(`http://sluice.test/internal/live/${sessionId}/${name}`, {
      headers: { authorization: `Bearer ${token}` },
      ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
    }),
  );

test("only the session's gateway gets the enabled targets", async () => {
  const stream = await newStream(workspace);
  const [on, off] = [await addTarget(stream, "one"), await addTarget(stream, "two")];
  await workspace.request("PUT", at(stream, `/simulcast/${off}`), { isEnabled: false });
  const broadcaster = await connect(stream);
  const answer = await call(broadcaster, broadcaster.token, "targets");
  expect(SimulcastTargets.parse(await answer.json()).targets).toEqual([
    { simulcastId: on, url: "rtmp://live.example.com/app", streamKey: "one" },
  ]);
  expect((await call(broadcaster, "nonsense", "targets")).status).toBe(401);
});

test("a target's state is one event, however often it is reported; a removed target has none", async () => {
  const stream = await newStream(workspace);
  const simulcastId = await addTarget(stream, "one");
  const broadcaster = await connect(stream);
  const starting = { eventId: crypto.randomUUID(), simulcastId, state: "starting", at: Date.now() };
  const broadcasting = { ...starting, eventId: crypto.randomUUID(), state: "broadcasting" };
  const unknown = { ...starting, eventId: crypto.randomUUID(), simulcastId: "f".repeat(32) };
  for (const body of [starting, starting, broadcasting, unknown, broadcasting])
    expect((await call(broadcaster, broadcaster.token, "target", body)).status).toBe(200);
  expect((await call(broadcaster, broadcaster.token, "target", { ...starting, state: "dead" })).status).toBe(422);
  const reported = (await typesOf(stream.streamId)).filter((type) => type.startsWith("simulcast_target."));
  expect(reported).toEqual(["simulcast_target.created", "simulcast_target.starting", "simulcast_target.broadcasting"]);
});

test("a target's record says whether it gets the broadcast, and why not, also after the broadcast", async () => {
  const stream = await newStream(workspace);
  const simulcastId = await addTarget(stream, "one");
  const shown = async () => {
    const answer = await workspace.request("GET", at(stream, `/simulcast/${simulcastId}`));
    const { data } = await answer.json<{ data: { state: string; failure?: object } }>();
    const { simulcastResponses } = await getStream(workspace, stream.streamId);
    expect(simulcastResponses).toEqual([data]);
    return [data.state, data.failure];
  };
  expect(await shown()).toEqual(["idle", undefined]);
  const broadcaster = await goLive(stream);
  const report = async (state: string, failure?: object) => {
    const body = { eventId: crypto.randomUUID(), simulcastId, state, failure, at: Date.UTC(2026, 4, 20) };
    expect((await call(broadcaster, broadcaster.token, "target", body)).status).toBe(200);
    return await shown();
  };
  const unreachable = { reason: "unreachable", detail: "ECONNREFUSED" };
  const failed = ["failed", { ...unreachable, at: "2026-05-20T00:00:00.000000Z" }];
  expect(await report("starting")).toEqual(["starting", undefined]);
  expect(await report("failed", unreachable)).toEqual(failed);
  expect(await report("broadcasting")).toEqual(["broadcasting", undefined]);
  expect(await report("failed", unreachable)).toEqual(failed);
  expect(await report("ended")).toEqual(failed);
  await workspace.request("PUT", at(stream, "/finish"));
  expect(await shown()).toEqual(failed);
  await workspace.request("PUT", at(stream, `/simulcast/${simulcastId}`), { isEnabled: false });
  expect(await shown()).toEqual(["idle", undefined]);
  const types = (await typesOf(stream.streamId)).filter((type) => type.startsWith("simulcast_target."));
  expect(types.map((type) => type.split(".")[1])).toEqual(["created", "starting", "broadcasting", "updated"]);
});

test("a target of a broadcast that ended is idle, also when its gateway has reported no end", async () => {
  const stream = await newStream(workspace);
  const simulcastId = await addTarget(stream, "one");
  const broadcaster = await goLive(stream);
  const broadcasting = { eventId: crypto.randomUUID(), simulcastId, state: "broadcasting", at: Date.now() };
  await call(broadcaster, broadcaster.token, "target", broadcasting);
  const stateOf = async () => (await getStream(workspace, stream.streamId)).simulcastResponses[0];
  expect(await stateOf()).toMatchObject({ state: "broadcasting" });
  await workspace.request("PUT", at(stream, "/finish"));
  expect(await stateOf()).toMatchObject({ state: "idle" });
});

test("keys of other platforms are returned only on air; reports about a target are accepted until the next session begins", async () => {
  const stream = await newStream(workspace);
  const simulcastId = await addTarget(stream, "one");
  const broadcaster = await goLive(stream);
  const statuses = async () => {
    const starting = { eventId: crypto.randomUUID(), simulcastId, state: "starting", at: Date.now() };
    const answers = [
      await call(broadcaster, broadcaster.token, "targets"),
      await call(broadcaster, broadcaster.token, "target", starting),
    ];
    return answers.map(({ status }) => status);
  };
  expect(await statuses()).toEqual([200, 200]);
  await broadcaster.left();
  expect(await statuses()).toEqual([410, 200]);
  await workspace.request("PUT", at(stream, "/finish"));
  expect(await statuses()).toEqual([410, 200]);
  const next = await goLive(stream);
  expect(await statuses()).toEqual([410, 410]);
  expect((await call(next, next.token, "targets")).status).toBe(200);
  const started = (await typesOf(stream.streamId)).filter((type) => type === "simulcast_target.starting");
  expect(started).toHaveLength(3);
});
