import { readFileSync, statSync } from "node:fs";
import { type SourceMapPayload, SourceMap } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The place of a stack frame in a bundle: `file:///…/worker.js:40771:40`. A log line is JSON, so a quote or a backslash ends it. */
const BUNDLE_PLACE = /file:\/\/\/[^\s"\\()]+\.js:\d+:\d+/g;

let known: { path: string; modifiedMs: number; map: SourceMap } | null = null;

/** Replaces places in a bundle by places in the source, relative to this folder. Places without a source map are kept. */
export const withSourcePlaces = (text: string, mapOf = mapBeside): string =>
  text.replace(BUNDLE_PLACE, (place) => {
    const [, url, line, column] = /^(.*):(\d+):(\d+)$/.exec(place)!;
    const path = fileURLToPath(url!);
    // Source maps count from 0.
    const entry = mapOf(path)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !("originalSource" in entry)) return place;
    const source = relative(process.cwd(), resolve(dirname(path), sourcePath(entry.originalSource)));
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });

/** esbuild writes paths that are relative to the map. */
const sourcePath = (source: string): string => (source.startsWith("file:") ? fileURLToPath(source) : source);

/**
 * The same for output that arrives in pieces. Log lines are JSON objects and are passed on when they are complete.
 *
 * @returns a function for the next piece; call it without one at the end of the output
 */
export function sourcePlacesIn(write: (text: string) => void): (piece?: string) => void {
  let begun = "";
  return (piece) => {
    const text = begun + (piece ?? "");
    const lineStart = text.lastIndexOf("\n") + 1;
    const end = piece !== undefined && text[lineStart] === "{" ? lineStart : text.length;
    begun = text.slice(end);
    if (end > 0) write(withSourcePlaces(text.slice(0, end)));
  };
}

/** Null = no source map. Read again after each build. */
export function mapBeside(bundlePath: string): SourceMap | null {
  const path = `${bundlePath}.map`;
  try {
    const { mtimeMs: modifiedMs } = statSync(path);
    if (known?.path !== path || known.modifiedMs !== modifiedMs)
      known = { path, modifiedMs, map: new SourceMap(JSON.parse(readFileSync(path, "utf8")) as SourceMapPayload) };
    return known.map;
  } catch {
    return null; // the bundle has been replaced, and its folder deleted
  }
}
