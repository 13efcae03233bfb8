/** The encoder's child, the encoder and workerd are killed in the middle of one encode. The kills one by one are in `full/kill-matrix.test.ts`. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { madeFile } from "../support/made.ts";
import { isReady, type Media, startTestPlatform, type TestPlatform } from "../support/platform.ts";
import { fingerprint } from "../support/playlists.ts";
import { childrenOf, commandOf, descendantsOf } from "../support/processes.ts";
import { fileContent } from "../support/source-content.ts";
import { type SourceServer, startSourceServer } from "../support/source-server.ts";
import { withState } from "../support/state.ts";

let server: SourceServer;
let platform: TestPlatform;

beforeAll(async () => {
  // A first chunk, and a second that takes long enough to be killed in.
  const words = "-stream_loop 5 -i test/fixtures/flower.mp4 -vf scale=320:180 -preset ultrafast -t 24".split(" ");
  server = await startSourceServer();
  server.add("/long.mp4", { kind: "content", content: await fileContent(await madeFile(words, "mp4")) });
  // Short leases, so that a lost job is assigned again within seconds.
  platform = await startTestPlatform({ vars: { JOB_LEASE_MS: "3000", SOURCE_RETRY_SCALE: "0.1" } });
});
afterAll(async () => {
  await platform?.stop();
  await platform?.removeHome();
  await server?.stop();
});

const isInTheMiddle = ({ progress }: Media) =>
  progress?.stage === "encoding" &&
  progress.renditions.some(({ percent }) => percent > 0) &&
  progress.renditions.some(({ percent }) => percent < 100);

function killAll(pids: readonly (number | undefined)[]): void {
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) process.kill(pid!, "SIGKILL");
}
const encoder = () => platform.pids.encoder()!;
const worker = () => platform.pids.worker()!;
const workerds = () => descendantsOf(worker()).filter((pid) => /workerd.* serve /.test(commandOf(pid)));

test("an asset becomes ready once, with the same bytes, although every part is killed while it is encoded", async () => {
  const calm = await platform.create(server.url("/long.mp4"));
  await platform.until(calm.assetId, isReady);
  const undisturbed = await fingerprint(`${platform.baseUrl}/${calm.playbackId}.m3u8`);

  const { assetId, playbackId } = await platform.create(server.url("/long.mp4"));
  await platform.until(assetId, isInTheMiddle);
  killAll(childrenOf(encoder()));
  await platform.until(assetId, isInTheMiddle);
  killAll([...workerds(), worker()]);
  await platform.until(assetId, isInTheMiddle);
  killAll([encoder()]);
  await platform.until(assetId, isReady);

  expect(await fingerprint(`${platform.baseUrl}/${playbackId}.m3u8`)).toEqual(undisturbed);
  await platform.stop();
  await withState(platform.home, async (state) => {
    const events = await state.rows<{ type: string }>("SELECT type FROM events WHERE object_id = ?", assetId);
    expect(events.map(({ type }) => type).toSorted()).toEqual(["asset.created", "asset.ready"]);
    const keysOf = async (id: string) =>
      (await state.keys(`assets/${id}/renditions/`)).map((key) => key.split("/renditions/")[1]);
    expect(await keysOf(assetId)).toEqual(await keysOf(calm.assetId));
  });
});
