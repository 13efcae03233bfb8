/** Private playback of assets: what a token opens, what it hands on, and what is refused. */
import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { exportSPKI } from "jose";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { openDatabase } from "../../../src/platform/database.ts";
import { forgetPlayback } from "../../../src/playback/index.ts";
import { playbackIds } from "../../../src/tenancy/access/index.ts";
import { signingKeys } from "../../../src/tenancy/signing-keys/tables.ts";
import { addPassthrough, addRung, get, newAsset } from "./playable.ts";
import { addSigningKey, keyPair, nowSeconds, signToken } from "./tokens.ts";

const WORKSPACE = "w";
const db = openDatabase(env.DB);
let assetId: string;
let id: string;
let keyId: string;

beforeAll(async () => {
  keyId = await addSigningKey(WORKSPACE);
  ({ assetId, playbackId: id } = await newAsset({ status: "ready" }, { accessPolicy: "private" }));
  await addRung(assetId);
});

const uris = (text: string) =>
  [...text.matchAll(/^(?!#)(\S+)$|URI="([^"]+)"/gm)].map(([, line, attribute]) => (line ?? attribute)!);
const errorOf = async (answer: Response) => {
  const { error } = await answer.json<{ error: { code: number; message: string; description: string } }>();
  return { status: answer.status, ...error };
};

/** Every kind of address of an asset. */
const PATHS = [".m3u8", ".mpd", "/v720.m3u8", "/v720/iframes.m3u8", "/v720/init.mp4", "/v720/0.m4s", "/v720/1.m4s"];

describe("every address of a private asset", () => {
  test.each([...PATHS.map((path) => `{id}${path}`), "player/{id}"])("%s needs a token", async (pattern) => {
    const path = `/${pattern.replace("{id}", id)}`;
    const refused = await get(path);
    expect([refused.status, refused.headers.get("cache-control")]).toEqual([401, "no-store"]);
    expect(refused.headers.get("www-authenticate")).toBe('Bearer realm="playback"'); // Basic would make browsers ask for a password
    expect(await errorOf(refused)).toMatchObject({ code: 401, message: "unauthorized" });
    expect((await get(`${path}?token=${await signToken(keyId, id)}`)).status).toBe(200);
    expect((await get(`${path}?token=${await signToken(keyId, crypto.randomUUID())}`)).status).toBe(401);
  });

  test("a range, a HEAD and a conditional request are refused too", async () => {
    const open = await get(`/${id}/v720/0.m4s?token=${await signToken(keyId, id)}`);
    const headers = { "if-none-match": open.headers.get("etag")!, range: "bytes=0-9" };
    expect((await get(`/${id}/v720/0.m4s`, headers)).status).toBe(401);
    expect((await get(`/${id}.m3u8`, {}, "HEAD")).status).toBe(401);
  });

  test("a person without a token sees a page that says so", async () => {
    const page = await get(`/player/${id}`, { accept: "text/html" });
    expect([page.status, await page.text()]).toEqual([401, expect.stringContaining("This video is private")]);
  });

  test.each([
    ["expired", { exp: 1 }, "This link has expired", "Ask for a new one."],
    ["early", { nbf: 4e9, exp: 5e9 }, "This link is not valid yet", "Open it again later."],
    ["another video's", { aud: "media:x" }, "This link is not valid", "ask for a new one."],
    ["malformed", null, "This link is not valid", "Check that it is complete"],
  ])("a person with a token that is %s sees a page that says so", async (_, claims, heading, words) => {
    const token = claims === null ? "not-a-token" : await signToken(keyId, id, claims);
    const page = await get(`/player/${id}?token=${token}`, { accept: "text/html" });
    const text = await page.text();
    expect([page.status, text]).toEqual([401, expect.stringContaining(`<title>${heading}</title>`)]);
    expect(text).toContain(words);
  });

  test("the hosted page hands its token on to a browser without scripts", async () => {
    const token = await signToken(keyId, id);
    const page = await (await get(`/player/${id}?token=${token}`, { accept: "text/html" })).text();
    expect(page).toContain(`src="/${id}.m3u8?token=${token}"`);
  });
});

describe("a manifest hands the permission on", () => {
  test("everything in the multivariant playlist and below plays without a token", async () => {
    const [top] = [await get(`/${id}.m3u8?token=${await signToken(keyId, id)}`)];
    expect(top.headers.get("cache-control")).toBe("private, max-age=5, must-revalidate");
    const [images, ...playlists] = uris(await top.text()).toSorted((one) => (one.endsWith("/images.m3u8") ? -1 : 1));
    expect(playlists).toHaveLength(2);
    const previews = await get(new URL(images!, `https://stream.sluice.test/${id}.m3u8`).pathname);
    expect(await previews.text()).toMatch(new RegExp(`/${id}~[0-9a-f-]+/spritesheet.jpg$`, "m"));
    for (const playlist of playlists) {
      expect(playlist).not.toContain("token");
      const url = new URL(playlist, `https://stream.sluice.test/${id}.m3u8`);
      const answer = await get(url.pathname);
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([
        200,
        "public, max-age=5, s-maxage=5, must-revalidate",
      ]);
      const segments = uris(await answer.text());
      expect(segments.length).toBeGreaterThan(1);
      for (const segment of segments) {
        const media = await get(new URL(segment, url).pathname);
        expect([media.status, media.headers.get("cache-control")]).toEqual([200, "public, max-age=3600, s-maxage=5"]);
        await media.body?.cancel();
      }
    }
  });

  test("everything in the MPD too", async () => {
    const mpd = await (await get(`/${id}.mpd?token=${await signToken(keyId, id)}`)).text();
    const [, base] = /<BaseURL>([^<]+)<\/BaseURL>/.exec(mpd)!;
    for (const file of ["init.mp4", "0.m4s", "1.m4s"]) expect((await get(`/${base}v720/${file}`)).status).toBe(200);
  });

  test("tokens of one key give the same URLs, and the tokens of another key give others", async () => {
    const second = await addSigningKey(WORKSPACE, "second");
    const manifest = async (token: string) => await (await get(`/${id}.m3u8?token=${token}`)).text();
    const [one, other] = [await signToken(keyId, id), await signToken(keyId, id, { exp: nowSeconds() + 60 })];
    expect(one).not.toBe(other);
    expect(await manifest(one)).toBe(await manifest(other));
    expect(await manifest(await signToken(second, id, {}, {}, "second"))).not.toBe(await manifest(one));
  });

  const permitOf = async () => {
    const manifest = await (await get(`/${id}.m3u8?token=${await signToken(keyId, id)}`)).text();
    return /~([^/]+)\//.exec(manifest)![1]!;
  };

  test("a permit is good for its playback ID alone, unchanged", async () => {
    const other = await newAsset({ status: "ready" }, { accessPolicy: "private" });
    await addRung(other.assetId);
    const permit = await permitOf();
    const [expiry, key, mac] = permit.split("-") as [string, string, string];
    const changed = `${mac.startsWith("0") ? "1" : "0"}${mac.slice(1)}`;
    for (const forged of [
      `${other.playbackId}~${permit}`,
      `${id}~${Number(expiry) + 3600}-${key}-${mac}`,
      `${id}~${expiry}-${key}-${changed}`,
      `${id}~${expiry}-${crypto.randomUUID().replaceAll("-", "")}-${mac}`,
    ])
      for (const file of ["/v720.m3u8", "/v720/0.m4s", ".m3u8"])
        expect((await get(`/${forged}${file}`)).status).toBe(401);
    expect((await get(`/${id}~${permit.slice(1)}x/v720/0.m4s`)).status).toBe(404); // not the form of a permit
    for (const zeros of ["0", "00"]) {
      expect((await get(`/${id}~${zeros}${permit}/v720/0.m4s`)).status).toBe(404); // a second address of the same permit
      expect((await get(`/${id}~${zeros}-${key}-${mac}/v720/0.m4s`)).status).toBe(404);
    }
    expect((await get(`/${id}~${permit}/v720/0.m4s`)).status).toBe(200);
  });

  test("a permit hands on itself and no later one; after its end only a token helps", async () => {
    const permit = await permitOf();
    const nowMs = Date.now();
    const [expiry] = permit.split("-");
    const leftMs = Number(expiry) * 1000 - nowMs;
    expect(leftMs).toBeGreaterThan(3600_000);
    expect(leftMs).toBeLessThanOrEqual(2 * 3600_000 + 6000);
    vi.useFakeTimers({ now: nowMs + leftMs - 1000, toFake: ["Date"] });
    try {
      expect(await (await get(`/${id}~${permit}.m3u8`)).text()).toContain(`~${permit}/`);
      expect((await get(`/${id}~${permit}/v720/0.m4s`)).status).toBe(200);
      vi.setSystemTime(nowMs + leftMs);
      const late = await get(`/${id}~${permit}/v720/0.m4s`);
      expect((await errorOf(late)).description).toBe("the address has expired; load the manifest with a token again");
      expect((await get(`/${id}~${permit}/v720/0.m4s?token=${await signToken(keyId, id)}`)).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the permits that a token makes last for the media and at most two hours", () => {
  const HOUR_MS = 3600_000;
  /** How long the permits in an answer last, in ms. */
  const leftOf = async (playbackId: string, path: string): Promise<number[]> => {
    const token = await signToken(keyId, playbackId);
    const answer = await get(`/${playbackId}${path}${path.includes("?") ? "&" : "?"}token=${token}`);
    expect([path, answer.status]).toEqual([path, 200]);
    const text = await answer.text();
    return [...text.matchAll(/~(\d+)-/g)].map(([, expiry]) => Number(expiry) * 1000 - Date.now());
  };
  const expectToLast = async (playbackId: string, path: string, lastsMs: number) => {
    const left = await leftOf(playbackId, path);
    expect([path, left.length > 0]).toEqual([path, true]);
    expect([path, Math.min(...left) >= lastsMs + HOUR_MS - 5000, Math.max(...left) <= lastsMs + 2 * HOUR_MS]).toEqual([
      path,
      true,
      true,
    ]);
  };

  test.each([
    ".m3u8",
    ".mpd",
    "/storyboard.vtt",
    "/images.m3u8",
    "/spritesheet.json",
    "/advanced-spritesheet.json?interval=2",
  ])("%s of a ready media", async (path) => {
    await expectToLast(id, path, 6000);
  });

  test("a media in processing lasts as long as its source, or as the longest media before that is known", async () => {
    const processing = async (durationMs: number | null) => {
      const made = await newAsset({ durationMs }, { accessPolicy: "private" });
      await addRung(made.assetId);
      return made.playbackId;
    };
    for (const path of [".m3u8", ".mpd"]) {
      await expectToLast(await processing(90 * 60_000), path, 90 * 60_000);
      await expectToLast(await processing(null), path, 12 * HOUR_MS);
    }
  });
});

describe("a token is refused", () => {
  const later = () => nowSeconds() + 600;
  const part = (value: object) =>
    btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const claims = () => ({ kid: keyId, aud: `media:${id}`, sub: "", exp: later() });
  /** HS256 with the public key's PEM text as the secret. */
  async function confused(): Promise<string> {
    const pem = await exportSPKI((await keyPair()).publicKey);
    const signed = `${part({ alg: "HS256", kid: keyId })}.${part(claims())}`;
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(pem), algorithm, false, ["sign"]);
    const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(signed));
    const text = btoa(String.fromCharCode(...new Uint8Array(mac)));
    return `${signed}.${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  }

  test.each<[string, () => string | Promise<string>, string]>([
    ["an empty one", () => "", "a playback ID that is not public needs a token"],
    ["no JWT", () => "abc", "the token is not a JSON Web Token"],
    [
      "alg none",
      () => `${part({ alg: "none", kid: keyId })}.${part(claims())}.`,
      "the token must be signed with RS256",
    ],
    ["HS256 with the public key as its secret", confused, "the token must be signed with RS256"],
    [
      "RS256 with no signature",
      () => `${part({ alg: "RS256", kid: keyId })}.${part(claims())}.`,
      "the token's signature is invalid",
    ],
    ["signed by another key", () => signToken(keyId, id, {}, {}, "second"), "the token's signature is invalid"],
    [
      "an unknown kid",
      () => signToken(crypto.randomUUID(), id),
      "the token's kid is not a signing key of this workspace",
    ],
    ["a kid that is no id", () => signToken("../keys", id), "the token's kid is not a signing key of this workspace"],
    [
      "another workspace's kid",
      async () => signToken(await addSigningKey("another"), id),
      "the token's kid is not a signing key of this workspace",
    ],
    [
      "another kid in the claims",
      () => signToken(keyId, id, { kid: crypto.randomUUID() }),
      "the token's kid is not a signing key of this workspace",
    ],
    ["another aud", () => signToken(keyId, crypto.randomUUID()), "the token's aud must be media:{playbackId}"],
    [
      "the aud of a licence",
      () => signToken(keyId, id, { aud: `drm:${id}` }),
      "the token's aud must be media:{playbackId}",
    ],
    ["no aud", () => signToken(keyId, id, { aud: undefined }), "the token's aud must be media:{playbackId}"],
    [
      "another sub",
      () => signToken(keyId, id, { sub: "another" }),
      "the token's sub must be empty or the workspace's id",
    ],
    ["no exp", () => signToken(keyId, id, { exp: undefined }), "the token has no exp"],
    ["an exp that is no number", () => signToken(keyId, id, { exp: "9999999999" }), "the token has no exp"],
    ["expired", () => signToken(keyId, id, { exp: nowSeconds() }), "the token has expired"],
    ["of the future", () => signToken(keyId, id, { nbf: nowSeconds() + 40 }), "the token is not valid yet"],
    ["huge", () => signToken(keyId, id, { more: "x".repeat(4096) }), "a token has at most 4096 characters"],
    [
      "two of them",
      async () => `${await signToken(keyId, id)}&token=${await signToken(keyId, id)}`,
      "more than one token was sent",
    ],
  ])("%s", async (_name, token, description) => {
    expect(await errorOf(await get(`/${id}.m3u8?token=${await token()}`))).toEqual({
      status: 401,
      code: 401,
      message: "unauthorized",
      description,
    });
  });

  test.each<[string, Record<string, unknown>]>([
    ["a clock that is 20 s ahead", { nbf: nowSeconds() + 20 }],
    ["the workspace as sub", { sub: WORKSPACE }],
    ["no kid in its claims", { kid: undefined }],
    ["any issuer", { iss: "https://elsewhere.test" }],
  ])("not with %s", async (_name, change) => {
    expect((await get(`/${id}.m3u8?token=${await signToken(keyId, id, change)}`)).status).toBe(200);
  });

  test("not with several audiences, of which one is the playback ID", async () => {
    const token = await signToken(keyId, id, { aud: ["drm:x", `media:${id}`] });
    expect((await get(`/${id}.m3u8?token=${token}`)).status).toBe(200);
  });
});

test("when a signing key is deleted, its tokens and what they handed on end within 10 s; other keys go on", async () => {
  const [gone, stays] = [await addSigningKey(WORKSPACE), await addSigningKey(WORKSPACE, "second")];
  const [token, other] = [await signToken(gone, id), await signToken(stays, id, {}, {}, "second")];
  const top = `/${id}.m3u8?token=${token}`;
  const [playlist] = uris(await (await get(top)).text());
  const segment = `/${playlist!.replace("v720.m3u8", "v720/0.m4s")}`;
  expect((await get(segment)).status).toBe(200);
  await db.delete(signingKeys).where(eq(signingKeys.id, gone)); // as in another isolate
  const nowMs = Date.now();
  vi.useFakeTimers({ now: nowMs + 5000, toFake: ["Date"] }); // and 5 s in shared caches
  try {
    for (const path of [top, `/${playlist}`, segment]) expect((await get(path)).status).toBe(401);
    expect((await get(`/${id}.m3u8?token=${other}`)).status).toBe(200);
  } finally {
    vi.useRealTimers();
  }
});

test("a deleted playback ID is unknown, and the asset's others play", async () => {
  const second = crypto.randomUUID();
  await db.insert(playbackIds).values({
    id: second,
    targetId: assetId,
    workspaceId: WORKSPACE,
    accessPolicy: "public",
    createdAt: new Date(),
  });
  expect((await get(`/${second}/v720/0.m4s`)).status).toBe(200);
  await db.delete(playbackIds).where(eq(playbackIds.id, second));
  forgetPlayback(second);
  for (const path of PATHS) expect((await get(`/${second}${path}`)).status).toBe(404);
  expect((await get(`/${id}.m3u8?token=${await signToken(keyId, id)}`)).status).toBe(200);
});

test("a private asset in processing plays by passthrough, with permits that last for the longest media", async () => {
  const growing = await newAsset({}, { accessPolicy: "private" });
  expect((await get(`/${growing.playbackId}.m3u8`)).status).toBe(401);
  const token = await signToken(keyId, growing.playbackId);
  expect((await get(`/${growing.playbackId}.m3u8?token=${token}`)).status).toBe(400); // not ready
  await addPassthrough(growing.assetId, [[{ offset: 0, length: 10 }]]);
  const manifest = await (await get(`/${growing.playbackId}.m3u8?token=${token}`)).text();
  const [, expiry] = /~(\d+)-/.exec(manifest)!;
  expect(Number(expiry) - nowSeconds()).toBeGreaterThan(13 * 3600 - 5);
});

test("a growing private MPD is reloaded by its permit, so that its token may expire meanwhile", async () => {
  const growing = await newAsset({}, { accessPolicy: "private" });
  await addRung(growing.assetId, "v270", { isWhole: false });
  const token = await signToken(keyId, growing.playbackId, { exp: nowSeconds() + 5 });
  const mpd = async (path: string) => await (await get(path)).text();
  const locationOf = (text: string) => /<Location>([^<]+)</.exec(text)?.[1];
  const location = locationOf(await mpd(`/${growing.playbackId}.mpd?maxResolution=480p&token=${token}`));
  expect(location).toMatch(new RegExp(`^${growing.playbackId}~[0-9a-f-]+\\.mpd\\?maxResolution=480p$`));
  expect(locationOf(await mpd(`/${location}`))).toBe(location);
  await openDatabase(env.DB)
    .update(playbackIds)
    .set({ accessPolicy: "public" })
    .where(eq(playbackIds.id, growing.playbackId));
  forgetPlayback(growing.playbackId);
  expect(locationOf(await mpd(`/${growing.playbackId}.mpd`))).toBeUndefined();
});
