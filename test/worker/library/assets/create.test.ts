import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { assets } from "../../../../src/library/assets/tables.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { events } from "../../../../src/events/tables.ts";
import {
  type ErrorBody,
  type MediaAnswer,
  newWorkspace,
  send,
  type TestWorkspace,
  videoFrom,
} from "../../workspace.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const db = openDatabase(env.DB);
let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace({ ALLOW_PRIVATE_NETWORK: "" });
});

describe("a creation", () => {
  test("answers 201 with playback_id and the contract's record, and creates the event asset.created once", async () => {
    const body = {
      ...videoFrom("https://cdn.test/a.mp4"),
      title: "A film",
      creatorId: "me",
      metadata: { season: "1" },
    };
    const response = await workspace.request("POST", "/v1/on-demand", body);
    expect(response.status).toBe(201);
    expect(response.headers.get("content-type")).toBe("application/json;charset=UTF-8");
    expect(response.headers.get("x-request-id")).toBeTruthy();
    const answer = await response.json<MediaAnswer>();
    expect(answer.playback_id).toMatch(uuid);
    expect(answer).toMatchObject({
      success: true,
      playback_id: answer.data.playbackIds[0]?.id,
      data: {
        trial: false,
        status: "Created",
        title: "A film",
        creatorId: "me",
        metadata: { season: "1" },
        mediaQuality: "standard",
        maxResolution: "1080p",
        sourceAccess: false,
        optimizeAudio: false,
        inputs: [{ type: "video", url: "https://cdn.test/a.mp4" }],
        playbackIds: [
          { accessPolicy: "public", accessRestrictions: { domains: { defaultPolicy: "allow", allow: [], deny: [] } } },
        ],
      },
    });
    expect(answer.data.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const reported = await db.select().from(events).where(eq(events.objectId, answer.data.id));
    expect(reported.map(({ type, workspaceId }) => [type, workspaceId])).toEqual([["asset.created", workspace.id]]);
  });

  test("accepts every field that SDKs send by default", async () => {
    const idle = {
      mp4Support: "none",
      sourceAccess: false,
      optimizeAudio: false,
      chapters: false,
      subtitles: {},
      summary: { generate: false, summaryLength: 100 },
      namedEntities: "",
      moderation: {},
      accessRestrictions: { domains: { defaultPolicy: "allow", allow: [], deny: [] } },
      somethingNew: 1,
    };
    const response = await workspace.request("POST", "/v1/on-demand", {
      ...videoFrom("https://cdn.test/a.mp4"),
      ...idle,
    });
    expect([response.status, (await response.json<{ warnings: object[] }>()).warnings]).toEqual([
      201,
      [{ field: "somethingNew", message: "unknown field `somethingNew`" }],
    ]);
  });
});

describe("a policy in the wrong place", () => {
  test.each<[string, string, object, string]>([
    ["POST", "/v1/on-demand", { ...videoFrom("https://cdn.test/a.mp4"), accessPolcy: "private" }, "accessPolcy"],
    [
      "POST",
      "/v1/on-demand",
      { ...videoFrom("https://cdn.test/a.mp4"), playbackSettings: { accessPolicy: "private" } },
      "playbackSettings",
    ],
    ["POST", "/v1/on-demand/upload", { corsOrigin: "*", accessPolicy: "private" }, "accessPolicy"],
  ])("is refused by %s %s: %j", async (method, path, body, field) => {
    const own = await newWorkspace();
    const response = await own.request(method, path, body);
    const { error } = await response.json<ErrorBody>();
    expect([response.status, error.fields]).toEqual([422, [{ field, message: "is invalid" }]]);
    expect(await db.$count(assets, eq(assets.workspaceId, own.id))).toBe(0);
  });

  test("is refused as the change of a media, with where policies are changed", async () => {
    const own = await newWorkspace();
    const body = videoFrom("https://cdn.test/a.mp4");
    const { data } = await (await own.request("POST", "/v1/on-demand", body)).json<{ data: { id: string } }>();
    const response = await own.request("PATCH", `/v1/on-demand/${data.id}`, { accessPolicy: "private" });
    expect([response.status, await response.text()]).toEqual([422, expect.stringContaining("/playback-ids")]);
  });
});

describe("a repeat under one Idempotency-Key", () => {
  test("gets the first answer and creates nothing", async () => {
    const key = { "idempotency-key": crypto.randomUUID() };
    const own = await newWorkspace();
    const [first, second] = [
      await own.request("POST", "/v1/on-demand", videoFrom("https://cdn.test/a.mp4"), key),
      await own.request("POST", "/v1/on-demand", videoFrom("https://cdn.test/a.mp4"), key),
    ];
    expect(second.status).toBe(201);
    expect(await second.text()).toBe(await first.text());
    expect(await db.$count(assets, eq(assets.workspaceId, own.id))).toBe(1);
  });

  test("gets the same answer when ten are sent at once", async () => {
    const own = await newWorkspace();
    const key = { "idempotency-key": "all at once" };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => own.request("POST", "/v1/on-demand", videoFrom("https://cdn.test/a.mp4"), key)),
    );
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(await db.$count(assets, eq(assets.workspaceId, own.id))).toBe(1);
  });

  test("is refused with 409 when the body differs", async () => {
    const key = { "idempotency-key": "one" };
    await workspace.request("POST", "/v1/on-demand", videoFrom("https://cdn.test/a.mp4"), key);
    const other = await workspace.request("POST", "/v1/on-demand", videoFrom("https://cdn.test/b.mp4"), key);
    expect(other.status).toBe(409);
  });

  test("is independent of the same key in another workspace", async () => {
    const key = { "idempotency-key": "shared" };
    const [one, other] = [await newWorkspace(), await newWorkspace()];
    const answers = [
      await one.request("POST", "/v1/on-demand", videoFrom("https://cdn.test/a.mp4"), key),
      await other.request("POST", "/v1/on-demand", videoFrom("https://cdn.test/a.mp4"), key),
    ];
    const [a, b] = await Promise.all(answers.map((answer) => answer.json<MediaAnswer>()));
    expect(a?.data.id).not.toBe(b?.data.id);
  });
});

const good = videoFrom("https://cdn.test/a.mp4");
const long = "x".repeat(256);
const invalid = "is invalid";
const missing = "must not be null";
const required = "is required";
const RESOLUTIONS = "must be one of `2160p`, `1440p`, `1080p`, `720p`, `480p`";
const PRIVATE_ADDRESS = "must not point to a private or local address";
const NOT_PUBLIC: [field: string, message: string, hint: string] = [
  "inputs[0].url",
  PRIVATE_ADDRESS,
  `${PRIVATE_ADDRESS}, unless the platform runs with ALLOW_PRIVATE_NETWORK=true`,
];
const POLICIES = "must be one of `public`, `private`, `drm`";
const TEXT = "must be a string of up to 255 characters";
const HALF_PAIR = "must be valid Unicode: it contains half of a surrogate pair";
const CONTROLS = "must not contain control characters";
const mayBeFile = (message: string): [field: string, message: string, hint: string] => [
  "inputs[0].url",
  message,
  `${message}, such as https://example.com/film.mp4; POST /v1/on-demand/upload takes files of your own`,
];

/** The hint is that of the response; without one, it is the message. */
const BAD_BODIES: [string, unknown, [field: string, message: string, hint?: string][]][] = [
  [
    "a body that is not JSON",
    "{oops",
    [["body", "is not JSON", "must be a JSON document; the error is in line 1, column 2"]],
  ],
  ["an empty body", "", [["body", "is empty", "must be a JSON document"]]],
  ["a title with a control character", { ...good, title: "a\u0000b" }, [["title", invalid, CONTROLS]]],
  ["a title of two lines", { ...good, title: "a\nb" }, [["title", invalid, CONTROLS]]],
  [
    "metadata with control characters",
    { ...good, metadata: { a: "b\u001b[2J" } },
    [["metadata.a", invalid, `${CONTROLS} except tabs and line breaks`]],
  ],
  ["a title with half of a surrogate pair", { ...good, title: "a\ud800" }, [["title", invalid, HALF_PAIR]]],
  [
    "a name of metadata with a control character",
    { ...good, metadata: { "a\tb": "c" } },
    [["metadata", invalid, "must have names without control characters"]],
  ],
  ["a body that is a list", [], [["body", invalid, "must be an object"]]],
  ["an empty object", {}, [["inputs", missing, required]]],
  ["no inputs", { ...good, inputs: [] }, [["inputs", invalid, "must be an array of at least 1 element"]]],
  [
    "an unknown kind of input",
    { ...good, inputs: [{ type: "hologram", url: "https://a.test/x" }] },
    [["inputs[0].type", invalid, "must be `video` or `audio` or `subtitle` or `watermark`"]],
  ],
  ["an input without URL", { ...good, inputs: [{ type: "video" }] }, [["inputs[0].url", missing, required]]],
  [
    "two things wrong at once",
    { ...good, title: long, maxResolution: "360p" },
    [
      ["title", invalid, TEXT],
      ["maxResolution", invalid, RESOLUTIONS],
    ],
  ],
  [
    "a field and an input wrong at once",
    { ...videoFrom("ftp://a.test/x"), accessPolicy: "secret" },
    [["accessPolicy", invalid, POLICIES], mayBeFile("must be an http or https URL")],
  ],
  [
    "too many metadata keys",
    { ...good, metadata: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`k${n}`, "v"])) },
    [["metadata", invalid, "must have at most 10 pairs"]],
  ],
  ["a metadata value that is too long", { ...good, metadata: { k: long } }, [["metadata.k", invalid, TEXT]]],
  ["a metadata value that is a number", { ...good, metadata: { k: 1 } }, [["metadata.k", invalid, TEXT]]],
  [
    "an end before the start",
    videoFrom("https://a.test/x", { startTime: 5, endTime: 2 }),
    [["inputs[0].endTime", invalid, "must be greater than `startTime`"]],
  ],
  ["a text that is no URL", videoFrom("film.mp4"), [mayBeFile("must be an absolute URL")]],
  ["a file: URL", videoFrom("file:///etc/passwd"), [mayBeFile("must be an http or https URL")]],
  ["an ftp: URL", videoFrom("ftp://a.test/x"), [mayBeFile("must be an http or https URL")]],
  [
    "credentials in the URL",
    videoFrom("https://me:secret@a.test/x"),
    [["inputs[0].url", "must not carry a user name or password"]],
  ],
  [
    "an endless URL",
    videoFrom(`https://a.test/${"x".repeat(4000)}`),
    [["inputs[0].url", "must be at most 2048 characters long"]],
  ],
  ["a loopback address", videoFrom("http://127.0.0.1/x"), [NOT_PUBLIC]],
  ["a metadata service", videoFrom("http://169.254.169.254/latest"), [NOT_PUBLIC]],
  ["a private address spelt as a number", videoFrom("http://0x0a000001/x"), [NOT_PUBLIC]],
  ["localhost", videoFrom("http://localhost/x"), [NOT_PUBLIC]],
  [
    "an unknown DRM configuration",
    { ...good, accessPolicy: "drm", drmConfigurationId: crypto.randomUUID() },
    [["drmConfigurationId", invalid, "must be the id of a DRM configuration of this workspace"]],
  ],
  [
    "a DRM configuration without DRM",
    { ...good, drmConfigurationId: crypto.randomUUID() },
    [["drmConfigurationId", invalid, "must be absent unless `accessPolicy` is `drm`"]],
  ],
  ["an unknown access policy", { ...good, accessPolicy: "secret" }, [["accessPolicy", invalid, POLICIES]]],
  [
    "a watermark of a width of nothing, and a second one",
    {
      ...good,
      inputs: [
        ...good.inputs,
        { type: "watermark", url: "https://a.test/w.png", width: "0%" },
        { type: "watermark", url: "https://a.test/w.png" },
      ],
    },
    [
      ["inputs[1].width", invalid, "must be greater than 0"],
      ["inputs[2]", invalid, "must be the only `watermark` input"],
    ],
  ],
  [
    "a watermark with lengths that are none",
    { ...good, inputs: [...good.inputs, { type: "watermark", url: "https://a.test/w.png", width: "wide" }] },
    [["inputs[1].width", invalid, "must be a length such as `25%` or `40px`"]],
  ],
  [
    "moderation of another type",
    { ...good, moderation: { type: "text" } },
    [["moderation.type", invalid, "must be one of `video`, `audio`, `av`"]],
  ],
  [
    "captions with an empty name",
    { ...good, subtitles: { languageCode: "en", languageName: "" } },
    [
      [
        "subtitles.languageName",
        invalid,
        "must be words of the letters A to Z, such as `Italian` or `Italian (Switzerland)`; `title` takes any name",
      ],
    ],
  ],
  [
    "access rules without a domain",
    {
      ...good,
      accessRestrictions: { domains: { defaultPolicy: "deny", allow: ["localhost"] }, userAgents: { deny: [""] } },
    },
    [
      [
        "accessRestrictions.domains.allow[0]",
        invalid,
        "must be a host name with a dot, such as `example.com` or `*.example.com`",
      ],
      ["accessRestrictions.userAgents.deny[0]", invalid, "must be a string of 1 to 255 characters"],
    ],
  ],
];

describe("a creation with bad input is refused with 422, every offending field, and what would be right", () => {
  test.each(BAD_BODIES)("%s", async (_, body, fields) => {
    const response = await workspace.request("POST", "/v1/on-demand", body);
    const { error } = await response.json<ErrorBody>();
    expect(error).toEqual({
      code: 422,
      message: "payload validation failed",
      fields: fields.map(([field, message]) => ({ field, message })),
      hints: fields.map(([field, message, hint = message]) => ({ field, message: hint })),
    });
    expect(response.status).toBe(422);
  });
});

test.each(["text/plain", "application/x-www-form-urlencoded", ""])(
  "a body announced as %j is refused in the contract's shape",
  async (contentType) => {
    const body = JSON.stringify(videoFrom("https://cdn.test/a.mp4"));
    const response = await workspace.request("POST", "/v1/on-demand", body, { "content-type": contentType });
    expect(response.status).toBe(422);
    const { error } = await response.json<ErrorBody>();
    expect(error.fields).toEqual([{ field: "content-type", message: "must be application/json" }]);
  },
);

describe("a request without valid credentials is refused with 401", () => {
  const basic = (text: string) => `Basic ${btoa(text)}`;
  const cases: [string, Record<string, string>][] = [
    ["none", {}],
    ["an unknown id", { authorization: basic("nobody:secret") }],
    ["no colon", { authorization: basic("nobody") }],
    ["another scheme", { authorization: "Bearer abc" }],
    ["what is not base64", { authorization: "Basic ???" }],
  ];
  test.each(cases)("%s", async (_, headers) => {
    const response = await send(new Request("http://sluice.test/v1/on-demand", { headers }));
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toMatch(/^Basic realm=/);
    expect((await response.json<ErrorBody>()).error).toMatchObject({ code: 401, message: "unauthorized" });
  });

  test("a wrong secret", async () => {
    const [username] = atob(workspace.authorization.slice(6)).split(":");
    const response = await send(
      new Request("http://sluice.test/v1/on-demand", { headers: { authorization: basic(`${username}:wrong`) } }),
    );
    expect(response.status).toBe(401);
  });
});
