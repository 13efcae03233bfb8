import { readAttributes, readNumber } from "./attributes.ts";

export interface Multivariant {
  url: string;
  lines: string[];
  variants: Variant[];
  renditions: Rendition[];
  problems: string[];
}

export interface Variant {
  url: string;
  line: string;
  bandwidthBps: number | null;
  codecs: string | null;
  resolution: string | null;
  /** Group ids by the attribute that names them: AUDIO, VIDEO, SUBTITLES. */
  groups: Map<string, string>;
}

export interface Rendition {
  /** Null when its media is in the variants themselves. */
  url: string | null;
  type: string;
  groupId: string;
  line: string;
}

export const isMultivariant = (text: string): boolean => text.includes("#EXT-X-STREAM-INF");

/** Parses a multivariant playlist (§4.4.6). It never throws: violations are in `problems`. */
export function parseMultivariant(text: string, url: string): Multivariant {
  const lines = text.split(/\r?\n/);
  const absolute = (uri: string) => new URL(uri, url).href;
  const found: Multivariant = { url, lines, variants: [], renditions: [], problems: [] };
  if (lines[0] !== "#EXTM3U") found.problems.push("the first line is not #EXTM3U");
  for (const [index, line] of lines.entries()) {
    const attributes = readAttributes(line.slice(line.indexOf(":") + 1));
    if (line.startsWith("#EXT-X-MEDIA:")) {
      const [uri, type, groupId] = ["URI", "TYPE", "GROUP-ID"].map((name) => attributes.get(name));
      if (type === undefined || groupId === undefined || !attributes.has("NAME"))
        found.problems.push(`no TYPE, GROUP-ID or NAME: ${line}`);
      found.renditions.push({
        url: uri === undefined ? null : absolute(uri),
        type: type ?? "",
        groupId: groupId ?? "",
        line,
      });
    }
    if (!line.startsWith("#EXT-X-STREAM-INF:")) continue;
    const uri = lines[index + 1] ?? "";
    if (uri === "" || uri.startsWith("#")) {
      found.problems.push(`no URI behind: ${line}`);
      continue;
    }
    found.variants.push({
      url: absolute(uri),
      line,
      bandwidthBps: readNumber(attributes.get("BANDWIDTH")),
      codecs: attributes.get("CODECS") ?? null,
      resolution: attributes.get("RESOLUTION") ?? null,
      groups: new Map(
        ["AUDIO", "VIDEO", "SUBTITLES"].flatMap((name) => {
          const id = attributes.get(name);
          return id === undefined ? [] : [[name, id] as const];
        }),
      ),
    });
  }
  return found;
}
