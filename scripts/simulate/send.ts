import type { SimulatedView } from "./view.ts";

/** A beacon has at most 20 views, of one viewer's device and place; the server takes those from the request. */
const VIEWS_PER_BEACON = 20;

export interface Beacon {
  headers: Record<string, string>;
  views: number;
  body: string;
}

/** Groups views into as few beacons as possible. */
export function* beaconsOf(views: Iterable<SimulatedView>, workspaceId: string, nowMs: number): Generator<Beacon> {
  const waiting = new Map<string, SimulatedView[]>();
  const beaconOf = (group: SimulatedView[]): Beacon => ({
    // Miniflare takes `request.cf` from this header; Cloudflare ignores it.
    headers: {
      "user-agent": group[0]!.userAgent,
      "mf-cf-blob": JSON.stringify(group[0]!.cf).replaceAll(/[^ -~]/g, escape),
    },
    views: group.length,
    body: JSON.stringify({
      metadata: { transmission_timestamp: nowMs },
      events: group.flatMap(({ events }) => events.map((event) => ({ wsid: workspaceId, ...event }))),
    }),
  });
  for (const view of views) {
    const key = `${view.cf.country} ${view.cf.region} ${view.userAgent}`;
    const group = waiting.get(key) ?? [];
    waiting.set(key, group);
    if (group.push(view) < VIEWS_PER_BEACON) continue;
    waiting.delete(key);
    yield beaconOf(group);
  }
  for (const group of waiting.values()) yield beaconOf(group);
}

const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Posts a beacon as a player does. @throws {Error} when it is not accepted */
export async function sendBeacon(baseUrl: string, workspaceId: string, { headers, body }: Beacon): Promise<void> {
  const response = await fetch(`${baseUrl}/beacons/${workspaceId}`, { method: "POST", headers, body });
  await response.body?.cancel();
  if (response.status !== 200) throw new Error(`a beacon was answered ${response.status}`);
}
