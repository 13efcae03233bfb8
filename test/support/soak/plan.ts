/** The plan of a soak: its size, its webhooks and the conduct of their receivers. */
import type { Range } from "./random.ts";

export interface SoakSize {
  seed: number;
  webhooks: number;
  /** Kills during the owners' traffic, and then as many more, each in the middle of a burst after a time without traffic. */
  kills: number;
  killsInQuiet: number;
  /** From the platform's restart to the next kill. */
  upMs: Range;
  /** Concurrent owners, and their pause between two changes. */
  owners: number;
  pauseMs: Range;
  /** Changes that must have been answered before the last kill of their traffic, however slow the machine is. */
  changes: number;
  /** Time limit for all deliveries after the receivers' recovery. */
  settleMs: number;
}

/** A receiver's reaction to a request. */
export type Conduct = "ok" | "slow" | "error" | "busy" | "silent" | "drop" | "reset" | "gone";

export interface ReceiverPlan {
  /** Relative frequencies. */
  conduct: Partial<Record<Conduct, number>>;
  /** Time before the receiver stops listening for some time; null = it always listens. */
  upMs: Range | null;
  downMs: Range;
  /** The receiver answers 410 to this request and all later ones. */
  goneAtRequest: number | null;
}

export interface WebhookPlan {
  naming: "service" | "video";
  /** Absent = all. */
  eventTypes: string[] | undefined;
  /** The same as `eventTypes`, implemented independently of the product for the verdict. */
  wants: (type: string) => boolean;
  receiver: ReceiverPlan;
}

const STEADY: ReceiverPlan = { conduct: { ok: 1 }, upMs: null, downMs: [0, 0], goneAtRequest: null };
const MOODY: ReceiverPlan = {
  conduct: { ok: 60, slow: 10, error: 9, busy: 3, silent: 1, drop: 9, reset: 8 },
  upMs: [2000, 6000],
  downMs: [500, 3000],
  goneAtRequest: null,
};
const BROKEN: ReceiverPlan = { ...MOODY, conduct: { error: 5, drop: 4, reset: 1 } };
const CLOSING: ReceiverPlan = { ...MOODY, conduct: { ok: 3, slow: 1, error: 1 }, upMs: null, goneAtRequest: 40 };

const all = () => true;
const isOneOf =
  (...types: string[]) =>
  (type: string) =>
    types.includes(type);

const KINDS: readonly WebhookPlan[] = [
  { naming: "service", eventTypes: undefined, wants: all, receiver: STEADY },
  { naming: "video", eventTypes: undefined, wants: all, receiver: MOODY },
  { naming: "service", eventTypes: ["*"], wants: all, receiver: MOODY },
  {
    naming: "video",
    eventTypes: ["video.media.*"],
    wants: (type) => type.startsWith("asset.") || type.startsWith("video.media."),
    receiver: MOODY,
  },
  {
    naming: "service",
    eventTypes: ["asset.*", "webhook.disabled"],
    wants: (type) => type.startsWith("asset.") || type === "webhook.disabled",
    receiver: MOODY,
  },
  { naming: "service", eventTypes: ["video.media.updated"], wants: isOneOf("video.media.updated"), receiver: BROKEN },
  {
    naming: "video",
    eventTypes: ["asset.created", "video.media.failed", "video.media.deleted"],
    wants: isOneOf("asset.created", "asset.errored", "video.media.deleted"),
    receiver: MOODY,
  },
  { naming: "service", eventTypes: ["video.media.updated"], wants: isOneOf("video.media.updated"), receiver: CLOSING },
];

export const planWebhooks = (count: number): WebhookPlan[] =>
  Array.from({ length: count }, (_, index) => KINDS[index % KINDS.length]!);

/** Under a minute on a busy machine. */
export const SMALL: Omit<SoakSize, "seed"> = {
  webhooks: KINDS.length,
  kills: 8,
  killsInQuiet: 2,
  upMs: [200, 2200],
  owners: 3,
  pauseMs: [20, 120],
  changes: 100,
  settleMs: 75_000,
};

/** Some minutes. */
export const FULL: Omit<SoakSize, "seed"> = {
  webhooks: 3 * KINDS.length,
  kills: 8,
  killsInQuiet: 2,
  upMs: [2000, 15_000],
  owners: 8,
  pauseMs: [20, 120],
  changes: 100,
  settleMs: 300_000,
};
