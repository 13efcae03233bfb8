/** The SDK verifies deliveries in workerd, as the platform sent them. */
import { beforeAll, expect, test } from "vitest";
import { isWebhookCheck, verifyWebhook, WebhookVerificationError } from "../../../sdk/index.ts";
import { announce, createWebhook, hmac, receiverUrl, seenAt } from "../events/webhooks/webhook-helpers.ts";
import { until } from "../events/webhooks/webhook-rows.ts";
import { newWorkspace } from "../workspace.ts";

let secret: string;
let body: string;
let headers: Record<string, string>;
let eventId: string;
let check: { body: string; headers: Record<string, string> };
const OTHER = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";

beforeAll(async () => {
  const workspace = await newWorkspace();
  const url = receiverUrl();
  ({ secret } = await createWebhook(workspace, { url, skipVerification: false }));
  eventId = await announce(workspace, {});
  const seen = await until(
    () => seenAt(url),
    (requests) => requests.length === 2,
  );
  check = seen[0] as typeof check;
  ({ body, headers } = seen[1] as typeof check);
});

const secondsLater = (seconds: number) => ({
  now: new Date(Number(headers["webhook-timestamp"]) * 1000 + seconds * 1000),
});

test("a delivery is accepted, as text and as bytes, with headers of both kinds, and its event is returned", async () => {
  const bytes = new TextEncoder().encode(body);
  for (const raw of [body, bytes, new Uint8Array(bytes).buffer])
    for (const given of [headers, new Headers(headers)])
      expect((await verifyWebhook(raw, given, secret)).event_id).toBe(eventId);
});

test("with one of two secrets of a rotation", async () => {
  expect(await verifyWebhook(body, headers, [OTHER, secret])).toMatchObject({ type: "video.media.deleted" });
});

interface Change {
  headers?: Record<string, string>;
  body?: string;
  secret?: string;
}

test.each<[string, () => Change | Promise<Change>]>([
  ["another byte in its body", () => ({ body: body.replace("media", "medib") })],
  ["another secret", () => ({ secret: OTHER })],
  ["another id", () => ({ headers: { "webhook-id": crypto.randomUUID() } })],
  ["another time", () => ({ headers: { "webhook-timestamp": String(Number(headers["webhook-timestamp"]) + 1) } })],
  ["no signature", () => ({ headers: { "webhook-signature": "" } })],
  [
    "the signature of its body alone",
    async () => ({ headers: { "webhook-signature": `v1,${await hmac(secret, body)}` } }),
  ],
  ["an unreadable signature", () => ({ headers: { "webhook-signature": "v1,%%% v2,abc" } })],
  ["a time that is no number", () => ({ headers: { "webhook-timestamp": "now" } })],
])("a request with %s is refused", async (_, change) => {
  const changed = await change();
  const call = verifyWebhook(changed.body ?? body, { ...headers, ...changed.headers }, changed.secret ?? secret);
  await expect(call).rejects.toThrow(WebhookVerificationError);
});

test("it is accepted for five minutes before and after its signature, and no second longer", async () => {
  for (const seconds of [-300, 0, 300]) await verifyWebhook(body, headers, secret, secondsLater(seconds));
  for (const seconds of [-301, 301])
    await expect(verifyWebhook(body, headers, secret, secondsLater(seconds))).rejects.toThrow("5 minutes ago or ahead");
  const within = { ...secondsLater(11), toleranceSeconds: 10 };
  await expect(verifyWebhook(body, headers, secret, within)).rejects.toThrow("10 seconds ago or ahead");
});

test("the unsigned check at the creation is recognised, and nothing else is", () => {
  expect(isWebhookCheck(check.body, check.headers)).toBe(true);
  expect(isWebhookCheck(body, headers)).toBe(false);
  expect(isWebhookCheck("{}", headers)).toBe(false);
  expect(isWebhookCheck(`{"type":"asset.ready"}`, {})).toBe(false);
});

test("an unset secret is refused as such, not as a wrong signature", async () => {
  const call = verifyWebhook(body, headers, undefined as unknown as string);
  await expect(call).rejects.toThrow("the webhook's secret is undefined; is its environment variable set?");
});

test("a body that was parsed before, and a secret that is not Base64, are explained without the secret", async () => {
  const parsed = JSON.parse(body) as string;
  await expect(verifyWebhook(parsed, headers, secret)).rejects.toThrow("needs the raw body");
  const wrong = verifyWebhook(body, headers, "whsec_not base64!");
  await expect(wrong).rejects.toThrow("is not Base64");
  await expect(wrong).rejects.not.toThrow("whsec_");
});
