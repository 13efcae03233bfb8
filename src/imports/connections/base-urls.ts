/** The variable IMPORT_BASE_URLS: where the APIs of sources are, for work on one machine. Pure. */
import { SOURCE_KINDS, type SourceKind } from "../sources/source.ts";

/** "Cloudflare Stream", "cloudflare-stream" and "cloudflare_stream" name one source. */
const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");

const NAMES = new Map<string, SourceKind>([
  ...SOURCE_KINDS.map((kind) => [plain(kind), kind] as const),
  ["cloudflare", "cloudflare_stream"],
]);

/**
 * @param text a JSON object: source → http or https URL; empty = none. Names of other sources are ignored
 * @returns null when it is not
 */
export function readBaseUrls(text: string | undefined): Partial<Record<SourceKind, string>> | null {
  if (text === undefined || text === "") return {};
  const parsed = parse(text);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return null;
  const bases: Partial<Record<SourceKind, string>> = {};
  for (const [name, url] of Object.entries(parsed)) {
    const kind = NAMES.get(plain(name));
    if (typeof url !== "string" || !/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) return null;
    if (kind !== undefined) bases[kind] = url.replace(/\/+$/, "");
  }
  return bases;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
