import { makeSource, SOURCES } from "../test/support/sources.ts";
import { startTestPlatform } from "../test/support/platform.ts";
import { fileContent } from "../test/support/source-content.ts";
import { startSourceServer } from "../test/support/source-server.ts";
import { readPlaylists } from "../test/support/playlists.ts";
const server = await startSourceServer();
const platform = await startTestPlatform({ vars: { SOURCE_RETRY_SCALE: "0.01" } });
for (const name of Object.keys(SOURCES)) {
  const path = await makeSource(name as never);
  server.add(`/${name}`, { kind: "content", content: await fileContent(path) });
  const t0 = performance.now();
  const { assetId, playbackId } = await platform.create(server.url(`/${name}`));
  let m: any;
  for (;;) {
    m = (await platform.api("GET", `/v1/on-demand/${assetId}`)).body.data;
    if (m.status === "Ready" || m.status === "Failed") break;
    if (performance.now() - t0 > 40000) break;
    await new Promise((d) => setTimeout(d, 100));
  }
  let pl = "";
  if (m.status === "Ready") {
    const ps = await readPlaylists(`${platform.baseUrl}/${playbackId}.m3u8`);
    pl = ps
      .map(
        (p) =>
          `${p.name}:${p.segmentUrls.length}:${p.durationsS.reduce((a, b) => a + b, 0).toFixed(2)}${p.isComplete ? "" : "!"}`,
      )
      .join(" ");
    for (const p of ps)
      for (const u of [p.initUrl, ...p.segmentUrls]) {
        const r = await fetch(u);
        if (!r.ok) pl += ` BAD ${u} ${r.status}`;
        await r.arrayBuffer();
      }
    const mpd = await fetch(`${platform.baseUrl}/${playbackId}.mpd`);
    if (!mpd.ok) pl += ` MPD ${mpd.status}`;
  }
  console.log(
    name.padEnd(18),
    m.status,
    Math.round(performance.now() - t0),
    m.error?.code ?? "",
    m.duration ?? "",
    m.aspectRatio ?? "",
    m.frameRate ?? "",
    m.isAudioOnly ? "audio" : "",
    (m.tracks ?? []).map((t: any) => t.type[0] + (t.languageCode ?? `${t.width}x${t.height}`)).join(","),
    pl,
  );
}
await platform.stop();
await server.stop();
