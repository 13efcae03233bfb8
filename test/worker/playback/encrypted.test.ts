/** Playback IDs with DRM: what their manifests and segments are, who gets a licence, and what never leaves. */
import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { fromBase64, fromBase64Url, toBase64, toBase64Url } from "../../../protocol/base64.ts";
import { initSegment, mediaSegment } from "../../../protocol/media/cmaf.ts";
import { uuidBytes } from "../../../src/media/cenc/content-key.ts";
import { readFragment } from "../../../src/media/cenc/read-fragment.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import type { Env } from "../../../src/platform/env.ts";
import { renditionKey } from "../../../src/platform/storage/keys.ts";
import { playbackIds } from "../../../src/tenancy/access/index.ts";
import { contentKeyOf } from "../../../src/tenancy/drm/index.ts";
import { storeShared } from "../../../src/library/clips/stored-segment.ts";
import { liveSessions, liveStreams } from "../../../src/live/streams/tables.ts";
import { contentKeys } from "../../../src/tenancy/drm/tables.ts";
import { send } from "../workspace.ts";
import { licenseServiceUrl } from "./license-service.ts";
import { addRung, get, newAsset } from "./playable.ts";
import { addSigningKey, signToken } from "./tokens.ts";

const WORKSPACE = "w";
const db = openDatabase(env.DB);
let signingKeyId: string;
beforeAll(async () => {
  signingKeyId = await addSigningKey(WORKSPACE);
});

const picture = (byte: number, bytes: number) => {
  let state = byte;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24;
  const unit = Buffer.from(Array.from({ length: 4 + bytes }, next));
  unit.writeUInt32BE(bytes);
  unit[4] = 0x65; // a key frame, whose parameter sets are not there
  return unit;
};
const INIT = initSegment({
  kind: "video",
  timescale: 25,
  widthPx: 1280,
  heightPx: 720,
  colorMatrix: 1,
  avcConfig: Buffer.from([1, 100, 0, 31, 0xff, 0xe0, 0]),
});
const SEGMENT = mediaSegment([
  {
    sequenceNumber: 1,
    decodeTicks: 0,
    samples: [1, 2, 3].map((n) => ({ data: picture(n, 1000), isSync: n === 1, durationTicks: 1, compositionTicks: 0 })),
  },
]).bytes;

/** A ready asset of one rung with real boxes. */
async function newEncrypted(keySystems: ("clearkey" | "widevine" | "fairplay")[] = ["clearkey"]) {
  const asset = await newAsset({ status: "ready" }, { accessPolicy: "drm", keySystems });
  await addRung(asset.assetId);
  await env.MEDIA.put(renditionKey(asset.assetId, "v720", "init.mp4"), INIT);
  await env.MEDIA.put(renditionKey(asset.assetId, "v720", "0.m4s"), SEGMENT);
  return asset;
}

const tokenFor = (playbackId: string, kind: "media" | "drm" = "drm") =>
  signToken(signingKeyId, playbackId, { aud: `${kind}:${playbackId}` });
const open = async (playbackId: string, path: string, headers: Record<string, string> = {}) =>
  await get(`/${playbackId}${path}?token=${await tokenFor(playbackId)}`, headers);
const bytesOf = async (answer: Response) => new Uint8Array(await answer.arrayBuffer());
const keyRowOf = async (targetId: string) =>
  (await db.select().from(contentKeys).where(eq(contentKeys.targetId, targetId)))[0]!;

async function askLicense(playbackId: string, kids: string[], token: string, prefix = "/v1/on-demand") {
  const url = `https://sluice.test${prefix}/drm/license/clearkey/${playbackId}?token=${token}`;
  // Browsers send no content type.
  return await send(new Request(url, { method: "POST", body: new TextEncoder().encode(JSON.stringify({ kids })) }));
}
const kidOf = (keyId: string) => toBase64Url(uuidBytes(keyId));
const errorOf = async (answer: Response) => {
  const { error } = await answer.json<{ error: { code: number; message: string; description?: string } }>();
  return { status: answer.status, ...error };
};

/** The payload of an encrypted segment's samples, after an independent decryption. */
async function decrypted(segment: Uint8Array, key: Uint8Array<ArrayBuffer>, iv: Uint8Array<ArrayBuffer>) {
  const view = new DataView(segment.buffer, segment.byteOffset, segment.byteLength);
  const boxes: { type: string; at: number; size: number }[] = [];
  for (let at = 0; at < segment.length; at += view.getUint32(at))
    boxes.push({ type: String.fromCharCode(...segment.subarray(at + 4, at + 8)), at, size: view.getUint32(at) });
  const mdat = boxes.find(({ type }) => type === "mdat")!;
  const out = segment.slice(mdat.at + 8, mdat.at + mdat.size);
  const cipher = await crypto.subtle.importKey("raw", key, "AES-CBC", false, ["decrypt", "encrypt"]);
  // Each sample: 5 clear bytes, then one of ten blocks is encrypted.
  for (let sample = 0; sample < out.length; sample += 1004) {
    let previous: Uint8Array<ArrayBuffer> = iv;
    for (let at = sample + 5; at + 16 <= sample + 1004; at += 160) {
      const block = out.slice(at, at + 16);
      // WebCrypto wants a block of padding, which is made to fit.
      const padding = new Uint8Array(
        await crypto.subtle.encrypt({ name: "AES-CBC", iv: block }, cipher, new Uint8Array(0)),
      );
      const whole = new Uint8Array([...block, ...padding]);
      out.set(new Uint8Array(await crypto.subtle.decrypt({ name: "AES-CBC", iv: previous }, cipher, whole)), at);
      previous = block;
    }
  }
  return out;
}

describe("an asset with DRM", () => {
  test("has segments that the licence's key decrypts to the stored ones, and that differ from them before", async () => {
    const { assetId, playbackId } = await newEncrypted();
    const encrypted = await bytesOf(await open(playbackId, "/v720/0.m4s"));
    const row = await keyRowOf(assetId);
    const licence = await askLicense(playbackId, [kidOf(row.id)], await tokenFor(playbackId));
    expect([
      licence.status,
      licence.headers.get("cache-control"),
      licence.headers.get("access-control-allow-origin"),
    ]).toEqual([200, "no-store", "*"]);
    const { keys, type } = await licence.json<{ keys: { kty: string; kid: string; k: string }[]; type: string }>();
    expect([keys.length, keys[0]!.kty, keys[0]!.kid, type]).toEqual([1, "oct", kidOf(row.id), "temporary"]);
    const clear = SEGMENT.subarray(SEGMENT.indexOf("mdat") + 4);
    const [key, iv] = [fromBase64Url(keys[0]!.k)!, fromBase64(row.iv)!];
    expect(Buffer.from(await decrypted(encrypted, key, iv)).equals(clear)).toBe(true);
    expect(Buffer.from(encrypted).includes(clear.subarray(5, 5 + 32))).toBe(false);
  });

  test("that is a clip has a key of its own, also for the segments that it shares with a clear media", async () => {
    const film = await newAsset({ status: "ready" });
    await addRung(film.assetId);
    await env.MEDIA.put(renditionKey(film.assetId, "v720", "init.mp4"), INIT);
    await env.MEDIA.put(renditionKey(film.assetId, "v720", "1.m4s"), SEGMENT);
    const { assetId, playbackId } = await newEncrypted();
    await storeShared(
      env,
      { assetId, rendition: "clip-v720" },
      {
        ownerId: film.assetId,
        rendition: "v720",
        inits: ["init"],
        runs: [{ first: 0, count: 1, initVersion: 0, ownerFirst: 1 }],
      },
    );
    const encrypted = await bytesOf(await open(playbackId, "/clip-v720/0.m4s"));
    const row = await keyRowOf(assetId);
    const licence = await askLicense(playbackId, [kidOf(row.id)], await tokenFor(playbackId));
    const { keys } = await licence.json<{ keys: { k: string }[] }>();
    const clear = SEGMENT.subarray(SEGMENT.indexOf("mdat") + 4);
    expect(Buffer.from(await decrypted(encrypted, fromBase64Url(keys[0]!.k)!, fromBase64(row.iv)!)).equals(clear)).toBe(
      true,
    );
    const init = Buffer.from(await bytesOf(await open(playbackId, "/clip-v720/init-0.mp4")));
    expect(init.includes(Buffer.from(uuidBytes(row.id)))).toBe(true);
    expect(await bytesOf(await get(`/${film.playbackId}/v720/1.m4s`))).toEqual(new Uint8Array(SEGMENT));
  });

  test("has an init segment with the scheme, the key id and the initialization vector", async () => {
    const { assetId, playbackId } = await newEncrypted();
    const init = Buffer.from(await bytesOf(await open(playbackId, "/v720/init.mp4")));
    const { id, iv } = await keyRowOf(assetId);
    for (const type of ["encv", "sinf", "frma", "schm", "schi", "tenc", "pssh"])
      expect([type, init.includes(type)]).toEqual([type, true]);
    expect(init.subarray(init.indexOf("frma") + 4).toString("latin1", 0, 4)).toBe("avc1");
    const tenc = init.subarray(init.indexOf("tenc") + 4);
    // Version 1, pattern 1:9, protected, no IV per sample, the key id, an IV of 16 bytes.
    const expected = Buffer.from([1, 0, 0, 0, 0, 0x19, 1, 0, ...uuidBytes(id), 16, ...fromBase64(iv)!]);
    expect(tenc.subarray(0, expected.length).toString("hex")).toBe(expected.toString("hex"));
    expect(init.toString("latin1").match(/avc1/g)).toHaveLength(1); // in `frma` alone
  });

  test("keeps the times, sizes and flags of its samples", async () => {
    const { playbackId } = await newEncrypted();
    const encrypted = Buffer.from(await bytesOf(await open(playbackId, "/v720/0.m4s")));
    const moofOf = (bytes: Buffer) => {
      const at = bytes.indexOf("moof") - 4;
      return bytes.subarray(at, at + bytes.readUInt32BE(at));
    };
    expect(() => readFragment(moofOf(encrypted))).toThrow("encrypted");
    const withoutTables = Buffer.from(moofOf(encrypted));
    withoutTables.write("free", withoutTables.indexOf("senc"), "latin1");
    const { rows, decodeTicks } = readFragment(withoutTables);
    const clear = readFragment(moofOf(Buffer.from(SEGMENT)));
    expect({ rows, decodeTicks }).toEqual({ rows: clear.rows, decodeTicks: clear.decodeTicks });
  });

  test("has the same encrypted bytes at all its playback IDs with the same key system, and clear ones at a public ID", async () => {
    const { assetId, playbackId } = await newEncrypted();
    const [second, third] = [crypto.randomUUID(), crypto.randomUUID()];
    const common = { targetId: assetId, workspaceId: WORKSPACE, createdAt: new Date() };
    await db.insert(playbackIds).values([
      { ...common, id: second, accessPolicy: "drm", keySystems: ["clearkey"] },
      { ...common, id: third, accessPolicy: "public" },
    ]);
    const [one, other] = [await open(playbackId, "/v720/0.m4s"), await open(second, "/v720/0.m4s")];
    expect(one.headers.get("etag")).toBe(other.headers.get("etag"));
    expect(toBase64(await bytesOf(one))).toBe(toBase64(await bytesOf(other)));
    expect(Buffer.from(await bytesOf(await get(`/${third}/v720/0.m4s`))).equals(SEGMENT)).toBe(true);
    expect(await (await get(`/${third}/v720.m3u8`)).text()).not.toContain("EXT-X-KEY");
  });

  test("is listed with its key in HLS and DASH, without playlists of key frames, and never with the key itself", async () => {
    const { assetId, playbackId } = await newEncrypted();
    const top = await (await open(playbackId, ".m3u8")).text();
    const list = await (await open(playbackId, "/v720.m3u8")).text();
    const mpd = await (await open(playbackId, ".mpd")).text();
    const { id } = await keyRowOf(assetId);
    const kid = id.replaceAll("-", "");
    expect(top).not.toContain("I-FRAME");
    expect((await open(playbackId, "/v720/iframes.m3u8")).status).toBe(404);
    expect(
      list.split("\n").slice(
        0,
        list.split("\n").findIndex((line) => line.startsWith("#EXT-X-MAP")),
      ),
    ).toContain(
      `#EXT-X-KEY:METHOD=SAMPLE-AES,URI="data:text/plain;base64,${toBase64(uuidBytes(id))}",KEYID=0x${kid},KEYFORMAT="org.w3.clearkey",KEYFORMATVERSIONS="1"`,
    );
    expect(mpd).toContain(
      `<ContentProtection schemeIdUri="urn:mpeg:dash:mp4protection:2011" value="cbcs" cenc:default_KID="${id}"/>`,
    );
    expect(mpd).toContain('<ContentProtection schemeIdUri="urn:uuid:e2719d58-a985-b3c9-781a-b030af78d30e"/>');
    const licence = await askLicense(playbackId, [kidOf(id)], await tokenFor(playbackId));
    const [{ k }] = (await licence.json<{ keys: [{ k: string }] }>()).keys;
    const key = fromBase64Url(k)!;
    for (const text of [top, list, mpd, JSON.stringify(await keyRowOf(assetId))])
      for (const form of [k, toBase64(key), Buffer.from(key).toString("hex")]) expect(text).not.toContain(form);
  });

  test("is cached as private media is: shared caches keep one object for all viewers", async () => {
    const { playbackId } = await newEncrypted();
    const list = await (await open(playbackId, ".m3u8")).text();
    const [, address] = /^(\S+)\/v720\.m3u8$/m.exec(list)!;
    const segment = await get(`/${address}/v720/0.m4s`);
    expect([segment.status, segment.headers.get("cache-control")]).toEqual([200, "public, max-age=3600, s-maxage=5"]);
    expect(Number(segment.headers.get("content-length"))).toBe((await segment.arrayBuffer()).byteLength);
    const etag = segment.headers.get("etag")!;
    expect((await get(`/${address}/v720/0.m4s`, { "if-none-match": etag })).status).toBe(304);
    // Ranges of clear bytes would be other bytes.
    const ranged = await get(`/${address}/v720/0.m4s`, { range: "bytes=0-9" });
    expect([ranged.status, ranged.headers.get("accept-ranges")]).toEqual([200, null]);
  });

  test.each(["", ".m3u8", ".mpd", "/v720.m3u8", "/v720/init.mp4", "/v720/0.m4s"])(
    "%s needs a token of its playback ID",
    async (path) => {
      const { playbackId } = await newEncrypted();
      const url = path === "" ? `/player/${playbackId}` : `/${playbackId}${path}`;
      expect((await get(url)).status).toBe(401);
      expect((await get(`${url}?token=${await tokenFor(crypto.randomUUID())}`)).status).toBe(401);
      for (const kind of ["media", "drm"] as const)
        expect((await get(`${url}?token=${await tokenFor(playbackId, kind)}`)).status).toBe(200);
    },
  );

  test("plays nowhere when its playback ID has no DRM configuration", async () => {
    const { assetId, playbackId } = await newAsset({ status: "ready" }, { accessPolicy: "drm" });
    await addRung(assetId);
    expect(await errorOf(await open(playbackId, "/v720/0.m4s"))).toMatchObject({
      status: 403,
      description: "this playback ID has no DRM configuration",
    });
  });
});

test.each([
  "license/playready/{id}",
  "license/PlayReady/{id}",
  "license/clearkey",
  "license/clearkey/{id}/more",
  "cert/widevine/{id}",
  "nothing",
])("a licence address that does not exist, %s, is 404 with those that do, also for browsers", async (place) => {
  for (const prefix of ["/v1/on-demand", "/v1/live", "/v1/live/on-demand"])
    for (const method of ["POST", "GET"]) {
      const url = `https://sluice.test${prefix}/drm/${place.replace("{id}", crypto.randomUUID())}?token=t`;
      const answer = await send(new Request(url, { method }));
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      const { status, description } = await errorOf(answer);
      expect(status).toBe(404);
      for (const system of ["clearkey", "widevine", "fairplay"])
        expect(description).toContain(`license/${system}/{playbackId}`);
      expect((await send(new Request(url, { method: "OPTIONS" }))).status).toBe(204);
    }
});

describe("a ClearKey licence", () => {
  test.each(["/v1/on-demand", "/v1/live", "/v1/live/on-demand"])(
    "is given below %s, also to browsers' preflights",
    async (prefix) => {
      const { assetId, playbackId } = await newEncrypted();
      await open(playbackId, "/v720.m3u8");
      const kid = kidOf((await keyRowOf(assetId)).id);
      expect((await askLicense(playbackId, [kid], await tokenFor(playbackId), prefix)).status).toBe(200);
      const url = `https://sluice.test${prefix}/drm/license/clearkey/${playbackId}`;
      const preflight = await send(new Request(url, { method: "OPTIONS" }));
      expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([
        204,
        "GET, POST, OPTIONS",
      ]);
    },
  );

  test("needs a token for licences: not that of another playback ID, not one for media, and not none", async () => {
    const { assetId, playbackId } = await newEncrypted();
    await open(playbackId, "/v720.m3u8");
    const kid = kidOf((await keyRowOf(assetId)).id);
    const refusals = [
      ["", "a playback ID that is not public needs a token"],
      [await tokenFor(playbackId, "media"), "the token's aud must be drm:{playbackId}"],
      [await tokenFor(crypto.randomUUID()), "the token's aud must be drm:{playbackId}"],
    ] as const;
    for (const [token, description] of refusals) {
      const answer = await askLicense(playbackId, [kid], token);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*"); // so that a page can read why
      expect(await errorOf(answer)).toMatchObject({ status: 401, description });
    }
  });

  test("has only keys of its own playback ID's media, and of none without ClearKey", async () => {
    const [ours, theirs] = [await newEncrypted(), await newEncrypted()];
    for (const { playbackId } of [ours, theirs]) await open(playbackId, "/v720.m3u8");
    const [own, foreign] = [await keyRowOf(ours.assetId), await keyRowOf(theirs.assetId)];
    const token = await tokenFor(ours.playbackId);
    expect(await errorOf(await askLicense(ours.playbackId, [kidOf(foreign.id)], token))).toMatchObject({
      status: 403,
      message: "license refused",
    });
    const both = await askLicense(ours.playbackId, [kidOf(foreign.id), kidOf(own.id)], token);
    expect((await both.json<{ keys: { kid: string }[] }>()).keys.map(({ kid }) => kid)).toEqual([kidOf(own.id)]);

    const clear = await newAsset({ status: "ready" }, { accessPolicy: "private" });
    const answer = await askLicense(clear.playbackId, [kidOf(own.id)], await tokenFor(clear.playbackId));
    expect(await errorOf(answer)).toMatchObject({
      status: 404,
      description: "no playback ID with licences of clearkey has this id",
    });
    expect((await askLicense(crypto.randomUUID(), [kidOf(own.id)], token)).status).toBe(404);
    expect((await askLicense("nothing", [kidOf(own.id)], token)).status).toBe(404);
  });

  test.each([
    ["no key ids", { kids: [] }, "kids"],
    ["too many", { kids: Array.from({ length: 17 }, () => kidOf(crypto.randomUUID())) }, "kids"],
    ["a key id of another length", { kids: ["c2hvcnQ"] }, "kids[0]"],
    ["another type", { kids: [kidOf(crypto.randomUUID())], type: "forever" }, "type"],
    ["no JSON", "?", "body", "is not JSON", "must be a JSON document"],
    ["nothing", "", "body", "is empty", "must be a JSON document"],
  ])("is refused for a request with %s", async (_what, body, field, message?: string, hint?: string) => {
    const { playbackId } = await newEncrypted();
    const url = `https://sluice.test/v1/on-demand/drm/license/clearkey/${playbackId}?token=${await tokenFor(playbackId)}`;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const answer = await send(new Request(url, { method: "POST", body: text }));
    type Named = { field: string; message: string }[];
    const { error } = await answer.json<{ error: { fields?: Named; hints?: Named } }>();
    expect([answer.status, error.fields?.map((one) => one.field)]).toEqual([422, [field]]);
    if (message === undefined) return;
    expect([error.fields?.[0]?.message, error.hints?.[0]?.message]).toEqual([message, hint]);
  });
});

test("a ClearKey licence of a stream has the keys of its sessions and their clips, and no others", async () => {
  const [streamId, playbackId] = ["a".repeat(32), crypto.randomUUID()];
  const [session, clip, foreign] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
  const now = new Date();
  await db.batch([
    db.insert(liveStreams).values({
      id: streamId,
      workspaceId: WORKSPACE,
      streamKey: "",
      srtSecret: "",
      srtPlaybackSecret: "",
      maxResolution: "480p",
      mediaPolicy: "private",
      keySystems: ["clearkey"],
      latencyMode: "low",
      reconnectWindowS: 60,
      maxDurationS: 0,
      enableDvrMode: false,
      enableRecording: true,
      metadata: {},
      status: "idle",
      createdAt: now,
      updatedAt: now,
    }),
    db.insert(playbackIds).values({
      id: playbackId,
      kind: "stream",
      targetId: streamId,
      workspaceId: WORKSPACE,
      accessPolicy: "drm",
      keySystems: ["clearkey"],
      createdAt: now,
    }),
    db.insert(liveSessions).values({
      id: session,
      streamId,
      workspaceId: WORKSPACE,
      gatewayId: "g",
      protocol: "rtmp",
      latencyMode: "low",
      partTargetMs: 500,
      segmentMs: 4000,
      segments: 0,
      startedAt: now,
    }),
  ]);
  await newAsset({ id: clip, streamId });
  const ctx = { waitUntil: () => {} };
  const keyOf = async (targetId: string) => (await contentKeyOf(env, ctx, targetId, "platform")).contentKey.keyId;
  const known = [await keyOf(session), await keyOf(clip)];
  const others = [await keyOf(foreign), crypto.randomUUID()];
  const service = { ...env, DRM_LICENSE_PROXY_CPIX_URL: `${licenseServiceUrl()}/cpix` };
  others.push((await contentKeyOf(service, ctx, session, "service")).contentKey.keyId);
  const licence = await askLicense(playbackId, [...known, ...others].map(kidOf), await tokenFor(playbackId));
  const { keys } = await licence.json<{ keys: { kid: string }[] }>();
  expect(keys.map(({ kid }) => kid)).toEqual(known.map(kidOf));
});

describe("licences of an owner's licence service", () => {
  const service = licenseServiceUrl;
  const variables = () => ({
    DRM_LICENSE_PROXY_CPIX_URL: `${service()}/cpix`,
    DRM_LICENSE_PROXY_WIDEVINE_URL: `${service()}/widevine`,
    DRM_LICENSE_PROXY_FAIRPLAY_URL: `${service()}/fairplay`,
    DRM_LICENSE_PROXY_FAIRPLAY_CERTIFICATE_URL: `${service()}/certificate`,
    DRM_LICENSE_PROXY_AUTHORIZATION: "Bearer of the owner",
  });
  interface Asked {
    path: string;
    authorization: string | null;
    contentId: string | null;
    keyIds: string | null;
    body: string;
  }
  const askedOf = async (assetId: string) =>
    (await (await fetch(`${service()}/asked`)).json<Asked[]>()).filter(
      ({ contentId, body }) => contentId === assetId || atob(body).includes(assetId),
    );
  interface Ask {
    overrides?: Partial<Env>;
    /** Null = a GET. */
    body?: Uint8Array<ArrayBuffer> | null;
  }
  const ask = async (
    playbackId: string,
    place: string,
    { overrides = variables(), body = new Uint8Array([8, 4]) }: Ask = {},
  ) => {
    const url = `https://sluice.test/v1/on-demand/drm/${place}/${playbackId}?token=${await tokenFor(playbackId)}`;
    return await send(new Request(url, body === null ? {} : { method: "POST", body }), overrides);
  };

  test("come for the player's challenge, with the owner's authorization and the only keys that the token is for", async () => {
    const { assetId, playbackId } = await newEncrypted(["widevine", "fairplay"]);
    for (const system of ["widevine", "fairplay"]) {
      const licence = await ask(playbackId, `license/${system}`);
      expect([licence.status, licence.headers.get("content-type")]).toEqual([200, "application/octet-stream"]);
      expect(new Uint8Array(await licence.arrayBuffer())).toEqual(
        new Uint8Array([...new TextEncoder().encode(`${system} licence for `), 8, 4]),
      );
    }
    const certificate = await ask(playbackId, "cert/fairplay", { body: null });
    expect([certificate.status, await certificate.text()]).toEqual([200, "a certificate"]);
    const { id } = await keyRowOf(assetId);
    const seen = await askedOf(assetId);
    expect(seen.map(({ path }) => path)).toEqual(["/cpix", "/widevine", "/fairplay"]);
    expect(new Set(seen.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer of the owner"]));
    expect(seen.slice(1).map(({ contentId, keyIds }) => [contentId, keyIds])).toEqual([
      [assetId, id],
      [assetId, id],
    ]);
  });

  test("are for keys that the service makes over CPIX, which ClearKey never shows", async () => {
    const { assetId, playbackId } = await newEncrypted(["widevine", "fairplay"]);
    const url = `https://sluice.test/${playbackId}/v720.m3u8?token=${await tokenFor(playbackId)}`;
    const list = await (await send(new Request(url), variables())).text();
    const { id } = await keyRowOf(assetId);
    const [, pssh] = /URI="data:text\/plain;base64,([^"]+)",KEYID=0x[0-9a-f]{32},KEYFORMAT="urn:uuid:edef8ba9/.exec(
      list,
    )!;
    expect(atob(pssh!)).toContain(`made by the service for ${id}`);
    expect(list).toContain(`URI="skd://service/${id}",KEYFORMAT="com.apple.streamingkeydelivery"`);

    const encrypted = await bytesOf(await open(playbackId, "/v720/0.m4s"));
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`key of ${id}`));
    const key = new Uint8Array(digest).slice(0, 16);
    const clear = SEGMENT.subarray(SEGMENT.indexOf("mdat") + 4);
    expect(Buffer.from(await decrypted(encrypted, key, fromBase64((await keyRowOf(assetId)).iv)!)).equals(clear)).toBe(
      true,
    );

    expect((await askLicense(playbackId, [kidOf(id)], await tokenFor(playbackId))).status).toBe(404);
    const clearKeyId = crypto.randomUUID();
    await db.insert(playbackIds).values({
      id: clearKeyId,
      targetId: assetId,
      workspaceId: WORKSPACE,
      accessPolicy: "drm",
      keySystems: ["clearkey"],
      createdAt: new Date(),
    });
    expect((await askLicense(clearKeyId, [kidOf(id)], await tokenFor(clearKeyId))).status).toBe(403);
  });

  test("are refused with the missing setting's name while the owner has no service", async () => {
    const { playbackId } = await newEncrypted(["widevine"]);
    const overrides = { ...variables(), DRM_LICENSE_PROXY_WIDEVINE_URL: "" };
    expect(await errorOf(await ask(playbackId, "license/widevine", { overrides }))).toMatchObject({
      status: 400,
      message: "DRM is not set up",
      description: "this deployment has no licence service: set DRM_LICENSE_PROXY_WIDEVINE_URL",
    });
    expect(
      await errorOf(await ask((await newEncrypted(["widevine"])).playbackId, "license/widevine", { overrides: {} })),
    ).toMatchObject({
      status: 400,
      description: "this deployment has no licence service: set DRM_LICENSE_PROXY_CPIX_URL",
    });
  });

  test.each([
    ["refuses", "/status/403", 403, "the licence service answered 403"],
    ["fails", "/status/500", 502, "the licence service answered 500"],
    ["redirects", "/status/302", 502, "the licence service answered 302"],
    ["sends nothing", "/large/0", 502, "the licence service's answer is empty"],
    ["sends too much", "/large/262145", 502, "the licence service's answer is above 256 KiB"],
  ])("a service that %s is reported, without its words", async (_what, path, status, description) => {
    const { playbackId } = await newEncrypted(["widevine"]);
    const overrides = { ...variables(), DRM_LICENSE_PROXY_WIDEVINE_URL: service() + path };
    expect(await errorOf(await ask(playbackId, "license/widevine", { overrides }))).toMatchObject({
      status,
      description,
    });
  });

  test("a service that cannot be reached is reported", async () => {
    const { playbackId } = await newEncrypted(["widevine"]);
    const overrides = { ...variables(), DRM_LICENSE_PROXY_CPIX_URL: "http://127.0.0.1:9/" };
    expect(await errorOf(await ask(playbackId, "license/widevine", { overrides }))).toMatchObject({
      status: 502,
      description: "the licence service does not answer",
    });
  });

  test.each([
    ["scheme", 'the key is for the scheme "cenc"'],
    ["other-key", "the document has no such key"],
    ["short-key", "the key is not 16 bytes in Base64"],
    ["encrypted", "the key has no PlainValue; encrypted documents are not supported"],
    ["uri", "the FairPlay URI does not begin with skd://"],
    ["text", "the answer is not a CPIX document"],
    ["depth", "the document nests more than 64 levels"],
  ])("a key document with another %s is refused, and no key is kept", async (fault, reason) => {
    const { assetId, playbackId } = await newEncrypted(["widevine"]);
    const overrides = { ...variables(), DRM_LICENSE_PROXY_CPIX_URL: `${service()}/cpix/${fault}` };
    expect(await errorOf(await ask(playbackId, "license/widevine", { overrides }))).toMatchObject({
      status: 502,
      description: `the key service's answer cannot be used: ${reason}`,
    });
    expect(await keyRowOf(assetId)).toBeUndefined();
  });

  test("an empty challenge, and one above 64 KiB, reach no service", async () => {
    const { assetId, playbackId } = await newEncrypted(["widevine"]);
    expect((await ask(playbackId, "license/widevine", { body: new Uint8Array(0) })).status).toBe(422);
    expect((await ask(playbackId, "license/widevine", { body: new Uint8Array((64 << 10) + 1) })).status).toBe(413);
    expect((await askedOf(assetId)).map(({ path }) => path)).toEqual([]);
  });
});
