/** Tokens that the SDK signs in workerd are accepted by playback, and only for what they are for. */
import { beforeAll, expect, test } from "vitest";
import { signPlaybackToken, SluiceError } from "../../../sdk/index.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { clientOf } from "./network.ts";

let workspace: TestWorkspace;
let key: { keyId: string; privateKey: string };
let playbackIds: string[];

beforeAll(async () => {
  workspace = await newWorkspace();
  const sluice = clientOf(workspace);
  const { data } = await sluice.post("/v1/iam/signing-keys");
  key = { keyId: data.id, privateKey: data.privateKey };
  const body = { playbackSettings: { accessPolicy: "private" as const } };
  playbackIds = [];
  for (let n = 0; n < 2; n += 1) playbackIds.push((await sluice.post("/v1/live/streams", { body })).playback_id);
});

/** State of a stream that is not on air: refused, or not ready. */
async function playback(playbackId: string, token: string): Promise<string> {
  const response = await send(new Request(`http://sluice.test/${playbackId}.m3u8?token=${token}`));
  if (response.status !== 401) return "permitted";
  return (await response.json<{ error: { description: string } }>()).error.description;
}

test("a token plays its playback ID, and no other", async () => {
  const [mine = "", other = ""] = playbackIds;
  const token = await signPlaybackToken({ ...key, playbackId: mine });
  expect(await playback(mine, token)).toBe("permitted");
  expect(await playback(other, token)).toBe("the token's aud must be media:{playbackId}");
});

test("a token is valid from `startsIn` to `expiresIn`", async () => {
  const [playbackId = ""] = playbackIds;
  const sign = (more: object) => signPlaybackToken({ ...key, playbackId, ...more });
  const anHourAgo = new Date(Date.now() - 3_600_000);
  expect(await playback(playbackId, await sign({ expiresIn: 3540, now: anHourAgo }))).toBe("the token has expired");
  expect(await playback(playbackId, await sign({ expiresIn: 3700, now: anHourAgo }))).toBe("permitted");
  expect(await playback(playbackId, await sign({ startsIn: 60 }))).toBe("the token is not valid yet");
});

test("claims of one's own do not replace those of the token", async () => {
  const [playbackId = "", other = ""] = playbackIds;
  const claims = { aud: `media:${other}`, exp: 1, kid: "another", viewer: "v-1" };
  const token = await signPlaybackToken({ ...key, playbackId, claims });
  expect(await playback(playbackId, token)).toBe("permitted");
  expect(JSON.parse(atob(token.split(".")[1]!))).toMatchObject({ viewer: "v-1", aud: `media:${playbackId}` });
});

test("the PEM text of the key works as well", async () => {
  const [playbackId = ""] = playbackIds;
  const token = await signPlaybackToken({ ...key, privateKey: atob(key.privateKey), playbackId });
  expect(await playback(playbackId, token)).toBe("permitted");
});

test.each([
  ["a public key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", "not a PKCS#8 private key"],
  ["PKCS#1", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----", "PKCS#1 instead of PKCS#8"],
  ["a text", "no key at all", "not a PKCS#8 private key"],
  ["a cut key", "", "not a PKCS#8 private key"],
])("%s as the private key is refused, without a trace of it", async (_, given, message) => {
  const privateKey = given || key.privateKey.slice(0, 400);
  const call = signPlaybackToken({ ...key, privateKey, playbackId: playbackIds[0]! });
  await expect(call).rejects.toThrow(SluiceError);
  await expect(call).rejects.toThrow(message);
  const { message: text, cause } = (await call.catch((caught: Error) => caught)) as Error;
  expect(text + String(cause)).not.toContain(privateKey.slice(-20));
});

test.each(["keyId", "privateKey", "playbackId"])("an unset %s is refused with its name", async (name) => {
  const options = { ...key, playbackId: playbackIds[0]!, [name]: undefined } as unknown as Parameters<
    typeof signPlaybackToken
  >[0];
  const call = signPlaybackToken(options);
  await expect(call).rejects.toThrow(SluiceError);
  await expect(call).rejects.toThrow(`${name} is undefined; is its environment variable set?`);
});

test.each([[0], [-1], [Number.NaN]])("expiresIn = %d is refused", async (expiresIn) => {
  const call = signPlaybackToken({ ...key, playbackId: playbackIds[0]!, expiresIn });
  await expect(call).rejects.toThrow("expiresIn must be a number of seconds");
});
