import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { assets } from "../../../../src/library/assets/tables.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { type ErrorBody, type MediaAnswer, newWorkspace, type TestWorkspace } from "../../workspace.ts";

const db = openDatabase(env.DB);
let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace({ ALLOW_PRIVATE_NETWORK: "" });
});

const FILM = "https://cdn.test/film.mp4";
const AD = "https://cdn.test/ad.mp4";
const many = (count: number, url: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => ({ type: "video", url: url(n) }));

/** The fields of an input beside its URL, the field that is refused, and the words of the hint. */
const BAD_EDITS: [title: string, edits: object, field: string, hint: string][] = [
  [
    "an intro on a private host",
    { introUrl: "http://10.0.0.1/a.mp4" },
    "introUrl",
    "must not point to a private or local address, unless the platform runs with ALLOW_PRIVATE_NETWORK=true",
  ],
  ["an outro that is no URL", { outroUrl: "credits" }, "outroUrl", "must be an absolute URL"],
  [
    "a range that is no range",
    { expungeSegments: ["4 to 6"] },
    "expungeSegments[0]",
    "must be two times in seconds, such as `4-6`",
  ],
  [
    "a range that ends before it starts",
    { expungeSegments: ["1-2", "6-4"] },
    "expungeSegments[1]",
    "must end after it starts",
  ],
  [
    "ranges that overlap",
    { expungeSegments: ["4-6", "5.5-9"] },
    "expungeSegments[1]",
    "must not overlap another range",
  ],
  [
    "a range behind the end",
    { endTime: 10, expungeSegments: ["12-14"] },
    "expungeSegments[0]",
    "must be between `startTime` and `endTime`",
  ],
  [
    "a range before the start",
    { startTime: 5, expungeSegments: ["1-5"] },
    "expungeSegments[0]",
    "must be between `startTime` and `endTime`",
  ],
  [
    "everything cut out",
    { endTime: 10, expungeSegments: ["5-20", "0-5"] },
    "expungeSegments",
    "must leave something of the video",
  ],
  [
    "a clip put in behind the end",
    { endTime: 10, segments: [{ url: AD, insertAt: 11 }] },
    "segments[0].insertAt",
    "must be between `startTime` and `endTime`",
  ],
  [
    "a clip on a private host",
    {
      segments: [
        { url: AD, insertAt: 1 },
        { url: "http://localhost/x", insertAtEnd: true },
      ],
    },
    "segments[1].url",
    "must not point to a private or local address, unless the platform runs with ALLOW_PRIVATE_NETWORK=true",
  ],
];

describe("an edit that cannot be made is refused with 422, the field, and what would be right", () => {
  test.each(BAD_EDITS)("%s", async (_, edits, field, hint) => {
    const body = { accessPolicy: "public", inputs: [{ type: "video", url: FILM, ...edits }] };
    const response = await workspace.request("POST", "/v1/on-demand", body);
    const { error } = await response.json<ErrorBody>();
    expect([response.status, error.hints]).toEqual([422, [{ field: `inputs[0].${field}`, message: hint }]]);
  });

  test.each([
    ["no place for a clip", [{ url: AD }]],
    ["a clip that is not put at the end", [{ url: AD, insertAtEnd: false }]],
    ["more clips than are taken", Array.from({ length: 21 }, () => ({ url: AD, insertAt: 1 }))],
  ])("%s", async (_, segments) => {
    const body = { accessPolicy: "public", inputs: [{ type: "video", url: FILM, segments }] };
    expect((await workspace.request("POST", "/v1/on-demand", body)).status).toBe(422);
  });

  test("an upload's edits are checked as those of a URL", async () => {
    const inputs = [{ type: "video", expungeSegments: ["6-4"] }];
    const body = { corsOrigin: "*", pushMediaSettings: { accessPolicy: "public", inputs } };
    const response = await workspace.request("POST", "/v1/on-demand/upload", body);
    const { error } = await response.json<ErrorBody>();
    expect(error.fields?.map(({ field }) => field)).toEqual(["pushMediaSettings.inputs[0].expungeSegments[0]"]);
  });
});

describe("the videos of a media", () => {
  const create = async (inputs: object[]) =>
    await workspace.request("POST", "/v1/on-demand", { accessPolicy: "public", inputs });

  test("may be 20 files, which the answer lists", async () => {
    const inputs = many(20, (n) => `https://cdn.test/${n}.mp4`);
    const { data } = await (await create(inputs)).json<MediaAnswer & { data: { inputs: object[] } }>();
    expect(data.inputs).toEqual(inputs);
  });

  test("are no more than 20 files, and lead to no more than 200 ranges", async () => {
    const tooMany = await (await create(many(50, (n) => `https://cdn.test/${n}.mp4`))).json<ErrorBody>();
    expect(tooMany.error.hints).toEqual([
      { field: "inputs", message: "must name at most 20 different files of videos" },
    ]);
    const repeated = await (await create(many(201, () => FILM))).json<ErrorBody>();
    expect(repeated.error.hints).toEqual([
      { field: "inputs", message: "must lead to at most 200 ranges that follow each other" },
    ]);
  });

  test("are stored as the ranges that the media consists of; one video without edits is none", async () => {
    const montageOf = async (inputs: object[]) => {
      const { data } = await (await create(inputs)).json<MediaAnswer>();
      const [row] = await db.select({ montage: assets.montage }).from(assets).where(eq(assets.id, data.id));
      return row!.montage;
    };
    expect(await montageOf([{ type: "video", url: FILM, startTime: 1, endTime: 2 }])).toBeNull();
    const segments = [{ url: AD, insertAt: 2.5 }];
    expect(await montageOf([{ type: "video", url: FILM, segments }])).toEqual({
      files: [
        { url: FILM, path: "inputs[0].url" },
        { url: AD, path: "inputs[0].segments[0].url" },
      ],
      takes: [
        { file: 0, startMs: 0, endMs: 2500 },
        { file: 1, startMs: 0, endMs: null },
        { file: 0, startMs: 2500, endMs: null },
      ],
      operations: ["splice"],
    });
  });
});
