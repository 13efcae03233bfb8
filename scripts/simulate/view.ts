/** Views as a player's SDK would report them. Pure: seed and number determine a view. */
import { DEVICES, ERRORS, NETWORKS, PLACES, TITLES } from "./audience.ts";
import { Random } from "./random.ts";

export interface SimulatedView {
  userAgent: string;
  /** Cloudflare's facts about the viewer's address (`request.cf`). */
  cf: (typeof PLACES)[number]["cf"];
  /** Fields of beacons (media contract, analytics). */
  events: Record<string, unknown>[];
}

/** The platform treats times of more than seven days ago as a wrong clock. */
export const MAX_DAYS = 7;
const DAY_MS = 24 * 3600_000;
/** A viewer usually has several views. */
const VIEWS_PER_VIEWER = 3;
const LEFT_BEFORE_START = 0.04;
const MAX_STALLS = 6;

/**
 * @param index number of the view; the same seed and index yield the same view
 * @param span views end in the last `days` days before `nowMs`, epoch ms
 * @param views number of views in all, from which the number of viewers follows
 */
export function simulateView(
  seed: number,
  index: number,
  { nowMs, days, views }: { nowMs: number; days: number; views: number },
): SimulatedView {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
  const viewer = random.between(1, Math.ceil(views / VIEWS_PER_VIEWER));
  const person = new Random(Math.imul(seed, 0xc2b2ae35) ^ viewer);
  const [{ cf }, device, network] = [person.pick(PLACES), person.pick(DEVICES), random.pick(NETWORKS)];
  const { title, durationMs } = random.pick(TITLES);

  const startupMs = random.around(network.startupMs);
  const stallsMs = Array.from({ length: MAX_STALLS }, () => random.chance(network.stalls))
    .filter(Boolean)
    .map(() => random.around(900, 0.9));
  const playedMs = Math.min(durationMs, random.around(durationMs * 0.45, 0.9));
  const hasFailed = random.chance(network.failure);
  const hasFailedAtStart = hasFailed && random.chance(0.4);
  const hasLeft = !hasFailed && random.chance(LEFT_BEFORE_START);
  const lengthMs = hasFailedAtStart || hasLeft ? startupMs : startupMs + playedMs + sumOf(stallsMs);
  const startMs = nowMs - Math.floor(random.next() * days * DAY_MS * 0.98) - lengthMs;

  const events: Record<string, unknown>[] = [];
  const viewId = random.uuid();
  const add = (name: string, atMs: number, fields: Record<string, unknown> = {}) =>
    events.push({ veid: viewId, vesqnu: events.length + 1, evna: name, vitp: startMs + atMs, vewati: atMs, ...fields });
  const failure = () => {
    const { code, message } = random.pick(ERRORS);
    return { plercd: code, plerms: message };
  };

  add("viewBegin", 0, {
    vdtt: title,
    vdid: title.toLowerCase().replaceAll(/\W+/g, "-"),
    vddu: durationMs,
    vdsmty: "on-demand",
    viid: `viewer-${viewer}`,
    vicity: network.name,
    plna: "site",
    plvn: random.chance(0.8) ? "4.2.0" : "4.1.3",
    plwt: device.widthPx,
    plht: device.heightPx,
    plauon: random.chance(0.3),
    paloti: random.around(700),
    plspti: random.around(90),
    vdcn: random.chance(0.85) ? "cloudflare" : "other",
    exna: random.chance(0.5) ? "control" : "preload",
  });
  if (hasFailedAtStart) add("error", lengthMs, failure());
  else if (hasLeft) add("viewCompleted", lengthMs);
  else {
    add("playing", startupMs, { vetitofifr: startupMs });
    const variant = { vdsobi: random.around(network.bitrateBps, 0.2), vdsoht: network.heightPx, vdsofs: 30 };
    add("variantChanged", startupMs + 1, { ...variant, vdsowt: Math.round((network.heightPx * 16) / 9) });
    let atMs = startupMs;
    for (const [number, stallMs] of stallsMs.entries()) {
      atMs += Math.floor(playedMs / (stallsMs.length + 1));
      add("buffering", atMs);
      atMs += stallMs;
      add("buffered", atMs, { verbco: number + 1, verbdu: sumOf(stallsMs.slice(0, number + 1)) });
    }
    const end = { plphti: playedMs, vemaplps: playedMs, verbco: stallsMs.length, verbdu: sumOf(stallsMs) };
    add(hasFailed ? "error" : "viewCompleted", lengthMs, { ...end, ...(hasFailed ? failure() : {}) });
  }
  return { userAgent: device.userAgent, cf, events };
}

const sumOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
