/** Chapters of the built-in engine begin where the encoder has seen a cut, and are made without it as well. */
import { env } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import { addCaptionTrack } from "../../../../src/library/tracks/add-caption-track.ts";
import { talkOf } from "../../../support/talks.ts";
import { until } from "../../events/webhooks/webhook-rows.ts";
import { addRung, newAsset } from "../../playback/playable.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { picturesJob } from "./pictures-job.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

interface Media {
  chapters?: { status: string; data?: { chapters: { startTime: string }[] } };
}

const SENTENCE_MS = 3000;
/** Two subjects, and two sentences between them that may belong to either. */
const { sentences } = talkOf(["bees", "bridges"]);
const texts = sentences.map(({ text }) => text);
const LINES = [...texts.slice(0, 10), "Well, there it is again.", "And so it goes on from here.", ...texts.slice(10)];

/** A ready film with these lines, whose chapters are asked for. */
async function asked() {
  const durationMs = LINES.length * SENTENCE_MS;
  const { assetId } = await newAsset({ workspaceId: workspace.id, status: "ready", stage: "done", durationMs });
  await addRung(assetId);
  const cues = LINES.map((text, n) => ({
    text,
    startMs: n * SENTENCE_MS,
    endMs: (n + 1) * SENTENCE_MS,
    settings: "",
  }));
  const labels = { languageCode: "en", languageName: "Talk" };
  await addCaptionTrack(env, { assetId, trackId: crypto.randomUUID() }, labels, { cues, skipped: 0 }, new Date());
  const path = `/v1/on-demand/${assetId}`;
  expect((await workspace.request("PATCH", `${path}/chapters`, { chapters: true })).status).toBe(200);
  const read = async () => (await (await workspace.request("GET", path)).json<{ data: Media }>()).data.chapters;
  const starts = async () => {
    const shown = await until(read, (one) => one !== undefined && one.status !== "preparing");
    return shown?.data?.chapters.map(({ startTime }) => startTime);
  };
  return { assetId, starts };
}

test.each([
  [30_400, "00:00:30"],
  [35_800, "00:00:36"],
])("a cut at %i ms has a chapter begin at %s", async (cutMs, start) => {
  const film = await asked();
  expect(await (await picturesJob(film, "chapters")).complete([[cutMs, null]])).toBe(true);
  expect(await film.starts()).toEqual(["00:00:00", start]);
});

test("pictures that cannot be decoded leave the words", async () => {
  const film = await asked();
  const job = await picturesJob(film, "chapters");
  await job.post("fail", { code: "source_damaged", message: "no picture" });
  expect(await film.starts()).toHaveLength(2);
});
