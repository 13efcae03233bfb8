/** The map of the repository (docs/architecture/overview.md): the part that each file belongs to, and the layering of the parts. */

import { posix } from "node:path";

/** Folders whose imports are checked. */
export const CHECKED_FOLDERS = ["protocol", "src", "durable-objects", "encoder", "sdk"] as const;

/** Floors of `src/`, lowest first. A file of `src/` itself is composition, above all of them. */
const FLOORS = [
  ["platform"],
  ["media"],
  ["records"],
  ["tenancy", "events"],
  ["library", "live", "analytics", "imports", "ai"],
  ["playback", "mcp"],
] as const;
const COMPOSITION = FLOORS.length;

/** Domains whose files may be imported directly by higher floors; the other domains are imported through an `index.ts`. */
const OPEN_DOMAINS = new Set(["platform", "media", "records"]);

export interface Place {
  /** `protocol`, `encoder`, `durable-objects`, `sdk` or `src`. */
  root: string;
  /** For `src`: the domain; null = composition. */
  domain: string | null;
  /** For `src`: the floor, counted from the lowest; undefined for a domain that is not on the map. */
  floor: number | undefined;
  /** The folder whose imports are checked for cycles: `src/live/streams`, `src/events/webhooks/sender`. */
  room: string;
}

export function placeOf(path: string): Place {
  const [root = "", ...rest] = path.split("/");
  const room = posix.dirname(path); // every folder is a room, at any depth
  if (root !== "src") return { root, domain: null, floor: undefined, room };
  const [domain = ""] = rest;
  if (rest.length === 1) return { root, domain: null, floor: COMPOSITION, room };
  const floor = FLOORS.findIndex((domains) => (domains as readonly string[]).includes(domain));
  return { root, domain, floor: floor < 0 ? undefined : floor, room };
}

export const isOpen = ({ domain }: Place): boolean => domain !== null && OPEN_DOMAINS.has(domain);
export const isComposition = ({ floor }: Place): boolean => floor === COMPOSITION;
