/** Captions that are made of speech, by the real model at WHISPER_MODEL. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isReady, type Media, startTestPlatform, type TestPlatform } from "../../support/platform.ts";
import { type SourceServer, startSourceServer } from "../../support/source-server.ts";

const SPEECH = process.env["SPEECH_FILE"] ?? "";
const hasModel = (process.env["WHISPER_MODEL"] ?? "") !== "" && SPEECH !== "";

let platform: TestPlatform;
let server: SourceServer;
beforeAll(async () => {
  [platform, server] = await Promise.all([startTestPlatform(), startSourceServer()]);
});
afterAll(async () => {
  await platform?.stop();
  await server?.stop();
});

test.runIf(hasModel)(
  "what is spoken becomes a subtitle track of the media, word for word",
  async () => {
    server.add("/speech.flac", { kind: "content", content: await readFile(SPEECH) });
    const { assetId, playbackId } = await platform.create(server.url("/speech.flac"));
    const media = await platform.until(assetId, isReady);
    const sound = media.tracks.find(({ type }) => type === "audio")!;
    const path = `/v1/on-demand/${assetId}/tracks/${sound.id}/generate-subtitles`;
    const asked = await platform.api<{ id: string; type: string }>("POST", path, {
      languageCode: "en-US",
      languageName: "English",
    });
    expect([asked.status, asked.body.data.type]).toEqual([200, "subtitle"]);
    const isEnded = ({ tracks }: Media) =>
      tracks.some(({ id, status }) => id === asked.body.data.id && status !== "preparing");
    const ended = await platform.until(assetId, isEnded, 240_000);
    expect(ended.tracks.find(({ id }) => id === asked.body.data.id)).toMatchObject({ status: "available" });
    const vtt = await (await fetch(`${platform.baseUrl}/${playbackId}/text/${asked.body.data.id}.vtt`)).text();
    const words = vtt
      .split("\n")
      .filter((line) => !/-->|^WEBVTT|^$/.test(line))
      .join(" ")
      .toLowerCase()
      .replaceAll(/[^a-z ]/g, "");
    expect(words).toBe(
      "and so my fellow americans ask not what your country can do for you ask what you can do for your country",
    );
    console.log(vtt);
  },
  300_000,
);
