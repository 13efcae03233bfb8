/** Unknown stream keys cost a look-up each, so a network may try a few of them (decision 0136). */
import { env } from "cloudflare:test";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newStreamSecret } from "../../../src/live/streams/ids.ts";
import { newWorkspace, send } from "../workspace.ts";
import { asGateway, newStream, type Stream } from "./live-helpers.ts";

let tests = 0;
/** Each test has a network of its own. */
let network: string;
let stream: Stream;
beforeEach(async () => {
  network = `2001:db8:${(0x4200 + (tests += 1)).toString(16)}`;
  stream = await newStream(await newWorkspace());
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const anyKey = () => newStreamSecret(crypto.randomUUID().replaceAll("-", ""));
const pushed = (streamKey: string) =>
  send(
    new Request(`http://sluice.test/ingest/${streamKey}`, {
      method: "POST",
      headers: { "cf-connecting-ip": `${network}::1` },
    }),
  );
const authorized = (streamKey: string, more: object = { network }) =>
  asGateway("authorize", { gatewayId: "gateway-1", protocol: "rtmp", streamKey, ...more });
const passphrase = (streamKey: string, more: object = { network }) =>
  asGateway("passphrase", { gatewayId: "gateway-1", streamKey, ...more });
const statusesOf = async (streamKey: string) =>
  (await Promise.all([pushed(streamKey), authorized(streamKey), passphrase(streamKey)])).map(({ status }) => status);

/** One guess reaches the limit of the network. */
async function closeNetwork() {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  vi.spyOn(env.UNKNOWN_IDS, "limit").mockResolvedValue({ success: false });
  expect((await pushed(anyKey())).status).toBe(401);
}

test("beyond the limit of its network unknown stream keys are refused before the database is asked", async () => {
  await closeNetwork();
  const [prepare, batch] = [vi.spyOn(env.DB, "prepare"), vi.spyOn(env.DB, "batch")];
  const refused = await pushed(anyKey());
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  expect(await refused.json()).toMatchObject({ success: false, error: { code: 429 } });
  expect(await statusesOf(anyKey())).toEqual([429, 429, 429]);
  expect([prepare.mock.calls.length, batch.mock.calls.length]).toEqual([0, 0]);
});

test("keys that were found of late are accepted from a closed network, and others of other networks", async () => {
  const other = await newStream(await newWorkspace());
  expect((await passphrase(stream.streamKey)).status).toBe(200);
  await closeNetwork();
  expect(await statusesOf(other.streamKey)).toEqual([429, 429, 429]);
  expect(await (await authorized(stream.streamKey)).json()).toMatchObject({ accepted: true });
  expect(await (await passphrase(other.streamKey, { network: "2001:db8:43" })).json()).toMatchObject({
    accepted: true,
  });
  vi.setSystemTime(Date.now() + 60_000);
  expect(await (await passphrase(other.streamKey)).json()).toMatchObject({ accepted: true });
});

test("unknown keys count once a minute, without the key, and those of a gateway that names no network do not count", async () => {
  const limiter = vi.spyOn(env.UNKNOWN_IDS, "limit");
  const key = anyKey();
  for (let n = 0; n < 3; n += 1) expect(await statusesOf(key)).toEqual([401, 200, 200]);
  expect(limiter.mock.calls).toEqual([[{ key: `stream key ${network}` }]]);
  expect(await (await authorized(anyKey(), {})).json()).toMatchObject({ accepted: false, reason: "unknown_key" });
  expect(limiter).toHaveBeenCalledTimes(1);
  expect((await pushed("no-key")).status).toBe(401);
  expect(limiter).toHaveBeenCalledTimes(1); // its form is wrong, so it is not looked up
});

test("a key that is asked for again is one query within five seconds", async () => {
  const prepare = vi.spyOn(env.DB, "prepare");
  const key = anyKey();
  expect((await pushed(key)).status).toBe(401);
  const queries = prepare.mock.calls.length;
  expect(await statusesOf(key)).toEqual([401, 200, 200]);
  expect([queries > 0, prepare.mock.calls.length]).toEqual([true, queries]);
});
