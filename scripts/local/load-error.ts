import type { SourceMap } from "node:module";
import { pathToFileURL } from "node:url";
import { withSourcePlaces } from "./source-places.ts";

/** workerd's log line about a Worker that throws while its modules are loaded; miniflare and wrangler pass it on unchanged. */
const LOG_LINE = /"message":("service core:user:(?:[^"\\]|\\.)*")/;
/** The place of a stack frame in the bundle. workerd uses the module's name: `worker.js:66250:22`. */
const MODULE_PLACE = /[^\s()]*\.js(:\d+:\d+)/;

/** The Worker's bundle. */
export interface Bundle {
  path: string;
  /** Null = it has no source map. */
  mapOf: (path: string) => SourceMap | null;
}

/**
 * The error of a Worker that throws while it is loaded. A restart of the same code would throw again.
 *
 * @param output of miniflare or of wrangler
 * @param bundle null = unknown
 * @returns one line with the error and its place in the source, or in the bundle without a source map; null = the output has no such error
 */
export function loadErrorIn(output: string, bundle: Bundle | null): string | null {
  const quoted = LOG_LINE.exec(output)?.[1];
  if (quoted === undefined) return null;
  const [error = "", place] = (JSON.parse(quoted) as string).replace(/^service core:user:[^:]*: /, "").split("\n");
  const at = place === undefined ? "" : ` (${sourcePlace(place.trim(), bundle)})`;
  return `The Worker throws while it is loaded: ${error.trim()}${at}`;
}

function sourcePlace(place: string, bundle: Bundle | null): string {
  if (bundle === null) return place;
  const inBundle = place.replace(MODULE_PLACE, (_, at: string) => `${pathToFileURL(bundle.path).href}${at}`);
  const inSource = withSourcePlaces(inBundle, bundle.mapOf);
  return inSource === inBundle ? place : inSource;
}
