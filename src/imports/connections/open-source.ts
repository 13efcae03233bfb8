import type { Env } from "../../platform/env.ts";
import { SOURCES } from "../sources/index.ts";
import type { Source, SourceKind } from "../sources/source.ts";
import type { SourceHttp } from "../sources/source-http.ts";
import { readBaseUrls } from "./base-urls.ts";
import { connect, type ConnectionEnv } from "./connect.ts";

export type OpeningEnv = ConnectionEnv & Pick<Env, "IMPORT_BASE_URLS">;

/** A kind whose videos come from a platform's API. */
export type PlatformKind = Exclude<SourceKind, "list">;

export interface OpenedSource {
  kind: PlatformKind;
  /** Without `type`. */
  options: unknown;
  /** Null = without any. */
  credentials: unknown;
}

/**
 * Opens a source. Sends nothing.
 *
 * @throws {z.ZodError} for options or credentials that do not fit the source, which routes have checked before
 */
export function openSource(env: OpeningEnv, { kind, options, credentials }: OpenedSource): Source {
  const definition = SOURCES[kind];
  const parsed = definition.options.parse(options);
  const opened = credentials === null ? null : (definition.credentials?.parse(credentials) ?? null);
  const { base, isStandIn } = baseOf(env, kind, definition.baseOf(parsed), definition.basePath);
  // The pace is a fact of the source, which needs a connection to be opened.
  let http: SourceHttp | null = null;
  const lazy: SourceHttp = { base, isStandIn, send: (call) => http!.send(call), json: (call) => http!.json(call) };
  const source = definition.open({ options: parsed, credentials: opened, nowMs: Date.now }, lazy);
  http = connect(env, { name: definition.name, base, isStandIn, pace: source.pace });
  return source;
}

function baseOf(env: OpeningEnv, kind: SourceKind, own: string, basePath: string) {
  const given = readBaseUrls(env.IMPORT_BASE_URLS)?.[kind];
  if (given === undefined) return { base: own, isStandIn: false };
  return { base: new URL(given).pathname === "/" ? given + basePath : given, isStandIn: true };
}
