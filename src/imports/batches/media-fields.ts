/** The fields of a new media, out of what the source has. Pure. */
import type { ListedVideo } from "../sources/source.ts";
import type { BatchSettings, Difference } from "./batch-calls.ts";
import { type Domains, domainsOf } from "./domains-of.ts";

const MAX_TEXT = 255;
const MAX_PAIRS = 10;
/** The name that the published tool gives it, misspelt there (media contract, migration). */
const SOURCE_ID_NAME = "originPlaformVideoId";

export interface MediaFields {
  title: string | null;
  creatorId: string | null;
  metadata: Record<string, string>;
  accessPolicy: "public" | "private";
  /** Hosts whose pages alone may play it; null = every page. */
  allowedDomains: string[] | null;
  /** What does not fit. The report has it whole. */
  cut: Difference[];
}

export function mediaFieldsOf(video: ListedVideo, settings: BatchSettings): MediaFields {
  const cut: Difference[] = [];
  const short = (text: string, field: string, lines: boolean) => shorten(text, field, lines, cut);
  const title = video.title === null ? null : short(video.title, "title", false) || null;
  const creatorId = video.creatorId === null ? null : short(video.creatorId, "creatorId", false) || null;
  const pairs = pairsOf(video, settings);
  const metadata = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (metadata.size === MAX_PAIRS) {
      cut.push({ field: "metadata", message: `a media has at most ${MAX_PAIRS} pairs: the others are left out` });
      break;
    }
    const key = short(name, "metadata", false);
    if (metadata.has(key))
      cut.push({ field: "metadata", message: "of pairs with the same name only the first is kept" });
    else if (key !== "") metadata.set(key, short(value, "metadata", true));
  }
  const policy = policyOf(video, settings, cut);
  const access = accessOf(policy, domainsOf(video.origins), settings, cut);
  return { title, creatorId, metadata: Object.fromEntries(metadata), ...access, cut: unique(cut) };
}

/** The id at the source comes first, what the owner wrote next, and what the platform knows last. */
function pairsOf(video: ListedVideo, { metadata: names }: BatchSettings): [string, string][] {
  const known: [string, string][] = [
    ["originCreatedAt", video.createdAt ?? ""],
    ["originFolder", video.folder ?? ""],
    ["originTags", video.tags.length === 0 ? "" : JSON.stringify(video.tags)],
  ];
  const all = [...Object.entries(video.metadata), ...known].filter(([, value]) => value !== "");
  const chosen: [string, string][] =
    names === null
      ? all
      : all.flatMap(([name, value]): [string, string][] => (Object.hasOwn(names, name) ? [[names[name]!, value]] : []));
  return [[SOURCE_ID_NAME, video.id], ...chosen];
}

function policyOf(video: ListedVideo, settings: BatchSettings, cut: Difference[]): "public" | "private" {
  const wanted =
    settings.accessPolicy === "asSource" ? (video.policy === "public" ? "public" : "private") : settings.accessPolicy;
  if (wanted === "public" && video.policy !== "public")
    cut.push({
      field: "accessPolicy",
      message: `it is ${video.policy} at the source, and public here, as the settings say`,
    });
  if (video.policy === "drm" && wanted !== "public")
    cut.push({
      field: "accessPolicy",
      message: "the source's DRM is not carried over: it needs tokens here, and no licences",
    });
  return wanted;
}

type Access = Pick<MediaFields, "accessPolicy" | "allowedDomains">;

/** A media is never open to more pages than its video was, unless the settings say so. */
function accessOf(
  accessPolicy: Access["accessPolicy"],
  domains: Domains | null,
  settings: BatchSettings,
  cut: Difference[],
): Access {
  if (domains === null) return { accessPolicy, allowedDomains: null };
  const note = (message: string) => void cut.push({ field: "accessPolicy", message });
  if (settings.accessPolicy === "public") {
    note("only pages of certain domains may show it at the source, and every page here, as the settings say");
    return { accessPolicy, allowedDomains: null };
  }
  const { allow, dropped } = domains;
  if (allow.length === 0) {
    note("the domains that may show it at the source cannot be rules here: it is private instead");
    return { accessPolicy: "private", allowedDomains: null };
  }
  if (dropped > 0) note(`${dropped} of the domains that may show it at the source cannot be rules here`);
  return { accessPolicy, allowedDomains: allow };
}

// oxlint-disable-next-line no-control-regex -- control characters are what is replaced
const CONTROL = /[\u0000-\u001f\u007f]+/g;
// oxlint-disable-next-line no-control-regex -- the same without tab, line feed and carriage return
const CONTROL_IN_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]+/g;

function shorten(text: string, field: string, lines: boolean, cut: Difference[]): string {
  const whole = text.toWellFormed();
  const clean = whole.replace(lines ? CONTROL_IN_LINES : CONTROL, " ");
  if (clean !== whole) cut.push({ field, message: "control characters are replaced by spaces" });
  const trimmed = lines ? clean : clean.trim();
  if (trimmed.length <= MAX_TEXT) return trimmed;
  cut.push({ field, message: `it is cut to ${MAX_TEXT} characters` });
  return cutText(trimmed);
}

/** The first 255 UTF-16 code units, without half of a surrogate pair. */
function cutText(text: string): string {
  const short = text.slice(0, MAX_TEXT);
  return short.isWellFormed() ? short : short.slice(0, -1);
}

/** A label of one line; null = nothing is left of it. */
export const labelText = (text: string): string | null =>
  cutText(text.toWellFormed().replace(CONTROL, " ").trim()).trim() || null;

const unique = (differences: Difference[]): Difference[] => [
  ...new Map(differences.map((one) => [`${one.field} ${one.message}`, one])).values(),
];
