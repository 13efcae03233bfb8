import Cloudflare, { AuthenticationError, NotFoundError, PermissionDeniedError, RateLimitError } from "cloudflare";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  CLOUDFLARE_ACCOUNT,
  CLOUDFLARE_ACCOUNT_TOKEN,
  CLOUDFLARE_READ_TOKEN,
  CLOUDFLARE_TOKEN,
  startCloudflareStandIn,
} from "../../../support/imports/cloudflare-stream-stand-in.ts";
import type { StandIn } from "../../../support/imports/stand-in.ts";
import { CLIP, CLIP_BYTES } from "../suite-kit.ts";

const account = { account_id: CLOUDFLARE_ACCOUNT };
let standIn: StandIn;
const clientOf = (apiToken: string) => new Cloudflare({ apiToken, baseURL: `${standIn.url}/client/v4`, maxRetries: 0 });

beforeEach(async () => {
  standIn = await startCloudflareStandIn();
});
afterEach(() => standIn.close());

test("cloudflare lists the first 1,000 videos, where it stops, and the others by their time", async () => {
  const ids = standIn.addMany(1003, CLIP);
  const { stream } = clientOf(CLOUDFLARE_TOKEN);
  const first: Cloudflare.Stream.Video[] = [];
  for await (const video of stream.list(account)) first.push(video);
  expect(first).toHaveLength(1000);

  const rest: Cloudflare.Stream.Video[] = [];
  for await (const video of stream.list({ ...account, end: first.at(-1)?.created ?? "" })) rest.push(video);
  expect([...first, ...rest].map(({ uid }) => uid ?? "").toSorted()).toEqual(ids.toSorted());
});

test("cloudflare reads a video, its captions and its sounds", async () => {
  const text = "WEBVTT\n\n00:00.000 --> 00:01.000\nHi\n";
  const [id = ""] = standIn.addMany(1, CLIP, () => ({
    title: "A film",
    captions: [{ languageCode: "en", name: "English", text }],
    audioTracks: 2,
  }));
  const { stream } = clientOf(CLOUDFLARE_TOKEN);
  expect(await stream.get(id, account)).toMatchObject({ uid: id, meta: { name: "A film" }, requireSignedURLs: false });
  const captions: Cloudflare.Stream.Caption[] = [];
  for await (const caption of stream.captions.get(id, account)) captions.push(caption);
  expect(captions).toEqual([expect.objectContaining({ language: "en", label: "English" })]);
  expect(await stream.captions.language.vtt.get("en", { ...account, identifier: id })).toBe(text);
  expect((await stream.audioTracks.get(id, account)).audio).toHaveLength(1);
});

test("cloudflare orders a download of a private video, waits for it, and signs its address", async () => {
  const [id = ""] = standIn.addMany(1, CLIP, () => ({ policy: "private" }));
  const { stream } = clientOf(CLOUDFLARE_TOKEN);
  expect((await stream.downloads.create(id, account)).default?.status).toBe("inprogress");
  let download = (await stream.downloads.get(id, account)).default;
  while (download?.status !== "ready") download = (await stream.downloads.get(id, account)).default;
  const address = download.url ?? "";
  expect((await fetch(address)).status).toBe(401);

  const { token: plain = "" } = await stream.token.create(id, account);
  expect((await fetch(address.replace(id, plain))).status).toBe(404);
  const { token = "" } = await stream.token.create(id, { ...account, downloadable: true });
  expect(new Uint8Array(await (await fetch(address.replace(id, token))).arrayBuffer())).toEqual(CLIP_BYTES);
});

test("cloudflare orders and deletes downloads by their kind, which its client has no methods for, and all at once", async () => {
  const [id = ""] = standIn.addMany(1, CLIP);
  const client = clientOf(CLOUDFLARE_TOKEN);
  const { downloads } = client.stream;
  const path = `/accounts/${CLOUDFLARE_ACCOUNT}/stream/${id}/downloads`;
  await client.post(`${path}/audio`);
  await client.post(`${path}/default`);
  expect(Object.keys(await downloads.get(id, account)).toSorted()).toEqual(["audio", "default"]);
  await client.delete(`${path}/default`);
  expect(Object.keys(await downloads.get(id, account))).toEqual(["audio"]);
  await downloads.delete(id, account);
  expect(await downloads.get(id, account)).toEqual({});
});

test("cloudflare verifies tokens of a user and of an account, and meets its own errors", async () => {
  expect((await clientOf(CLOUDFLARE_TOKEN).user.tokens.verify()).status).toBe("active");
  expect((await clientOf(CLOUDFLARE_ACCOUNT_TOKEN).accounts.tokens.verify(account)).status).toBe("active");
  await expect(clientOf(CLOUDFLARE_ACCOUNT_TOKEN).user.tokens.verify()).rejects.toBeInstanceOf(AuthenticationError);
  const { stream } = clientOf(CLOUDFLARE_READ_TOKEN);
  await expect(stream.get("0".repeat(32), account)).rejects.toBeInstanceOf(NotFoundError);
  const [id = ""] = standIn.addMany(1, CLIP);
  await expect(stream.downloads.create(id, account)).rejects.toBeInstanceOf(PermissionDeniedError);
  standIn.plant({ kind: "rateLimited", retryAfterSeconds: 30 });
  await expect(stream.get(id, account)).rejects.toBeInstanceOf(RateLimitError);
});
