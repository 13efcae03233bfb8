import type { Exchange, ManifestAnswer } from "./evidence.ts";
import { parseMpd } from "./parse.ts";
import { schemaErrors } from "./schema.ts";

/** A response with its parsed MPD. */
export function readManifest(exchange: Exchange, text: string, schemaPath: string): ManifestAnswer {
  if (exchange.status !== 200) return { ...exchange, text, mpd: null, problem: null, schemaErrors: [] };
  try {
    const mpd = parseMpd(text, exchange.url);
    return { ...exchange, text, mpd, problem: null, schemaErrors: schemaErrors(text, schemaPath) };
  } catch (error) {
    return { ...exchange, text, mpd: null, problem: String(error), schemaErrors: [] };
  }
}
