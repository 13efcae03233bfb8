/** `subtitles` of a creation and of an upload: a track that is made of the sound. */
import { beforeAll, expect, test } from "vitest";
import { type MediaAnswer, newWorkspace, type TestWorkspace, videoFrom } from "../../workspace.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const subtitles = {
  languageName: "English",
  languageCode: "en",
  title: "Made",
  metadata: { a: "b" },
  vocabulary: ["Sluice"],
};

type Made = MediaAnswer["data"] & {
  generatedSubtitles: { languageCode: string; languageName: string; status: string; percent: number }[];
  tracks: { title?: string; type: string }[];
};
const read = async (id: string) =>
  (await (await workspace.request("GET", `/v1/on-demand/${id}`)).json<{ data: Made }>()).data;

test.each([
  ["a creation", "/v1/on-demand", { ...videoFrom("https://cdn.test/a.mp4"), subtitles }],
  ["an upload", "/v1/on-demand/upload", { corsOrigin: "*", pushMediaSettings: { subtitles } }],
])("%s has a track in preparation from its beginning", async (_, path, body) => {
  const answer = await workspace.request("POST", path, body);
  expect(answer.status).toBe(201);
  const { generatedSubtitles, tracks } = await read((await answer.json<MediaAnswer>()).data.id);
  expect(generatedSubtitles).toMatchObject([
    { languageCode: "en", languageName: "English", status: "preparing", percent: 0 },
  ]);
  expect(tracks).toMatchObject([{ type: "subtitle", title: "Made" }]);
});

test.each([
  [{ languageCode: "it" }, { languageCode: "it", languageName: "Italian" }],
  [{ title: "Made" }, { languageCode: "und", languageName: "Automatic" }],
])("a name that is not given is that of the language: %j", async (asked, shown) => {
  const body = { ...videoFrom("https://cdn.test/a.mp4"), subtitles: asked };
  const answer = await workspace.request("POST", "/v1/on-demand", body);
  const media = await read((await answer.json<MediaAnswer>()).data.id);
  expect([answer.status, media.generatedSubtitles]).toEqual([201, [expect.objectContaining(shown)]]);
});

test("a language that is not given is unknown until it is heard", async () => {
  const { languageCode: _, ...unknown } = subtitles;
  const answer = await workspace.request("POST", "/v1/on-demand", {
    ...videoFrom("https://cdn.test/a.mp4"),
    subtitles: unknown,
  });
  const media = await read((await answer.json<MediaAnswer>()).data.id);
  expect(media.generatedSubtitles).toMatchObject([{ languageCode: "und" }]);
});
