/** `npm run demo -- --upload FILE --exit --json`, as a user runs it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../support/command.ts";
import { freePort } from "../../support/platform.ts";

/** Its index is in front. */
const FILM = "test/fixtures/friday.mp4";

test("an uploaded file plays while the rest is still being sent, becomes ready, and its webhooks arrive", async () => {
  const home = await mkdtemp(join(tmpdir(), "sluice-demo-upload-"));
  try {
    const ports = ["PORT", "ENCODER_PORT", "RTMP_PORT", "SRT_PORT", "INGEST_PORT"];
    const env: NodeJS.ProcessEnv = { HOME: home, SLUICE_HOME: home };
    for (const name of ports) env[name] = String(await freePort());
    const words = [process.execPath, "scripts/demo.ts", "--upload", FILM, "--exit", "--json", "--no-play"];
    const { status, said } = await runCommand(words, { env });
    const order = said.map(({ kind }) => kind).filter((kind) => !["progress", "delivery"].includes(kind));
    expect([status, order]).toEqual([0, ["up", "accepted", "playable", "uploaded", "probed", "ready", "links"]]);
    const playable = said.find(({ kind }) => kind === "playable")!;
    expect(playable).toMatchObject({ by: "upload", segmentBytes: expect.any(Number) });
    expect(playable["sentPercent"]).toBeLessThan(100);
    const deliveries = said.filter(({ kind }) => kind === "delivery").map(({ type, verified }) => [type, verified]);
    expect(deliveries).toEqual(
      ["video.media.upload", "video.upload.media_created", "asset.ready"].map((type) => [type, true]),
    );
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
