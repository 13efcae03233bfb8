/** Requests of the API, each at its bound and one above it. */
import { env, runInDurableObject } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { vi } from "vitest";
import { gatewayCredential } from "../../../protocol/gateway-credential.ts";
import { sinceProblem } from "../../../src/events/webhooks/deliveries/recover.ts";
import { TAKEN, type Trial, upTo } from "../../support/limits/trials.ts";
import { playlists } from "../../../src/library/playlists/tables.ts";
import { commit, openDatabase } from "../../../src/platform/database.ts";
import { REQUESTS_PER_MINUTE } from "../../../src/tenancy/limits/limit-requests.ts";
import { workspaceUsage } from "../../../src/tenancy/limits/tables.ts";
import { signingKeys } from "../../../src/tenancy/signing-keys/tables.ts";
import { newTrack } from "../../../src/library/tracks/store/new-track.ts";
import { insertTracks } from "../../../src/library/tracks/store/repository.ts";
import { sweepUploads } from "../../../src/library/uploads/index.ts";
import { uploads } from "../../../src/library/uploads/tables.ts";
import { beginChunk } from "../../../src/library/upload-machine/begin-chunk.ts";
import { addCaptionTrack } from "../../../src/library/tracks/add-caption-track.ts";
import { newAsset } from "../playback/playable.ts";
import { machineOf, newUpload, probe } from "../library/uploads/upload-helpers.ts";
import { type MediaAnswer, newWorkspace, send, type TestWorkspace, videoFrom } from "../workspace.ts";
import { dataTrials } from "./data-trials.ts";
import { at, newStream, settings } from "../live/live-helpers.ts";

let workspace: Promise<TestWorkspace> | undefined;
export const ours = () => (workspace ??= newWorkspace());

export const verdictOf = ({ ok, status }: Response) => (ok ? TAKEN : String(status));
const request = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  verdictOf(await (await ours()).request(method, path, body, headers));

const URL_OF_SOURCE = "https://cdn.test/a.mp4";
const media = (more: object, input: object = {}) =>
  request("POST", "/v1/on-demand", { ...videoFrom(URL_OF_SOURCE, input), ...more });
const mixed = (imposeTracks: object[]) => {
  const inputs = [
    { type: "video", url: URL_OF_SOURCE },
    { type: "audio", swapTrackUrl: URL_OF_SOURCE, imposeTracks },
  ];
  return media({ inputs });
};
const webhook = (more: object) =>
  request("POST", "/v1/webhooks", { url: "https://hooks.test/x", skipVerification: true, enabled: false, ...more });
const stream = (more: object) => request("POST", "/v1/live/streams", settings(more));
const target = async (more: object) => {
  const body = { url: "rtmp://live.example.com/app", streamKey: "k", ...more };
  return await request("POST", at(await newStream(await ours()), "/simulcast"), body);
};
async function newPlayback(): Promise<{ mediaId: string; playbackId: string }> {
  const created = await (await ours()).request("POST", "/v1/on-demand", videoFrom(URL_OF_SOURCE));
  const { playback_id: playbackId = "", data } = await created.json<MediaAnswer>();
  return { mediaId: data.id, playbackId };
}
const TRACK = { url: "https://cdn.test/a.srt", languageCode: "it", languageName: "Italian" };
/** @param mediaId default: of a new media */
async function track(more: object, mediaId?: string): Promise<string> {
  const of = mediaId ?? (await newPlayback()).mediaId;
  return await request("POST", `/v1/on-demand/${of}/tracks`, { tracks: { ...TRACK, type: "subtitle", ...more } });
}
const text = (length: number) => "x".repeat(length);
const nested = (levels: number) => "[".repeat(levels) + "1" + "]".repeat(levels);
const urlOf = (length: number, start = "https://cdn.test/") => start + text(length - start.length);

/** Bounds on the structure of a JSON body. @param lead start of a valid body @param leadValues number of values in `lead` */
const bodies = <Prefix extends "api" | "callback">(
  prefix: Prefix,
  post: (body: string) => Promise<string>,
  lead: string,
  leadValues: number,
) => {
  const trials = {
    body: upTo((bytes) => post(`${lead}}`.padEnd(bytes))),
    depth: upTo((levels) => post(`${lead},"new":${nested(levels - 1)}}`)),
    values: upTo((values) => post(`${lead},"new":[${"1,".repeat(values - leadValues - 2)}1]}`)),
    key: upTo((length) => post(`${lead},"${text(length)}":1}`)),
  };
  const named = Object.entries(trials).map(([name, trial]) => [`${prefix}-${name}`, trial]);
  return Object.fromEntries(named) as Record<`${Prefix}-${keyof typeof trials}`, Trial>;
};
const register = async (body: string) =>
  verdictOf(
    await send(
      new Request("http://sluice.test/internal/ingest/register", {
        method: "POST",
        headers: { authorization: `Bearer ${gatewayCredential(env.ENCODER_SECRET, "gateway-1")}` },
        body,
      }),
    ),
  );
const OF_API = `{"inputs":[{"type":"video","url":"${URL_OF_SOURCE}"}],"accessPolicy":"public"`;
const OF_GATEWAY = `{"gatewayId":"gateway-1","startedAt":1,"rtmpUrl":null,"rtmpsUrl":null,"srtUrl":null,"httpUrl":null`;

/** For fields in whole seconds. */
const upToSeconds =
  (probe: (seconds: number) => Promise<string>): Trial =>
  (bound) =>
    upTo(probe)(bound / 1000);

/** Four creations at once by a workspace that uses one less than the bound, of which one succeeds; then another one. */
const usageTrial =
  (column: "mediaCount" | "streamCount" | "uploadCount" | "storedBytes", path: string, body: object): Trial =>
  async (bound) => {
    const workspace = await newWorkspace();
    const use = (used: number) =>
      openDatabase(env.DB)
        .insert(workspaceUsage)
        .values({ workspaceId: workspace.id, [column]: used })
        .onConflictDoUpdate({ target: workspaceUsage.workspaceId, set: { [column]: used } });
    const create = async () => verdictOf(await workspace.request("POST", path, body));
    await use(bound - 1);
    const atOnce = await Promise.all([create(), create(), create(), create()]);
    const taken = atOnce.filter((verdict) => verdict === TAKEN);
    const atBound = column === "storedBytes" || taken.length === 1 ? taken[0]! : `taken: ${taken.length}`;
    await use(bound);
    return { atBound, above: await create() };
  };

/** A text of this many bytes for a subtitle track that is available. */
async function subtitleText(bytes: number): Promise<string> {
  const workspace = await ours();
  const { assetId } = await newAsset({ workspaceId: workspace.id, status: "ready", stage: "done" });
  const trackId = crypto.randomUUID();
  const cues = [{ startMs: 0, endMs: 1000, settings: "", text: "a" }];
  const labels = { languageCode: "en", languageName: "English" };
  await addCaptionTrack(env, { assetId, trackId }, labels, { cues, skipped: 0 }, new Date());
  const headers = { authorization: workspace.authorization, "content-type": "text/vtt" };
  const body = "WEBVTT\n\n00:01.000 --> 00:02.000\na\n\nNOTE ".padEnd(bytes, "x");
  const url = `http://sluice.test/v1/on-demand/${assetId}/tracks/${trackId}/vtt`;
  return verdictOf(await send(new Request(url, { method: "PUT", headers, body })));
}

export const API_TRIALS = {
  ...bodies("api", (body) => request("POST", "/v1/on-demand", body), OF_API, 5),
  ...bodies("callback", register, OF_GATEWAY, 6),
  "unknown-fields": upTo(async (count) => {
    const unknown = Object.fromEntries(Array.from({ length: count }, (_, n) => [`unknown${n}`, 1]));
    const response = await (await ours()).request("POST", "/v1/on-demand", { ...videoFrom(URL_OF_SOURCE), ...unknown });
    const { warnings } = await response.json<{ warnings: object[] }>();
    return warnings.length === count ? TAKEN : "not named";
  }),
  "source-url": upTo((length) => media(videoFrom(urlOf(length)))),
  "upload-cors-origin": upTo(async (length) => {
    const corsOrigin = `https://${text(length - "https://".length - 2)}.a`;
    return await request("POST", "/v1/on-demand/upload", { corsOrigin });
  }),
  "upload-size": upTo(async (bytes) => {
    const { status } = await probe((await newUpload(await ours())).url, bytes);
    return status === 308 ? TAKEN : String(status);
  }),
  "upload-open-pieces": upTo(async (count) => {
    const { uploadId } = await newUpload(await ours());
    await runInDurableObject(machineOf(uploadId), async ({ components }) => {
      for (let n = 0; n < count; n += 1) await beginChunk(components, { offset: 0, length: 100, totalBytes: 1000 });
    });
    const dropped = await runInDurableObject(machineOf(uploadId), ({ components }) => components.pieces.due(0, 1));
    return dropped.length === 0 ? TAKEN : "dropped";
  }),
  "montage-files": upTo((count) =>
    media({ inputs: Array.from({ length: count }, (_, n) => ({ type: "video", url: `${URL_OF_SOURCE}?${n}` })) }),
  ),
  "montage-takes": upTo((count) =>
    media({ inputs: Array.from({ length: count }, () => ({ type: "video", url: URL_OF_SOURCE })) }),
  ),
  "expunged-ranges": upTo((count) =>
    media({}, { expungeSegments: Array.from({ length: count }, (_, n) => `${2 * n}-${2 * n + 1}`) }),
  ),
  "inserted-clips": upTo((count) =>
    media({}, { segments: Array.from({ length: count }, () => ({ url: URL_OF_SOURCE, insertAt: 1 })) }),
  ),
  watermarks: upTo((count) => {
    const mark = { type: "watermark", url: "https://cdn.test/logo.png" };
    return media({ inputs: [{ type: "video", url: URL_OF_SOURCE }, ...Array.from({ length: count }, () => mark)] });
  }),
  "insert-time": upTo((ms) => media({}, { segments: [{ url: URL_OF_SOURCE, insertAt: ms / 1000 }] })),
  "clip-start": upTo((ms) => media({}, { startTime: ms / 1000 })),
  "clip-end": upTo((ms) => media({}, { endTime: ms / 1000 })),
  title: upTo((length) => media({ title: text(length) })),
  "creator-id": upTo((length) => media({ creatorId: text(length) })),
  "metadata-pairs": upTo((count) =>
    media({ metadata: Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, "v"])) }),
  ),
  "metadata-key": upTo((length) => media({ metadata: { [text(length)]: "v" } })),
  "metadata-value": upTo((length) => media({ metadata: { k: text(length) } })),
  "idempotency-key": upTo((length) =>
    request("POST", "/v1/on-demand", videoFrom(URL_OF_SOURCE), { "idempotency-key": text(length) }),
  ),
  "page-size": upTo((limit) => request("GET", `/v1/on-demand?limit=${limit}`)),
  "page-number": upTo((offset) => request("GET", `/v1/on-demand?offset=${offset}`)),
  "cursor-page-size": upTo((limit) => request("GET", `/v1/events?limit=${limit}`)),
  "filter-object-id": upTo((length) => request("GET", `/v1/events?objectId=${text(length)}`)),
  "filter-resource-id": upTo((length) => request("GET", `/v1/request-logs?resourceId=${text(length)}`)),
  "webhook-url": upTo((length) => webhook({ url: urlOf(length) })),
  "webhook-description": upTo((length) => webhook({ description: text(length) })),
  "webhook-patterns": upTo((count) => webhook({ eventTypes: Array.from({ length: count }, () => "asset.*") })),
  webhooks: async (bound: number) => {
    const workspace = await newWorkspace();
    const answers: string[] = [];
    for (let n = 0; n <= bound; n++) {
      const body = { url: `https://hooks.test/${n}`, skipVerification: true, enabled: false };
      answers.push(verdictOf(await workspace.request("POST", "/v1/webhooks", body)));
    }
    const above = answers.pop()!;
    return { atBound: answers.find((answer) => answer !== TAKEN) ?? TAKEN, above };
  },
  "workspace-media": usageTrial("mediaCount", "/v1/on-demand", videoFrom(URL_OF_SOURCE)),
  "workspace-uploads": usageTrial("uploadCount", "/v1/on-demand/upload", { corsOrigin: "*" }),
  "upload-kept": upTo(async (ageMs) => {
    const { uploadId } = await newUpload(await ours());
    const now = new Date();
    const createdAt = new Date(now.getTime() - ageMs);
    await openDatabase(env.DB).update(uploads).set({ status: "cancelled", createdAt }).where(eq(uploads.id, uploadId));
    await sweepUploads(env, now);
    return (await (await ours()).request("GET", `/v1/on-demand/upload/${uploadId}`)).ok ? TAKEN : "deleted";
  }),
  "workspace-streams": usageTrial("streamCount", "/v1/live-stream", {}),
  "workspace-bytes": usageTrial("storedBytes", "/v1/on-demand", videoFrom(URL_OF_SOURCE)),
  ...dataTrials,
  // 6,000 requests to the local rate limiter take too long, so this one only counts. test/pure/bindings.test.ts has the number of wrangler.toml.
  "api-requests": async (bound: number) => {
    const workspace = await newWorkspace();
    let counted = bound - 1;
    const limiter = vi.spyOn(env.API_REQUESTS, "limit");
    limiter.mockImplementation(async ({ key }) => ({
      success: key !== workspace.id || ++counted <= REQUESTS_PER_MINUTE,
    }));
    const list = async () => {
      const { status, headers } = await workspace.request("GET", "/v1/on-demand");
      const retryAfter = headers.get("retry-after");
      return status === 200 ? TAKEN : `${status}${retryAfter === "60" ? "" : ` ${retryAfter}`}`;
    };
    try {
      return { atBound: await list(), above: await list() };
    } finally {
      limiter.mockRestore();
    }
  },
  "playback-ids": async (bound: number) => {
    const { mediaId } = await newPlayback();
    const add = () => request("POST", `/v1/on-demand/${mediaId}/playback-ids`, { accessPolicy: "public" });
    for (let made = 2; made < bound; made += 1) await add();
    return { atBound: await add(), above: await add() };
  },
  "live-playback-ids": async (bound: number) => {
    const path = at(await newStream(await ours()), "/playback-ids");
    for (let made = 2; made < bound; made += 1) await request("POST", path, {});
    return { atBound: await request("POST", path, {}), above: await request("POST", path, {}) };
  },
  tracks: async (bound: number) => {
    const { mediaId } = await newPlayback();
    const taken = Array.from({ length: bound - 1 }, (_, n) =>
      insertTracks(openDatabase(env.DB), [
        newTrack({ ...TRACK, kind: "subtitle", languageName: `n${n}` }, mediaId, new Date()),
      ]),
    );
    await commit(env.DB, taken.flat());
    return {
      atBound: await track({ languageName: "First" }, mediaId),
      above: await track({ languageName: "Next" }, mediaId),
    };
  },
  "imposed-tracks": upTo((count) => mixed(Array.from({ length: count }, () => ({ url: URL_OF_SOURCE })))),
  "imposed-time": upToSeconds((seconds) => mixed([{ url: URL_OF_SOURCE, fadeInLevel: seconds }])),
  "track-title": upTo((length) => track({ title: text(length) })),
  "language-name": upTo((length) => track({ languageName: text(length) })),
  "vocabulary-terms": upTo((count) =>
    request("PUT", "/v1/ai/settings", { vocabulary: Array.from({ length: count }, () => "a") }),
  ),
  "vocabulary-text": upTo((length) => {
    const terms = [99, 99, 99].map((count) => "a".repeat(count));
    const rest = length - terms.join(", ").length - 2;
    return request("PUT", "/v1/ai/settings", { vocabulary: [...terms, "a".repeat(rest)] });
  }),
  "subtitle-text": upTo(subtitleText),
  "language-code": upTo((length) => track({ languageCode: `en-x-${"a-".repeat(length)}`.slice(0, length - 1) + "a" })),
  "access-rules": upTo((count) =>
    media({ accessRestrictions: { domains: { deny: Array.from({ length: count }, (_, n) => `${n}.example.com`) } } }),
  ),
  "access-rule": upTo((length) => media({ accessRestrictions: { userAgents: { deny: [text(length)] } } })),
  "playback-token-lifetime": upToSeconds(async (expiresIn) => {
    const { playbackId } = await newPlayback();
    return await request("POST", "/v1/iam/playback-tokens", { playbackId, expiresIn });
  }),
  "signing-keys": async (bound: number) => {
    const db = openDatabase(env.DB);
    const workspace = await newWorkspace();
    const create = async () => verdictOf(await workspace.request("POST", "/v1/iam/signing-keys"));
    const rows = Array.from({ length: bound - 1 }, () => ({
      id: crypto.randomUUID(),
      workspaceId: workspace.id,
      publicKey: "",
      createdAt: new Date(),
    }));
    await commit(
      env.DB,
      rows.map((row) => db.insert(signingKeys).values(row)),
    );
    return { atBound: await create(), above: await create() };
  },
  playlists: async (bound: number) => {
    const db = openDatabase(env.DB);
    const workspace = await newWorkspace();
    const body = (referenceId: string) => ({ name: "a", referenceId, type: "manual" as const });
    const create = async (referenceId: string) =>
      verdictOf(await workspace.request("POST", "/v1/on-demand/playlists", body(referenceId)));
    const now = new Date();
    const rows = Array.from({ length: bound - 1 }, (_, n) => ({
      ...body(String(n)),
      id: crypto.randomUUID(),
      workspaceId: workspace.id,
      mediaLimit: 1,
      createdAt: now,
      updatedAt: now,
    }));
    await commit(
      env.DB,
      rows.map((row) => db.insert(playlists).values(row)),
    );
    return { atBound: await create("last"), above: await create("too many") };
  },
  "playlist-media": upTo((limit) =>
    request("POST", "/v1/on-demand/playlists", { name: "a", referenceId: crypto.randomUUID(), type: "manual", limit }),
  ),
  "playlist-media-ids": async (bound: number) => {
    const workspace = await newWorkspace();
    const path = `/v1/on-demand/playlists/${crypto.randomUUID()}/media`;
    const add = async (count: number) => {
      const mediaIds = Array.from({ length: count }, () => crypto.randomUUID());
      const { status } = await workspace.request("PATCH", path, { mediaIds });
      return status === 404 ? TAKEN : String(status); // there is no such playlist
    };
    return { atBound: await add(bound), above: await add(bound + 1) };
  },
  "recover-since": upTo((ms) => (sinceProblem(new Date(0), new Date(ms)) === null ? TAKEN : "422")),
  "reconnect-window": upToSeconds((reconnectWindow) => stream({ reconnectWindow })),
  "max-duration": upToSeconds((maxDuration) => stream({ maxDuration })),
  "simulcast-url": upTo((length) => target({ url: urlOf(length, "rtmp://live.example.com/") })),
  "simulcast-key": upTo((length) => target({ streamKey: text(length) })),
  "simulcast-targets": async (bound: number) => {
    const workspace = await ours();
    const path = at(await newStream(workspace), "/simulcast");
    const body = { url: "rtmp://live.example.com/app", streamKey: "k" };
    const answers = await Promise.all(Array.from({ length: bound }, () => workspace.request("POST", path, body)));
    const above = verdictOf(await workspace.request("POST", path, body));
    return { atBound: answers.map(verdictOf).find((answer) => answer !== TAKEN) ?? TAKEN, above };
  },
};
