/** Private playback in a browser, and behind a CDN. */
import { once } from "node:events";
import { Agent, createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { exportSPKI, generateKeyPair, SignJWT } from "jose";
import { expect, onTestFinished, test } from "vitest";
import { startCdn } from "../full/live/cdn.ts";
import { seedStandardSource } from "../players/seeded-worker.ts";
import type { PagesStage } from "./stage.ts";

const VIEWERS = 500;
/** The init segment and the first media segment. */
const FILES_PER_LIST = 2;

/** A private asset, and what signs its tokens. */
async function seedPrivate({ worker, flower }: PagesStage) {
  const { playbackId } = await seedStandardSource(worker, flower, "Private flowers");
  const keyId = crypto.randomUUID();
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  await worker.db.batch([
    worker.db.prepare("update playback_ids set access_policy = 'private' where id = ?").bind(playbackId),
    worker.db
      .prepare("insert into signing_keys (id, workspace_id, public_key, created_at) values (?, 'w', ?, 0)")
      .bind(keyId, await exportSPKI(publicKey)),
  ]);
  const token = async (lastsSeconds: number) =>
    await new SignJWT({ aud: `media:${playbackId}`, exp: Math.floor(Date.now() / 1000) + lastsSeconds })
      .setProtectedHeader({ alg: "RS256", kid: keyId })
      .sign(privateKey);
  return { playbackId, token };
}

export function testPrivate(stage: () => PagesStage): void {
  test("a private asset plays in Chromium with a token, and without one its page says that it is private", async () => {
    const { browser, worker } = stage();
    const { playbackId, token } = await seedPrivate(stage());
    const page = await browser.newPage();
    const refused: string[] = [];
    const media: string[] = [];
    page.on("response", (answer) => {
      const { pathname, search } = new URL(answer.url());
      const isPoster = pathname.endsWith("/thumbnail.jpg"); // no encoder runs beside this Worker, so it has no pictures
      if (answer.status() >= 400 && !isPoster) refused.push(`${answer.status()} ${pathname}`);
      if (/\.(?:m4s|mp4)$/.test(pathname)) media.push(search);
    });
    const [opened] = [await page.goto(`${worker.url}/player/${playbackId}`)];
    expect([opened!.status(), await page.textContent("h1")]).toEqual([401, "This video is private"]);
    expect(refused.splice(0)).toEqual([`401 /player/${playbackId}`]);

    await page.goto(`${worker.url}/player/${playbackId}?token=${await token(600)}`);
    await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) >= 2);
    await page.keyboard.press("k");
    await page.waitForFunction(() => (document.querySelector("video")?.currentTime ?? 0) > 0.5);
    expect(refused).toEqual([]);
    expect(media.length).toBeGreaterThan(2);
    expect(media.filter((search) => search !== "")).toEqual([]); // the token stays with the manifest
    await page.close();
  });

  test("domain rules judge the headers that Chromium sends: of scripts, media elements, sandboxed frames and embedded pages", async () => {
    const { browser, worker, flower } = stage();
    const { playbackId } = await seedStandardSource(worker, flower, "Flowers of one site");
    const open = { defaultPolicy: "allow", allow: [], deny: [] };
    const rules = { domains: { defaultPolicy: "deny", allow: ["allowed.example"], deny: [] }, userAgents: open };
    await worker.db
      .prepare("update playback_ids set access_restrictions = ? where id = ?")
      .bind(JSON.stringify(rules), playbackId)
      .run();
    const manifest = `${worker.url}/${playbackId}.m3u8`;
    const pages: Record<string, string> = {
      "/watch": `<script>sandboxed = new Promise((done) => addEventListener("message", ({ data }) => done(data)))</script>
        <iframe sandbox="allow-scripts" src="/frame"></iframe>
        <iframe src="${worker.url}/player/${playbackId}"></iframe>
        <video src="${worker.url}/${playbackId}/source-v/init.mp4"></video>
        <script>script = fetch("${manifest}?script").then(({ status }) => status)</script>`,
      "/frame": `<script>fetch("${manifest}?frame").then(({ status }) => parent.postMessage(status, "*"))</script>`,
    };
    const sites = createServer(({ url }, answer) => {
      answer.setHeader("content-type", "text/html").end(pages[url ?? ""]);
    });
    await once(sites.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void sites.close());
    const { port } = sites.address() as AddressInfo;
    const statuses = async (site: string) => {
      const tab = await browser.newPage();
      const answerOf = (end: string) => tab.waitForResponse((answer) => answer.url().endsWith(end));
      const page = answerOf(`/player/${playbackId}`);
      // Chromium keeps a refusal in JSON from a media element, and reports a failed request.
      const media = tab.waitForEvent("requestfinished", (one) => one.url().endsWith("/init.mp4"));
      const refusedMedia = tab.waitForEvent("requestfailed", (one) => one.url().endsWith("/init.mp4"));
      const segment = answerOf("/1.m4s");
      for (const one of [media, refusedMedia, segment]) one.catch(() => {}); // not all of them come
      await tab.goto(`http://${site}:${port}/watch`);
      const found = {
        page: (await page).status(),
        media: await Promise.race([media.then(() => "loaded"), refusedMedia.then(() => "refused")]),
        script: await tab.evaluate<number>("script"),
        sandboxed: await tab.evaluate<number>("sandboxed"),
        // The page's own requests have the platform's host as their referrer.
        ofPage: (await page).status() === 200 ? (await segment).status() : null,
      };
      await tab.close();
      return found;
    };
    // A sandboxed frame sends `Origin: null` and no Referer, so it names no site.
    const allowed = { page: 200, media: "loaded", script: 200, sandboxed: 403, ofPage: 200 };
    expect(await statuses("allowed.example")).toEqual(allowed);
    expect(await statuses("elsewhere.example")).toEqual({
      page: 403,
      media: "refused",
      script: 403,
      sandboxed: 403,
      ofPage: null,
    });
  });

  test(`${VIEWERS} viewers with ${VIEWERS} tokens cause one origin read per segment behind a CDN`, async () => {
    const { worker } = stage();
    const { playbackId, token } = await seedPrivate(stage());
    const cdn = await startCdn(`${worker.url}/`);
    onTestFinished(cdn.stop);
    const agent = new Agent({ keepAlive: true, maxSockets: 64 });
    onTestFinished(() => agent.destroy());
    const tokens = await Promise.all(Array.from({ length: VIEWERS }, (_, n) => token(600 + n)));
    expect(new Set(tokens).size).toBe(VIEWERS);

    const manifests = await Promise.all(tokens.map((one) => ask(`${cdn.url}/${playbackId}.m3u8?token=${one}`, agent)));
    expect(new Set(manifests.map(({ status }) => status))).toEqual(new Set([200]));
    const [manifest = "", ...others] = new Set(manifests.map(({ text }) => text));
    expect(others).toEqual([]);

    const lists = [...manifest.matchAll(/^(?!#)\S+$|URI="([^"]+\.m3u8)"/gm)].map(([line, uri]) => `/${uri ?? line}`);
    expect(lists).toHaveLength(2); // picture and sound
    const shared: string[] = [];
    for (const path of lists) {
      shared.push(path);
      const { text } = await ask(`${cdn.url}${path}`, agent);
      const files = [...text.matchAll(/^(?!#)\S+$|URI="([^"]+)"/gm)].map(([line, uri]) => uri ?? line);
      shared.push(...files.slice(0, FILES_PER_LIST).map((file) => new URL(file, cdn.url + path).pathname));
    }
    expect(shared).toHaveLength(2 + 2 * FILES_PER_LIST);
    for (const path of shared) {
      const answers = await Promise.all(tokens.map(() => ask(cdn.url + path, agent)));
      expect([path, new Set(answers.map(({ status }) => status))]).toEqual([path, new Set([200])]);
    }
    const origin = await cdn.logOf();
    const segments = shared.filter((path) => !path.endsWith(".m3u8"));
    expect(segments.map((path) => [path, origin.get(path)])).toEqual(segments.map((path) => [path, 1]));

    const [segment] = segments as [string];
    const unsigned = segment.replace(/~[^/]+/, "");
    expect((await ask(cdn.url + unsigned, agent)).status).toBe(401); // while the CDN has its bytes
    expect((await ask(`${cdn.url}/${playbackId}.m3u8`, agent)).status).toBe(401);
  });
}

async function ask(url: string, agent: Agent): Promise<{ status: number; text: string }> {
  return await new Promise((resolve, reject) => {
    const request = get(url, { agent }, (answer) => {
      const isText = /mpegurl|json/.test(answer.headers["content-type"] ?? "");
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => isText && chunks.push(chunk));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    request.on("error", reject);
  });
}
