/** Compares the receivers' logs with D1. Every list contains descriptions of violations: empty = the guarantee held. */
import { createHmac } from "node:crypto";
import { type Account, accountsOf, isTaken } from "./account.ts";
import { judgeAttempts } from "./attempts-verdict.ts";
import type { SoakResult } from "./soak.ts";
import type { StoredEvent } from "./stored.ts";
import type { Traffic } from "./traffic.ts";

/** A Worker may wait for six connections at once; one is reserved for name resolution. */
const MOST_AT_ONCE = 5;
const MAX_CLOCK_SKEW_S = 30;

export const GUARANTEES = {
  owners: "every acknowledged change has exactly one event, and no event reports a change that did not happen",
  order: "createdAt of each object's events rises strictly, in commit order",
  delivered: "every event reached every webhook that subscribes to it, or its delivery failed with a reason",
  signed: "every request was signed with its webhook's secret, over the raw bytes of its body",
  bytes: "every request had the bytes of its event in its webhook's naming, the same in every attempt",
  counted: "the delivery log has exactly the attempts that receivers saw, with the same outcomes",
  gentle: "no webhook got more than five concurrent requests",
} as const;
export type Guarantee = keyof typeof GUARANTEES;

export function judge({ webhooks, traffic, stored, listed }: SoakResult): Record<Guarantee, string[]> {
  const accounts = accountsOf(webhooks, stored);
  const events = new Map(stored.events.map((event) => [event.id, event]));
  return {
    owners: [...judgeOwners(traffic, stored.events), ...judgeList(listed, stored.events)],
    order: [...judgeOrder(stored.events)],
    delivered: accounts.flatMap((account) => [...judgeDelivered(account, stored.events)]),
    signed: accounts.flatMap((account) => [...judgeSigned(account)]),
    bytes: accounts.flatMap((account) => [...judgeBytes(account, events)]),
    counted: accounts.flatMap((account) => [...judgeAttempts(account)]),
    gentle: accounts.flatMap(({ name, webhook: { receiver } }) =>
      receiver.mostAtOnce() > MOST_AT_ONCE ? [`${name} got ${receiver.mostAtOnce()} concurrent requests`] : [],
    ),
  };
}

/** The only uncertainty after a kill: a request without an answer may have been carried out or not. */
function* judgeOwners({ created, changes, deleted, serverErrors }: Traffic, events: StoredEvent[]): Generator<string> {
  yield* serverErrors;
  const reported = Map.groupBy(events, ({ type }) => type);
  const count = (type: string, objectId: string) =>
    reported.get(type)?.filter((event) => event.objectId === objectId).length ?? 0;
  for (const id of created)
    if (count("asset.created", id) !== 1) yield `the creation of ${id} is not reported exactly once`;
  for (const { objectId } of reported.get("asset.created") ?? [])
    if (!created.includes(objectId)) yield `the creation of ${objectId} is reported, but no owner created it`;
  for (const id of deleted)
    if (count("video.media.deleted", id) !== 1) yield `the deletion of ${id} is not reported exactly once`;
  for (const id of created.filter((one) => !deleted.includes(one)))
    if (count("asset.errored", id) !== 1) yield `the failure of ${id} is not reported exactly once`;

  const titled = Map.groupBy(reported.get("video.media.updated") ?? [], titleOf);
  for (const { title, sent, status } of changes) {
    const times = titled.get(title)?.length ?? 0;
    const least = status === 200 ? 1 : 0;
    const most = status === 404 ? sent - 1 : sent;
    if (times < least || times > most) yield `"${title}" was sent ${sent} times and is reported ${times} times`;
  }
}

const titleOf = ({ body }: StoredEvent) => (JSON.parse(`{"type":"",${body}`) as { data: { title: string } }).data.title;

function* judgeList(listed: string[], events: StoredEvent[]): Generator<string> {
  const stored = new Set(events.map(({ id }) => id));
  if (new Set(listed).size !== listed.length) yield "the API lists an event twice";
  if (listed.length !== stored.size || listed.some((id) => !stored.has(id)))
    yield `the API lists ${listed.length} events, D1 holds ${stored.size}`;
}

/** @param events in commit order */
function* judgeOrder(events: StoredEvent[]): Generator<string> {
  const last = new Map<string, string>();
  for (const { id, objectId, createdAt, body } of events) {
    if (createdAt <= (last.get(objectId) ?? "")) yield `event ${id} is not later than the one before it`;
    if (!body.endsWith(`"createdAt":"${createdAt}","attempts":[]}`))
      yield `event ${id} has another createdAt in its body than in its row`;
    last.set(objectId, createdAt);
  }
}

function* judgeDelivered({ name, webhook, deliveries, requests }: Account, events: StoredEvent[]): Generator<string> {
  const wanted = events.filter(({ type, objectId }) => webhook.plan.wants(type) && objectId !== webhook.id);
  for (const { id, type } of wanted) {
    const delivery = deliveries.get(id);
    const hasIt = requests.get(id)?.some(isTaken) === true;
    if (delivery === undefined) yield `${name} subscribes to ${type}, but ${id} has no delivery`;
    else if (delivery.status === "delivered" && !hasIt)
      yield `${name} never accepted ${id}, which is recorded as delivered`;
    else if (delivery.status === "failed" && delivery.lastFailure === null)
      yield `${name}: ${id} failed without a reason`;
    else if (delivery.status === "failed" && webhook.plan.receiver.goneAtRequest === null)
      yield `${name} was healthy at the end but did not get ${id}: ${delivery.lastFailure}`;
    else if (delivery.status !== "delivered" && delivery.status !== "failed")
      yield `${name}: ${id} is ${delivery.status}`;
  }
  const ids = new Set(wanted.map(({ id }) => id));
  for (const id of deliveries.keys())
    if (!ids.has(id)) yield `${name} does not subscribe to ${id}, but has a delivery of it`;
  for (const id of requests.keys()) if (!deliveries.has(id)) yield `${name} got ${id}, which has no delivery`;
}

function* judgeSigned({ name, webhook }: Account): Generator<string> {
  const key = Buffer.from(webhook.secret, "base64");
  const hmac = (...parts: (string | Buffer)[]) => {
    const digest = createHmac("sha256", key);
    for (const part of parts) digest.update(part);
    return digest.digest("base64");
  };
  for (const { headers, body, atMs } of webhook.receiver.seen) {
    const [id, timestamp] = [headers["webhook-id"] ?? "", headers["webhook-timestamp"] ?? ""];
    if (headers["service-signature"] !== hmac(body)) yield `${name}: service-signature of ${id} is wrong`;
    if (headers["webhook-signature"] !== `v1,${hmac(`${id}.${timestamp}.`, body)}`)
      yield `${name}: webhook-signature of ${id} is wrong`;
    if (!(Math.abs(Number(timestamp) - atMs / 1000) <= MAX_CLOCK_SKEW_S))
      yield `${name}: ${id} has the timestamp ${timestamp}`;
  }
}

function* judgeBytes({ name, webhook, requests }: Account, events: Map<string, StoredEvent>): Generator<string> {
  const isVideo = webhook.plan.naming === "video";
  for (const [id, seen] of requests) {
    const event = events.get(id);
    if (event === undefined) yield `${name}: ${id} is not an event in D1`;
    else {
      const { type, videoType, body } = event;
      const expected = Buffer.from(`{"type":"${isVideo ? videoType : type}",${body}`);
      if (!seen.every((one) => one.body.equals(expected))) yield `${name}: ${id} was sent with other bytes`;
      if ((JSON.parse(expected.toString()) as { event_id: string }).event_id !== id)
        yield `the body of ${id} has another event_id`;
    }
  }
}
