/** The map of the repository (docs/architecture/overview.md): the part that each file belongs to, and the layering of the parts. */

/** Folders whose imports are checked. */
export const CHECKED_FOLDERS = ["protocol", "src", "durable-objects", "encoder"] as const;

/** Floors of `src/`, lowest first. A file of `src/` itself is composition, above all of them. */
const FLOORS = [
  ["platform"],
  ["media"],
  ["tenancy", "events"],
  ["library", "live", "analytics", "imports", "ai"],
  ["playback"],
] as const;
const COMPOSITION = FLOORS.length;

/** Domains whose files may be imported directly by higher floors; the other domains are imported through an `index.ts`. */
const OPEN_DOMAINS = new Set(["platform", "media"]);
/** Domains that are one room, except for the rooms named here. In the other domains each folder is a room. */
const ROOMS: Readonly<Record<string, readonly string[]>> = { playback: [], events: ["webhooks", "request-log"] };

export interface Place {
  /** `protocol`, `encoder`, `durable-objects` or `src`. */
  root: string;
  /** For `src`; null = composition. */
  domain: string | null;
  /** For `src`, counted from the lowest; undefined for a domain that is not on the map. */
  floor: number | undefined;
  /** The folder that import cycles are checked for: `src/live/streams`. */
  room: string;
}

export function placeOf(path: string): Place {
  const [root = "", ...rest] = path.split("/");
  if (root !== "src") return { root, domain: null, floor: undefined, room: root };
  if (rest.length === 1) return { root, domain: null, floor: COMPOSITION, room: root };
  const [domain = "", folder = ""] = rest;
  const floor = FLOORS.findIndex((domains) => (domains as readonly string[]).includes(domain));
  const isRoom = rest.length > 2 && (ROOMS[domain]?.includes(folder) ?? true);
  const room = isRoom ? `${root}/${domain}/${folder}` : `${root}/${domain}`;
  return { root, domain, floor: floor < 0 ? undefined : floor, room };
}

export const isOpen = ({ domain }: Place): boolean => domain !== null && OPEN_DOMAINS.has(domain);
export const isComposition = ({ floor }: Place): boolean => floor === COMPOSITION;
