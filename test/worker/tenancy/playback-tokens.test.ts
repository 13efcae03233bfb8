/** Tokens that the API makes for owners who do not sign themselves. */
import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { beforeAll, expect, test } from "vitest";
import { assets } from "../../../src/library/assets/tables.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { signingKeys } from "../../../src/tenancy/signing-keys/tables.ts";
import { addRung } from "../playback/playable.ts";
import { type ErrorBody, type MediaAnswer, newWorkspace, send, type TestWorkspace, videoFrom } from "../workspace.ts";

const db = openDatabase(env.DB);
const PATH = "/v1/iam/playback-tokens";
const [OLD_KEYS, NEW_KEY] = [env.WEBHOOK_KEYS, `k2:${btoa("n".repeat(32))}`];

let workspace: TestWorkspace;
let playbackId: string;
beforeAll(async () => {
  workspace = await newWorkspace();
  const body = { ...videoFrom("https://cdn.test/a.mp4"), accessPolicy: "private" };
  const { data } = await (await workspace.request("POST", "/v1/on-demand", body)).json<MediaAnswer>();
  playbackId = data.playbackIds[0]!.id;
  await addRung(data.id);
  await db.update(assets).set({ status: "ready" }).where(eq(assets.id, data.id));
});

interface Made {
  token: string;
  signingKeyId: string;
  expiresAt: string;
}
async function make(body: object = {}, keys = OLD_KEYS): Promise<Made> {
  const headers = { authorization: workspace.authorization, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify({ playbackId, ...body }) };
  const answer = await send(new Request(`http://sluice.test${PATH}`, init), { WEBHOOK_KEYS: keys });
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([201, "no-store"]);
  return (await answer.json<{ data: Made }>()).data;
}
const statusWith = async (token: string) =>
  (await send(new Request(`http://sluice.test/${playbackId}.m3u8?token=${token}`))).status;
const keysOf = () => db.select().from(signingKeys).where(eq(signingKeys.workspaceId, workspace.id));

test("a token plays its playback ID, for an hour by default; all are signed by one key, which is listed", async () => {
  const [first, second] = [await make(), await make({ expiresIn: 60 })];
  expect([await statusWith(first.token), await statusWith(second.token)]).toEqual([200, 200]);
  expect(second.signingKeyId).toBe(first.signingKeyId);
  const { iat, exp, ...claims } = decodeJwt(first.token);
  expect(exp! - iat!).toBe(3600);
  expect(new Date(first.expiresAt).getTime()).toBe(exp! * 1000);
  expect(claims).toEqual({
    kid: first.signingKeyId,
    aud: `media:${playbackId}`,
    iss: "sluice.test",
    sub: workspace.id,
  });
  const listed = await workspace.request("GET", "/v1/iam/signing-keys");
  expect((await listed.json<{ data: { id: string }[] }>()).data.map(({ id }) => id)).toEqual([first.signingKeyId]);
});

test("the private half is stored sealed, and is in no answer", async () => {
  const { signingKeyId } = await make();
  const [key] = await keysOf();
  expect(key!.sealedPrivateKey).toMatch(/^k1\.[\w-]+\.[\w-]+$/);
  const shown = await (await workspace.request("GET", `/v1/iam/signing-keys/${signingKeyId}`)).text();
  expect(shown).not.toMatch(/PRIVATE|sealed/);
});

test("when the key is deleted, its tokens end, and the next request makes another key", async () => {
  const { token, signingKeyId } = await make();
  expect(await statusWith(token)).toBe(200); // the isolate remembers the answer to this URL
  await workspace.request("DELETE", `/v1/iam/signing-keys/${signingKeyId}`);
  expect(await statusWith(token)).toBe(401);
  const next = await make();
  expect(next.signingKeyId).not.toBe(signingKeyId);
  expect(await statusWith(next.token)).toBe(200);
});

test("after a rotation of WEBHOOK_KEYS the key is sealed anew; one that does not open any more is replaced", async () => {
  const first = await make();
  const during = await make({}, `${NEW_KEY},${OLD_KEYS}`);
  expect(during.signingKeyId).toBe(first.signingKeyId);
  const after = await make({}, NEW_KEY);
  expect(after.signingKeyId).toBe(first.signingKeyId);
  const unopened = await make({}, OLD_KEYS);
  expect(unopened.signingKeyId).not.toBe(first.signingKeyId);
  expect(await statusWith(after.token)).toBe(200);
});

test("another workspace's playback ID is unknown", async () => {
  const stranger = await newWorkspace();
  const refused = await stranger.request("POST", PATH, { playbackId });
  expect([refused.status, (await refused.json<ErrorBody>()).error.message]).toEqual([
    404,
    "Media/PlaybackId not Found",
  ]);
  expect(await db.$count(signingKeys, eq(signingKeys.workspaceId, stranger.id))).toBe(0);
});
