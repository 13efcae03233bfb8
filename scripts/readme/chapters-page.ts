import { fileContent } from "../../test/support/source-content.ts";
import { startSourceServer } from "../../test/support/source-server.ts";
import { isReady, type Media, startTestPlatform } from "../../test/support/platform.ts";
import { talkOf } from "../../test/support/talks.ts";

const FILM = "test/fixtures/flower.mp4";
const FILM_SECONDS = 5;

/** Starts a platform with a film whose subtitles are a talk about three subjects, and hands over its hosted page once the chapters are made. */
export async function withChaptersPage(use: (playerUrl: string) => Promise<void>): Promise<void> {
  const [platform, server] = [await startTestPlatform(), await startSourceServer()];
  try {
    const { sentences, durationMs } = talkOf(["bees", "coffee", "railways"]);
    const clock = (ms: number) => new Date(ms).toISOString().slice(11, 23);
    const cues = sentences.map(({ startMs, endMs, text }) => `${clock(startMs)} --> ${clock(endMs)}\n${text}`);
    server.add("/film.mp4", { kind: "content", content: await fileContent(FILM) });
    server.add("/film.vtt", { kind: "content", content: Buffer.from(`WEBVTT\n\n${cues.join("\n\n")}\n`) });
    const film = { type: "video", url: server.url("/film.mp4") };
    const text = { type: "subtitle", url: server.url("/film.vtt"), languageName: "English", languageCode: "en-US" };
    const films = Array.from({ length: Math.ceil(durationMs / 1000 / FILM_SECONDS) }, () => film);
    const { assetId, playbackId } = await platform.create("", { inputs: films });
    await platform.until(assetId, isReady);
    await platform.api("POST", `/v1/on-demand/${assetId}/tracks`, { tracks: text }); // among the inputs, it would be that of each film
    await platform.api("PATCH", `/v1/on-demand/${assetId}/chapters`, { chapters: true });
    type WithChapters = Media & { chapters?: { status: string } };
    const hasChapters = (media: Media) => (media as WithChapters).chapters?.status === "available";
    await platform.until(assetId, hasChapters);
    await use(`${platform.baseUrl}/player/${playbackId}`);
  } finally {
    await platform.stop();
    await platform.removeHome();
    await server.stop();
  }
}
