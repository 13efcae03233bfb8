import type { z } from "@hono/zod-openapi";
import { aiKinds } from "./ai.ts";
import { dataKinds } from "./data.ts";
import type { KindFacts } from "./kind.ts";
import { liveKinds } from "./live.ts";
import { mediaKinds } from "./media.ts";
import { migrationKinds } from "./migration.ts";
import { playbackKinds } from "./playback.ts";
import { trackKinds } from "./tracks.ts";
import { transformKinds } from "./transform.ts";
import { webhookKinds } from "./webhooks.ts";

const KINDS = {
  ...mediaKinds,
  ...transformKinds,
  ...trackKinds,
  ...aiKinds,
  ...liveKinds,
  ...playbackKinds,
  ...dataKinds,
  ...migrationKinds,
  ...webhookKinds,
};

/** The name of a kind with `naming: "service"`: the specification's name where it has one, else the contract's. */
export type EventType = keyof typeof KINDS;
export type EventData<Type extends EventType> = z.output<(typeof KINDS)[Type]["data"]>;
export type Naming = "service" | "video";

export interface EventKind extends Omit<KindFacts, "isSent"> {
  type: EventType;
  videoType: string;
  isSent: boolean;
}

/** Every kind of event, by area and then in the usual order of occurrence. */
export const CATALOGUE = Object.fromEntries(
  Object.entries<KindFacts>(KINDS).map(([type, facts]) => [
    type,
    { type, videoType: type, ...facts, isSent: facts.isSent === true },
  ]),
) as Record<EventType, EventKind>;
export const EVENT_KINDS: readonly EventKind[] = Object.values(CATALOGUE);

export const isEventType = (name: string): name is EventType => Object.hasOwn(CATALOGUE, name);

/** @throws when the kind is unknown: only kinds of the catalogue may be sent */
export function kindOf(type: string): EventKind {
  if (!isEventType(type)) throw new Error(`unknown kind of event "${type}"`);
  return CATALOGUE[type];
}

/** The name under which a kind is sent. A kind that is no longer in the catalogue keeps its stored name. */
export const nameIn = (naming: Naming, type: string): string =>
  naming === "video" && isEventType(type) ? CATALOGUE[type].videoType : type;

/** A hash of all kinds and names, independent of their order. */
export const versionOf = (kinds: readonly Pick<EventKind, "type" | "videoType">[]): string =>
  fnv1a(
    kinds
      .map(({ type, videoType }) => `${type}=${videoType}`)
      .sort()
      .join("\n"),
  );

/** Patterns such as `video.media.*` must be resolved again when this changes. */
export const CATALOGUE_VERSION = versionOf(EVENT_KINDS);

/** FNV-1a, 32 bits, as 8 hex digits. Synchronous, because it runs at module level. The names are ASCII. */
function fnv1a(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
