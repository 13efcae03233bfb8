/** Playback IDs of media over the API, and that their rules decide what plays. */
import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { events } from "../../../../src/events/index.ts";
import { eq } from "drizzle-orm";
import { openDatabase } from "../../../../src/platform/database.ts";
import { renditions } from "../../../../src/library/assets/tables.ts";
import { addRung, get } from "../../playback/playable.ts";
import { addSigningKey, signToken } from "../../playback/tokens.ts";
import { type ErrorBody, type MediaAnswer, newWorkspace, type TestWorkspace, videoFrom } from "../../workspace.ts";

const db = openDatabase(env.DB);
let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const OPEN = { defaultPolicy: "allow", allow: [], deny: [] };
const SOME = { defaultPolicy: "deny", allow: ["*.example.com"], deny: [] };
const unknown = () => crypto.randomUUID();

type FieldOf = Record<"field" | "message", string>;
interface PlaybackId {
  id: string;
  accessPolicy: string;
  accessRestrictions: Record<"domains" | "userAgents", typeof OPEN>;
  resolution?: string | null;
}

async function newMedia(more: object = {}) {
  const created = await workspace.request("POST", "/v1/on-demand", { ...videoFrom("https://cdn.test/a.mp4"), ...more });
  const { data } = await created.json<MediaAnswer>();
  return { mediaId: data.id, path: `/v1/on-demand/${data.id}/playback-ids`, first: data.playbackIds[0] as PlaybackId };
}
const dataOf = async <Data = PlaybackId>(answer: Response | Promise<Response>) =>
  (await (await answer).json<{ data: Data }>()).data;
const addTo = async (path: string, body: object) => await dataOf(workspace.request("POST", path, body));

describe("playback IDs of a media", () => {
  test("are added, listed from the oldest, read one by one, and removed", async () => {
    const { mediaId, path, first } = await newMedia();
    const restrictions = { domains: { defaultPolicy: "deny", allow: ["example.com"] } };
    const created = await workspace.request("POST", path, {
      accessPolicy: "private",
      accessRestrictions: restrictions,
    });
    expect(created.status).toBe(201);
    const second = await dataOf(created);
    expect(second).toEqual({
      id: second.id,
      accessPolicy: "private",
      accessRestrictions: { domains: { ...OPEN, ...restrictions.domains }, userAgents: OPEN },
      resolution: null,
    });
    const third = await addTo(path, { accessPolicy: "public", resolution: "480p" });
    expect(third.resolution).toBe("480p");
    const { resolution: _, ...listed } = second;
    expect(await dataOf(workspace.request("GET", path))).toEqual([first, listed, third]);
    expect(await dataOf(workspace.request("GET", `${path}/${second.id.toUpperCase()}`))).toEqual(listed);
    const media = await dataOf<{ playbackIds: unknown }>(workspace.request("GET", `/v1/on-demand/${mediaId}`));
    expect(media.playbackIds).toEqual([first, listed, third]);
    const removed = await workspace.request("DELETE", `${path}?playbackId=${second.id}`);
    expect([removed.status, await removed.json()]).toEqual([200, { success: true }]);
    expect(await dataOf(workspace.request("GET", path))).toEqual([first, third]);
  });

  test("are announced with the media's record, in the commit of the change", async () => {
    const { mediaId, path, first } = await newMedia();
    const second = await addTo(path, { accessPolicy: "private" });
    await workspace.request("PATCH", `${path}/${second.id}/domains`, SOME);
    await workspace.request("DELETE", `${path}?playbackId=${second.id}`);
    const rows = await db.select().from(events).where(eq(events.objectId, mediaId)).orderBy(events.createdAt);
    const shown = rows.map(({ type, body }) => {
      const { data } = JSON.parse(`{${body}`) as { data: { playbackIds?: PlaybackId[] } };
      const ids = data.playbackIds?.map(({ id, accessRestrictions }) => [id, accessRestrictions.domains.defaultPolicy]);
      return [type, ids ?? data];
    });
    const { resolution: _, ...added } = second;
    expect(shown).toEqual([
      ["asset.created", [[first.id, "allow"]]],
      ["video.playback_id.created", added],
      [
        "video.media.updated",
        [
          [first.id, "allow"],
          [second.id, "allow"],
        ],
      ],
      [
        "video.media.updated",
        [
          [first.id, "allow"],
          [second.id, "deny"],
        ],
      ],
      ["video.playback_id.deleted", { id: second.id }],
      ["video.media.updated", [[first.id, "allow"]]],
    ]);
  });

  test("are announced once, however often a request for one is repeated", async () => {
    const { mediaId, path } = await newMedia();
    const body = { accessPolicy: "public" };
    const headers = { "idempotency-key": crypto.randomUUID() };
    const answers = await Promise.all([1, 2, 3].map(() => workspace.request("POST", path, body, headers)));
    const [id = "", ...others] = await Promise.all(answers.map(async (answer) => (await dataOf(answer)).id));
    expect(others).toEqual([id, id]);
    const remove = () => workspace.request("DELETE", `${path}?playbackId=${id}`);
    const statuses = (await Promise.all([remove(), remove()])).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404]);
    const rows = await db.select({ type: events.type }).from(events).where(eq(events.objectId, mediaId));
    expect(rows.filter(({ type }) => type.startsWith("video.playback_id."))).toHaveLength(2);
  });

  test("concurrent additions are all there", async () => {
    const { path } = await newMedia();
    await Promise.all(Array.from({ length: 8 }, () => addTo(path, { accessPolicy: "public" })));
    expect(await dataOf<PlaybackId[]>(workspace.request("GET", path))).toHaveLength(9);
  });

  test.each<[string, object, string[]]>([
    ["an unknown DRM configuration", { accessPolicy: "drm", drmConfigurationId: unknown() }, ["drmConfigurationId"]],
    ["DRM without any configuration", { accessPolicy: "drm" }, ["accessPolicy"]],
    ["no policy", {}, ["accessPolicy"]],
    ["an unknown resolution", { accessPolicy: "public", resolution: "360p" }, ["resolution"]],
    ["a DRM configuration", { accessPolicy: "public", drmConfigurationId: unknown() }, ["drmConfigurationId"]],
    [
      "a rule that is no domain",
      { accessPolicy: "public", accessRestrictions: { domains: { allow: ["localhost"] } } },
      ["accessRestrictions.domains.allow[0]"],
    ],
  ])("are refused with %s", async (_name, body, fields) => {
    const { path } = await newMedia();
    const refused = await workspace.request("POST", path, body);
    expect(refused.status).toBe(422);
    expect((await refused.json<ErrorBody>()).error.fields!.map(({ field }) => field)).toEqual(fields);
  });

  test("of an unknown media, and unknown ones, are 404", async () => {
    const { path, first } = await newMedia();
    const messageOf = async (method: string, to: string, body?: object) => {
      const answer = await workspace.request(method, to, body);
      return [answer.status, (await answer.json<ErrorBody>()).error.message];
    };
    const nowhere = `/v1/on-demand/${unknown()}/playback-ids`;
    const noMedia = [404, "media workspace relation not found"];
    const none = [404, "Media/PlaybackId not Found"];
    expect(await messageOf("GET", nowhere)).toEqual(noMedia);
    expect(await messageOf("POST", nowhere, { accessPolicy: "public" })).toEqual(noMedia);
    expect(await messageOf("GET", `${nowhere}/${first.id}`)).toEqual(none);
    expect(await messageOf("GET", `${path}/${unknown()}`)).toEqual(none);
    expect(await messageOf("DELETE", `${path}?playbackId=${unknown()}`)).toEqual(none);
    for (const kind of ["domains", "user-agents"])
      for (const body of [SOME, {}])
        expect(await messageOf("PATCH", `${path}/${unknown()}/${kind}`, body)).toEqual(none);
  });
});

describe("rules", () => {
  test("are replaced as a whole, by a flat body", async () => {
    const { path, first } = await newMedia({ accessRestrictions: { userAgents: { deny: ["Scraper/"] } } });
    const item = `${path}/${first.id}`;
    const change = async (kind: string, body: object) => {
      const answer = await workspace.request("PATCH", `${item}/${kind}`, body);
      return [answer.status, await dataOf(answer)];
    };
    expect(await change("domains", SOME)).toEqual([200, SOME]);
    expect(await change("domains", { deny: ["evil.test"] })).toEqual([200, { ...OPEN, deny: ["evil.test"] }]);
    expect(await change("user-agents", { defaultPolicy: "deny", allow: ["Chrome"] })).toEqual([
      200,
      { defaultPolicy: "deny", allow: ["Chrome"], deny: [] },
    ]);
    expect((await dataOf(workspace.request("GET", item))).accessRestrictions).toEqual({
      domains: { ...OPEN, deny: ["evil.test"] },
      userAgents: { defaultPolicy: "deny", allow: ["Chrome"], deny: [] },
    });
  });

  test.each([
    ["domains", "domains"],
    ["user-agents", "userAgents"],
  ] as const)(
    "of %s that are wrapped in `%s` change nothing, with a warning that names the flat form",
    async (kind, wrapper) => {
      const { path, first } = await newMedia();
      const change = async (body: object) => {
        const answer = await workspace.request("PATCH", `${path}/${first.id}/${kind}`, body);
        const { data, warnings, error } = await answer.json<{ data: unknown; warnings: FieldOf[] } & ErrorBody>();
        return { status: answer.status, data, named: (warnings ?? error.fields).map(({ field }) => field), warnings };
      };
      const rules = { defaultPolicy: "deny", allow: ["a.example"], deny: [] };
      const ignored = await change({ [wrapper]: rules });
      expect(ignored).toMatchObject({ status: 200, data: OPEN, named: [wrapper] });
      expect(ignored.warnings[0]!.message).toContain("at the top level");
      for (const body of [{ [wrapper]: {} }, { [wrapper]: "deny" }, { [wrapper]: { dney: ["b.example"] } }])
        expect(await change(body)).toMatchObject({ status: 200, data: OPEN, named: [wrapper] });
      const { accessRestrictions } = await dataOf(workspace.request("GET", `${path}/${first.id}`));
      expect(accessRestrictions[wrapper]).toEqual(OPEN);

      const flat = { ...rules, allow: ["b.example"] };
      expect(await change({ ...flat, [wrapper]: rules })).toMatchObject({ status: 200, data: flat, named: [wrapper] });
      const other = wrapper === "domains" ? "userAgents" : "domains";
      expect(await change({ [other]: rules })).toMatchObject({ status: 422, named: [other] });
    },
  );
});

test.each([
  ["POST", "/v1/on-demand", { public: false }, "public"],
  ["POST", "/v1/on-demand", { drm: true }, "drm"],
  [
    "POST",
    "/v1/on-demand",
    { accessRestrictions: { domains: { dney: ["evil.test"] } } },
    "accessRestrictions.domains.dney",
  ],
  [
    "POST",
    "/v1/on-demand/upload",
    { corsOrigin: "*", pushMediaSettings: { accessPolicy: "public", accessRestrictions: { countries: ["DE"] } } },
    "pushMediaSettings.accessRestrictions.countries",
  ],
  ["POST", "/v1/live/streams", { playbackSettings: { signed: true } }, "playbackSettings.signed"],
  ["PATCH", "domains", { denied: ["evil.test"] }, "denied"],
])("%s %s refuses a misspelt or foreign restriction: %j", async (method, path, body, field) => {
  const { path: playbackIds, first } = await newMedia();
  const isChange = path === "domains";
  const media = path === "/v1/on-demand" ? videoFrom("https://cdn.test/a.mp4") : {};
  const to = isChange ? `${playbackIds}/${first.id}/${path}` : path;
  const refused = await workspace.request(method, to, { ...media, ...body });
  expect([refused.status, (await refused.json<ErrorBody>()).error.fields]).toEqual([
    422,
    [{ field, message: "is invalid" }],
  ]);
});

describe("rules without effect are named in the warnings of", () => {
  const warningsOf = async (answer: Response) => [
    answer.status,
    ((await answer.json<{ warnings?: { field: string; message: string }[] }>()).warnings ?? []).map(
      ({ field, message }) => [field, message.slice(0, message.indexOf(":"))],
    ),
  ];
  const ALLOW = "`allow` has no effect under the default policy `allow`";
  const DENY = "`deny` has no effect under the default policy `deny`";

  test("a created media, a direct upload and a playback ID", async () => {
    const accessRestrictions = {
      domains: { allow: ["a.example"] },
      userAgents: { defaultPolicy: "deny", allow: ["Chrome"], deny: ["curl"] },
    };
    const warnings = (at: string) => [
      [`${at}accessRestrictions.domains.allow`, ALLOW],
      [`${at}accessRestrictions.userAgents.deny`, DENY],
    ];
    const media = { ...videoFrom("https://cdn.test/a.mp4"), accessRestrictions };
    expect(await warningsOf(await workspace.request("POST", "/v1/on-demand", media))).toEqual([201, warnings("")]);
    const upload = { corsOrigin: "*", pushMediaSettings: { accessPolicy: "public", accessRestrictions } };
    const uploaded = await workspace.request("POST", "/v1/on-demand/upload", upload);
    expect(await warningsOf(uploaded)).toEqual([201, warnings("pushMediaSettings.")]);
    const { path } = await newMedia();
    const added = await workspace.request("POST", path, { accessPolicy: "public", accessRestrictions });
    expect(await warningsOf(added)).toEqual([201, warnings("")]);
  });

  test.each(["domains", "user-agents"])("a change of the %s, also when it opens what was locked", async (kind) => {
    const { path, first } = await newMedia();
    const change = async (body: object) =>
      await warningsOf(await workspace.request("PATCH", `${path}/${first.id}/${kind}`, body));
    expect(await change({ defaultPolicy: "deny", allow: ["a.example"] })).toEqual([200, []]);
    const opened = ["defaultPolicy", "`defaultPolicy` is absent and became `allow`"];
    expect(await change({ allow: ["a.example", "b.example"] })).toEqual([200, [["allow", ALLOW], opened]]);
    expect(await change({ deny: ["evil.example"] })).toEqual([200, []]);
    expect(await change({ defaultPolicy: "deny", deny: ["evil.example"] })).toEqual([200, [["deny", DENY]]]);
    expect(await change({ deny: ["evil.example"] })).toEqual([200, [opened]]);
  });
});

/** A media that plays. */
async function playable(more: object = {}) {
  const media = await newMedia(more);
  await addRung(media.mediaId);
  return media;
}

describe("domain rules decide what plays", () => {
  const from = { origin: "https://www.example.com" };
  const elsewhere = { origin: "https://evil.test" };

  test.each([".m3u8", ".mpd", "/v720.m3u8", "/v720/iframes.m3u8", "/v720/init.mp4", "/v720/0.m4s"])(
    "at {id}%s",
    async (path) => {
      const { first } = await playable({ accessRestrictions: { domains: SOME } });
      const url = `/${first.id}${path}`;
      for (const headers of [elsewhere, {}, from, elsewhere]) {
        const answer = await get(url, headers);
        expect(answer.status).toBe(headers === from ? 200 : 403);
        expect(answer.headers.get("cache-control")).toMatch(headers === from ? /^private, / : /^no-store$/);
        if (headers === from) expect(answer.headers.get("vary")).toMatch(/Origin, Referer$/);
      }
      const refused = await get(url, elsewhere);
      expect(await refused.json()).toEqual({
        success: false,
        error: { code: 403, message: "forbidden", description: "this domain may not play it" },
      });
    },
  );

  test("at the hosted page, where the frame's site counts, and then the page's own requests", async () => {
    const { first } = await playable({ accessRestrictions: { domains: SOME } });
    const page = (referer: string) => get(`/player/${first.id}`, { referer, accept: "text/html" });
    expect((await page("https://www.example.com/")).status).toBe(200);
    const refused = await page("https://evil.test/");
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("cannot be played here")]);
    const own = { referer: `https://stream.sluice.test/player/${first.id}` };
    expect((await get(`/${first.id}.m3u8`, own)).status).toBe(200);
  });

  test("beside a token: both have to permit a request, also at an address with a permit", async () => {
    const { first } = await playable({ accessPolicy: "private", accessRestrictions: { domains: SOME } });
    const token = await signToken(await addSigningKey(workspace.id), first.id);
    const top = `/${first.id}.m3u8?token=${token}`;
    expect([(await get(top, elsewhere)).status, (await get(`/${first.id}.m3u8`, from)).status]).toEqual([403, 401]);
    const [segment] = /^\S+~\S+(?=\.m3u8$)/m.exec(await (await get(top, from)).text())!;
    expect((await get(`/${segment}/0.m4s`, elsewhere)).status).toBe(403);
    const open = await get(`/${segment}/0.m4s`, from);
    expect([open.status, open.headers.get("cache-control")]).toEqual([200, "private, max-age=3600"]);
  });

  test("as changed within 10 s, also where another isolate has looked them up", async () => {
    const { path, first } = await playable();
    const paths = [`/${first.id}.m3u8`, `/${first.id}/v720.m3u8`, `/${first.id}/v720/0.m4s`];
    const statuses = async () => await Promise.all(paths.map(async (one) => (await get(one, elsewhere)).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    const restrictions = JSON.stringify({ domains: SOME, userAgents: OPEN });
    const update = env.DB.prepare("UPDATE playback_ids SET access_restrictions = ? WHERE id = ?");
    await update.bind(restrictions, first.id).run();
    vi.useFakeTimers({ now: Date.now() + 5000, toFake: ["Date"] });
    try {
      expect(await statuses()).toEqual([403, 403, 403]);
    } finally {
      vi.useRealTimers();
    }
    await workspace.request("PATCH", `${path}/${first.id}/domains`, OPEN); // at once in this isolate
    expect(await statuses()).toEqual([200, 200, 200]);
  });
});

test("user-agent rules decide what plays", async () => {
  const { first } = await playable({ accessRestrictions: { userAgents: { deny: ["Scraper/"] } } });
  const by = async (headers: Record<string, string>) => (await get(`/${first.id}/v720/0.m4s`, headers)).status;
  expect([await by({ "user-agent": "scraper/1.0" }), await by({ "user-agent": "VLC/3" }), await by({})]).toEqual([
    403, 200, 200,
  ]);
  expect((await get(`/${first.id}.m3u8`)).headers.get("vary")).toBe("Accept-Encoding, User-Agent");
});

describe("a resolution", () => {
  test("limits manifests, playlists and segments of its playback ID, and of no other", async () => {
    const { mediaId, path, first } = await playable();
    await addRung(mediaId, "v480", { widthPx: 854, heightPx: 480 });
    await addRung(mediaId, "v270", { widthPx: 480, heightPx: 270 });
    await addRung(mediaId, "a1", { kind: "audio", codec: "mp4a.40.2", widthPx: null, heightPx: null });
    const capped = await addTo(path, { accessPolicy: "public", resolution: "480p" });
    const offered = async (url: string) =>
      [...(await (await get(url)).text()).matchAll(/^\S+\/(\w+)\.m3u8$|URI="[^"]+\/(\w+)\.m3u8"/gm)].flatMap(
        ([, variant, other]) => ((variant ?? other === "a1") ? [variant ?? other!] : []),
      );
    expect((await offered(`/${capped.id}.m3u8`)).toSorted()).toEqual(["a1", "v270", "v480"]);
    expect((await offered(`/${first.id}.m3u8`)).toSorted()).toEqual(["a1", "v270", "v480", "v720"]);
    expect((await offered(`/${capped.id}.m3u8?minResolution=720p&maxResolution=1080p`)).toSorted()).toEqual([
      "a1",
      "v480",
    ]);
    expect(await (await get(`/${capped.id}.mpd?resolution=720p`)).text()).not.toContain('id="v720"');
    for (const [name, status] of [
      ["v720", 404],
      ["v480", 200],
      ["a1", 200],
    ] as const)
      for (const file of [".m3u8", "/init.mp4", "/0.m4s"])
        expect([name, file, (await get(`/${capped.id}/${name}${file}`)).status]).toEqual([name, file, status]);
    expect((await get(`/${capped.id}/v720/iframes.m3u8`)).status).toBe(404);
    expect((await get(`/${first.id}/v720/0.m4s`)).status).toBe(200);
  });

  test("offers the smallest rung when all are larger", async () => {
    const { mediaId, path } = await playable();
    await addRung(mediaId, "v1080", { widthPx: 1920, heightPx: 1080 });
    const capped = await addTo(path, { accessPolicy: "public", resolution: "480p" });
    const manifest = await (await get(`/${capped.id}.m3u8`)).text();
    expect([manifest.includes("v720.m3u8"), manifest.includes("v1080.m3u8")]).toEqual([true, false]);
    expect((await get(`/${capped.id}/v720/0.m4s`)).status).toBe(200);
    expect(await db.$count(renditions, eq(renditions.assetId, mediaId))).toBe(2);
  });
});
