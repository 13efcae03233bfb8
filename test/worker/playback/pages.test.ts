import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { addRung, get, newAsset } from "./playable.ts";

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

interface Shown {
  status: number;
  heading: string | undefined;
  text: string | undefined;
  /** Without scripts, the page is requested again. */
  reloads: boolean;
  hasPlayer: boolean;
}

async function show(path: string, headers: Record<string, string> = BROWSER): Promise<Shown> {
  const answer = await get(path, headers);
  const html = await answer.text();
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(html).not.toMatch(/<script(?! type="module" src="\/player\/player\.js">)|<style|\son\w+=/); // nothing that the policy refuses
  return {
    status: answer.status,
    heading: /<h1>([^<]*)<\/h1>/.exec(html)?.[1],
    text: /<p>([^<]*)<\/p>/.exec(html)?.[1],
    reloads: /<noscript><meta http-equiv="refresh"/.test(html),
    hasPlayer: html.includes('<main id="player"'),
  };
}

const MISSING = {
  status: 404,
  heading: "This video does not exist",
  text: "It may have been removed.",
  reloads: false,
  hasPlayer: false,
};

describe("the hosted page", () => {
  test("of a playable asset has the player, and plays without scripts where the browser plays HLS", async () => {
    const { assetId, playbackId } = await newAsset({ status: "ready" });
    await addRung(assetId);
    expect(await show(`/player/${playbackId}`)).toEqual({
      status: 200,
      heading: undefined,
      text: undefined,
      reloads: false,
      hasPlayer: true,
    });
    expect(await (await get(`/player/${playbackId}`)).text()).toContain(
      `<noscript><video class="plain" src="/${playbackId}.m3u8" controls playsinline></video></noscript>`,
    );
  });

  test("of an asset in processing is 202, shows its progress, and loads itself again", async () => {
    const progress = { percent: 37.4, stage: "encoding", renditions: [] };
    const { playbackId } = await newAsset({ progress });
    expect(await show(`/player/${playbackId}`)).toEqual({
      status: 202,
      heading: "This video is being prepared",
      text: "It starts here as soon as it can be played.",
      reloads: true,
      hasPlayer: true,
    });
    const answer = await get(`/player/${playbackId}`);
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(await answer.text()).toContain('<progress aria-label="Processing" max="100" value="37"></progress>');
  });

  test("of an asset whose source cannot be fetched says why, while it is tried again", async () => {
    const retry = { reason: "source_unresolvable", attempt: 2, nextAttemptAt: "2026-11-22T12:00:00.000Z" };
    const { playbackId } = await newAsset({ progress: { percent: 0, stage: "downloading", renditions: [], retry } });
    expect(await show(`/player/${playbackId}`)).toEqual({
      status: 202,
      heading: "This video is waiting for its file",
      text: "The server of the file was not found: its host name has no address. Sluice will try again.",
      reloads: true,
      hasPlayer: true,
    });
  });

  test.each([
    ["source_unresolvable", "The server of the file was not found: its host name has no address."],
    ["source_not_media", "The file is not a video or audio file."],
    ["encoder_lost", "Something went wrong while this video was processed."],
  ])("of an asset that failed with %s says why", async (errorCode, text) => {
    const { playbackId } = await newAsset({ status: "errored", errorCode });
    const shown = await show(`/player/${playbackId}`);
    expect(shown).toEqual({ ...MISSING, heading: "This video cannot be played", text });
    expect(await (await get(`/player/${playbackId}`)).text()).toContain(`<code>${errorCode}</code>`);
  });

  test("of a deleted asset is that of an unknown one, byte for byte", async () => {
    const { playbackId } = await newAsset({ status: "ready", deletedAt: new Date() });
    expect(await show(`/player/${playbackId}`)).toEqual(MISSING);
    const unknown = await get(`/player/${crypto.randomUUID()}`);
    expect(await (await get(`/player/${playbackId}`)).text()).toBe(await unknown.text());
  });
});

test("the hosted page refuses renditions that its manifest refuses, and names the parameter", async () => {
  const { assetId, playbackId } = await newAsset({ status: "ready" });
  await addRung(assetId);
  expect(await show(`/player/${playbackId}?maxResolution=foo`)).toEqual({
    status: 422,
    heading: "This address has an invalid parameter",
    text: expect.stringMatching(/^maxResolution must be one of 240p, .*2160p\.$/) as string,
    reloads: false,
    hasPlayer: false,
  });
  expect((await get(`/player/${playbackId}?maxResolution=720p`, BROWSER)).status).toBe(200);
});

describe("an address that cannot be played", () => {
  test.each(["/player/nonsense", "/player/", `/${crypto.randomUUID()}.m3u8`, `/${crypto.randomUUID()}/v720/0.m4s`])(
    "%s is a page in a browser, and JSON for everything else",
    async (path) => {
      expect(await show(path)).toEqual(MISSING);
      for (const accept of ["*/*", "application/json", "application/vnd.apple.mpegurl, */*;q=0.1"]) {
        const answer = await get(path, { accept });
        expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json;charset=UTF-8"]);
      }
    },
  );

  test("keeps its status and its time to wait", async () => {
    const { playbackId } = await newAsset();
    const answer = await get(`/${playbackId}.m3u8`, BROWSER);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([400, "1"]);
    expect(await answer.text()).toContain("This video is not ready yet");
  });

  test("has a page after a failure on our side too, and while the database has no tables", async () => {
    await env.DB.prepare("ALTER TABLE renditions RENAME TO renditions_gone").run();
    try {
      const unmigrated = await show(`/player/${crypto.randomUUID()}`);
      expect([unmigrated.status, unmigrated.heading]).toEqual([503, "Not available at the moment"]);
      const overflow = "SELECT * FROM renditions_gone WHERE abs(-9223372036854775807 - 1)";
      await env.DB.prepare(`CREATE VIEW renditions AS ${overflow}`).run();
      const failed = await show(`/player/${crypto.randomUUID()}`);
      expect([failed.status, failed.heading]).toEqual([500, "Something went wrong"]);
    } finally {
      await env.DB.prepare("DROP VIEW IF EXISTS renditions").run();
      await env.DB.prepare("ALTER TABLE renditions_gone RENAME TO renditions").run();
    }
  });
});

test("a script of the page is revalidated at each use, and is not sent again while it is the same", async () => {
  const first = await get("/player/player.js");
  expect([first.status, first.headers.get("cache-control")]).toEqual([200, "no-cache"]);
  await first.arrayBuffer();
  const again = await get("/player/player.js", { "if-none-match": first.headers.get("etag")! });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});

test("the source map that a script of the page names is served", async () => {
  const script = await (await get("/player/player.js")).text();
  const [, link = ""] = /\n\/\/# sourceMappingURL=(\S+)\n$/.exec(script) ?? [];
  const answer = await get(`/player/${link}`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
  expect((await answer.json<{ sources: string[] }>()).sources).toContain("../../../player/player.ts");
});
