import type { z } from "@hono/zod-openapi";
import { aiKinds } from "./catalogue/ai.ts";
import type { KindFacts } from "./catalogue/kind.ts";
import { liveKinds } from "./catalogue/live.ts";
import { mediaKinds } from "./catalogue/media.ts";
import { migrationKinds } from "./catalogue/migration.ts";
import { playbackKinds } from "./catalogue/playback.ts";
import { trackKinds } from "./catalogue/tracks.ts";
import { transformKinds } from "./catalogue/transform.ts";
import { webhookKinds } from "./catalogue/webhooks.ts";

const KINDS = {
  ...mediaKinds,
  ...transformKinds,
  ...trackKinds,
  ...aiKinds,
  ...liveKinds,
  ...playbackKinds,
  ...migrationKinds,
  ...webhookKinds,
};

/** The service's name of a kind: the specification's where it has one, else the contract's. */
export type EventType = keyof typeof KINDS;
export type EventData<Type extends EventType> = z.output<(typeof KINDS)[Type]["data"]>;
export type Naming = "service" | "video";

export interface EventKind extends Omit<KindFacts, "isSent"> {
  type: EventType;
  videoType: string;
  isSent: boolean;
}

/** Every kind of event that there is, by area and then in the order in which they happen. */
export const CATALOGUE = Object.fromEntries(
  Object.entries<KindFacts>(KINDS).map(([type, facts]) => [
    type,
    { type, videoType: type, ...facts, isSent: facts.isSent === true },
  ]),
) as Record<EventType, EventKind>;
export const EVENT_KINDS: readonly EventKind[] = Object.values(CATALOGUE);

export const isEventType = (name: string): name is EventType => Object.hasOwn(CATALOGUE, name);

/** @throws when there is no such kind: nothing may be sent that the catalogue does not know */
export function kindOf(type: string): EventKind {
  if (!isEventType(type)) throw new Error(`"${type}" is no kind of event`);
  return CATALOGUE[type];
}

/** The name under which a kind is sent. One that left the catalogue keeps the name it was stored with. */
export const nameIn = (naming: Naming, type: string): string =>
  naming === "video" && isEventType(type) ? CATALOGUE[type].videoType : type;

/** Changes when a kind or a name comes, goes or is changed; their order does not matter. */
export const versionOf = (kinds: readonly Pick<EventKind, "type" | "videoType">[]): string =>
  fnv1a(
    kinds
      .map(({ type, videoType }) => `${type}=${videoType}`)
      .sort()
      .join("\n"),
  );

/** What was expanded from patterns (a prefix such as `video.media.*`) under another version has to be expanded again. */
export const CATALOGUE_VERSION = versionOf(EVENT_KINDS);

/** FNV-1a, 32 bits, as 8 hex digits: synchronous, as a module's top level has to be. The names are ASCII. */
function fnv1a(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
