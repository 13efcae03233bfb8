import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { changeRecord } from "../../../../src/library/assets/change-record.ts";
import { eventsOf } from "../../events/webhooks/webhook-rows.ts";
import { newAsset } from "../../playback/playable.ts";

test("a change tells a media that does not exist from one with nothing to change, and then commits nothing", async () => {
  const { assetId } = await newAsset({ status: "ready" });
  const nothing = (id: string) => changeRecord(env, { workspaceId: null, assetId: id }, new Date(), () => null);
  expect(await nothing(crypto.randomUUID())).toBeNull();
  const unchanged = await nothing(assetId);
  expect(unchanged).toMatchObject({ record: { asset: { id: assetId } }, change: null, committed: { isNew: [] } });
  await unchanged!.committed.wake();
  expect(await eventsOf(assetId)).toEqual([]);
});
