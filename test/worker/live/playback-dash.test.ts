import { beforeAll, expect, test } from "vitest";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { connect, finish, newStream, settle } from "./live-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const get = (path: string) => send(new Request(`http://sluice.test${path}`));

async function onAir() {
  const stream = await newStream(workspace);
  const broadcaster = await connect(stream);
  await broadcaster.started();
  const put = (msn: number, part: number) => {
    const query = `ticks=15000&at=${(msn * 4 + part) * 15_000}&independent=${part === 0 ? 1 : 0}&last=${part === 3 ? 1 : 0}&capturedAt=${1_795_000_000_000 + msn * 2000}&discontinuity=0&init=0`;
    const path = `/internal/live/${broadcaster.sessionId}/parts/v720/${msn}/${part}?${query}`;
    const headers = { authorization: `Bearer ${broadcaster.token}` };
    return send(new Request(`http://sluice.test${path}`, { method: "PUT", body: `[${msn}.${part}]`, headers }));
  };
  for (let part = 0; part < 4; part += 1) await put(0, part);
  await broadcaster.heartbeat(1);
  await settle(stream);
  const playbackId = stream.playbackIds[0]!.id;
  return { stream, playbackId, sessionId: broadcaster.sessionId, put };
}

test("a stream's MPD refers to its session's; both are static when the session has ended", async () => {
  const { stream, playbackId, sessionId } = await onAir();
  const answer = await get(`/${playbackId}.mpd`);
  expect([answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
    "application/dash+xml",
    "public, max-age=1",
  ]);
  const mpd = await answer.text();
  expect(mpd).toContain(
    `<BaseURL>${playbackId}/${sessionId}/</BaseURL><Location>${playbackId}.${sessionId}.mpd</Location>`,
  );
  expect(mpd).toContain('<S t="0" d="60000" r="1"/>');
  const own = await (await get(`/${playbackId}.${sessionId}.mpd`)).text();
  expect(own).toContain(`<BaseURL>${playbackId}/${sessionId}/</BaseURL>`);
  const clock = /value="([^"]+)"\/><\/MPD>/.exec(own)![1]!;
  const time = await get(clock);
  expect(time.headers.get("cache-control")).toBe("no-store");
  expect(Math.abs(Date.parse(await time.text()) - Date.now())).toBeLessThan(5000);
  await finish(workspace, stream);
  await settle(stream);
  expect(await (await get(`/${playbackId}.${sessionId}.mpd`)).text()).toContain('type="static"');
  // Players that follow the stream's own address see the end there. It is not cached, because the next broadcast uses it.
  const followed = await get(`/${playbackId}.mpd`);
  expect([followed.status, followed.headers.get("cache-control")]).toEqual([200, "public, max-age=1"]);
  const ended = await followed.text();
  expect(ended).toContain("mediaPresentationDuration=");
  expect(ended).not.toMatch(/ type="(?:static|dynamic)"/); // static by default: see LiveMpd
});

test("the unfinished segment is sent part by part, with the same bytes as the stored one", async () => {
  const { playbackId, sessionId, put } = await onAir();
  const path = `/${playbackId}/${sessionId}/v720/1.m4s`;
  const answer = get(path);
  await put(1, 0);
  const reader = (await answer).body!.getReader();
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await next()).toBe("[1.0]");
  await put(1, 1);
  expect(await next()).toBe("[1.1]");
  await put(1, 2);
  await put(1, 3);
  expect((await next()) + (await next()) + (await next())).toBe("[1.2][1.3]");
  expect(await (await get(path)).text()).toBe("[1.0][1.1][1.2][1.3]");
  expect((await get(`/${playbackId}/${sessionId}/v720/3.m4s`)).status).toBe(404);
});
