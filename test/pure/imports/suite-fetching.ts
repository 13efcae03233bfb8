import { expect, test } from "vitest";
import {
  CLIP,
  CLIP_BYTES,
  failureOf,
  firstListed,
  listAll,
  resolved,
  type Opened,
  type SourceUnderTest,
} from "./suite-kit.ts";

const CAPTIONS = [
  { languageCode: "en", name: "English", text: "WEBVTT\n\n00:00.000 --> 00:02.000\nHello\n" },
  { languageCode: "de", name: "Deutsch", text: "WEBVTT\n\n00:00.000 --> 00:02.000\nHallo\n" },
];

/** Files, captions, and what is switched for them. */
export function describeFetching<O, C>(under: SourceUnderTest<O, C>, opened: Opened): void {
  test.for(under.policies)("a file of a %s video, whole and in part, without credentials", async (policy) => {
    opened.standIn.addMany(1, CLIP, () => ({ policy }));
    const { resolution } = await resolved(opened.source, await firstListed(opened.source));

    const whole = await fetch(resolution.url);
    expect(whole.status).toBe(200);
    expect(new Uint8Array(await whole.arrayBuffer())).toEqual(CLIP_BYTES);
    const part = await fetch(resolution.url, { headers: { range: "bytes=1000-1999" } });
    expect(part.status).toBe(206);
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(CLIP_BYTES.subarray(1000, 2000));
    if (resolution.expiresAtMs !== null) expect(resolution.expiresAtMs).toBeGreaterThan(Date.now());
  });

  test("a file that the source prepares first", async () => {
    opened.standIn.addMany(1, CLIP);
    const { waits } = await resolved(opened.source, await firstListed(opened.source));
    if (under.waits) expect(waits.length).toBeGreaterThan(0);
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(1000);
  });

  test("the file again after a crash: the first call is repeated without its state", async () => {
    opened.standIn.addMany(1, CLIP);
    const video = await firstListed(opened.source);
    await opened.source.resolve(video, null);
    const { resolution } = await resolved(opened.source, video);
    expect((await fetch(resolution.url)).status).toBe(200);
  });

  test("no file of a video that is gone", async () => {
    const [id] = opened.standIn.addMany(1, CLIP);
    const video = await firstListed(opened.source);
    opened.standIn.remove(id ?? "");
    if (under.resolveCall !== null) expect((await failureOf(resolved(opened.source, video))).code).toBe("video_gone");
    await opened.source.release(video); // nothing is left to be switched back
    expect(await opened.source.describe(video.id)).toBeNull();
  });

  test("release switches back what resolve switched, as often as it is called", async () => {
    const [id] = opened.standIn.addMany(1, CLIP);
    const video = await firstListed(opened.source);
    const { state } = await resolved(opened.source, video);
    expect(opened.standIn.switched()).toEqual(opened.source.needsRelease ? [id] : []);

    const stored = JSON.parse(JSON.stringify({ ...video, ref: { ...video.ref, ...state } })) as typeof video;
    await opened.source.release(stored);
    await opened.source.release(stored);
    expect(opened.standIn.switched()).toEqual([]);
  });

  test("release of a video that was never resolved changes nothing", async () => {
    opened.standIn.addMany(1, CLIP);
    const video = await firstListed(opened.source);
    opened.standIn.calls.length = 0;
    await opened.source.release(video);
    expect(opened.standIn.calls.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test.runIf(under.hasCaptions)("captions with their languages and texts", async () => {
    opened.standIn.addMany(1, CLIP, () => ({ captions: CAPTIONS }));
    const video = await firstListed(opened.source);
    const captions = video.captions ?? (await opened.source.captions(video));

    const found = await Promise.all(
      captions.map(async ({ languageCode, url, text }) => ({
        languageCode,
        text: text ?? (url === null ? null : await (await fetch(url)).text()),
      })),
    );
    expect(found.toSorted((a, b) => (a.languageCode < b.languageCode ? -1 : 1))).toEqual(
      CAPTIONS.map(({ languageCode, text }) => ({ languageCode, text })).toReversed(),
    );
  });

  test("no captions where there are none", async () => {
    opened.standIn.addMany(1, CLIP);
    const [video] = (await listAll(opened.source)).videos;
    if (video === undefined) throw new Error("the list is empty");
    expect(video.captions ?? (await opened.source.captions(video))).toEqual([]);
  });
}
