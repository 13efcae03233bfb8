import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { openDatabase } from "../../../../src/platform/database.ts";
import { CATALOGUE_VERSION, expandPatterns } from "../../../../src/events/index.ts";
import { refreshMatchedTypes, resealSecrets } from "../../../../src/events/webhooks/index.ts";
import { isSealedWithCurrent, openSecret, sealSecret } from "../../../../src/events/webhooks/records/secrets.ts";
import { webhooks } from "../../../../src/events/webhooks/records/tables.ts";
import { newWorkspace } from "../../workspace.ts";
import { addWebhook, SECRET, webhookRow } from "./webhook-rows.ts";

const db = openDatabase(env.DB);
const newKey = `k2:${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
const both = { ...env, WEBHOOK_KEYS: `${newKey},${env.WEBHOOK_KEYS}` };

test("after resealing with a new first key, every secret opens without the old key, also the previous one of a rotation", async () => {
  const { id: workspaceId } = await newWorkspace();
  const id = await addWebhook(workspaceId);
  const before = btoa("the secret before, also 32 bytes");
  await db
    .update(webhooks)
    .set({ previousSecret: await sealSecret(env.WEBHOOK_KEYS, id, before) })
    .where(eq(webhooks.id, id));
  await resealSecrets(both);
  const { secret, previousSecret } = await webhookRow(id);
  expect([secret, previousSecret!].map((sealed) => isSealedWithCurrent(newKey, sealed))).toEqual([true, true]);
  expect(await openSecret(newKey, id, secret)).toBe(SECRET);
  expect(await openSecret(newKey, id, previousSecret!)).toBe(before);
  await resealSecrets(both);
  expect(await webhookRow(id)).toMatchObject({ secret, previousSecret }); // not written again
});

test("a secret that does not open stays as it is and does not stop others from being resealed", async () => {
  const { id: workspaceId } = await newWorkspace();
  const broken = await addWebhook(workspaceId, { secret: "k9.AAAAAAAAAAAAAAAA.AAAA" });
  const sound = await addWebhook(workspaceId);
  await resealSecrets(both);
  expect((await webhookRow(broken)).secret).toBe("k9.AAAAAAAAAAAAAAAA.AAAA");
  expect(await openSecret(newKey, sound, (await webhookRow(sound)).secret)).toBe(SECRET);
});

test("a prefix is resolved again after the catalogue has changed, and webhooks with the current version are not written", async () => {
  const { id: workspaceId } = await newWorkspace();
  const stale = { eventTypes: ["video.media.*"], matchedTypes: ["asset.ready"], matchedVersion: "before" };
  const id = await addWebhook(workspaceId, stale);
  const current = await addWebhook(workspaceId, { ...stale, matchedVersion: CATALOGUE_VERSION });
  await refreshMatchedTypes(env);
  expect(await webhookRow(id)).toMatchObject({
    matchedTypes: expandPatterns(["video.media.*"]),
    matchedVersion: CATALOGUE_VERSION,
  });
  expect((await webhookRow(current)).matchedTypes).toEqual(["asset.ready"]);
});
