import type { SourceDefinition } from "../sources/definition.ts";
import type { Source, SourceKind } from "../sources/source.ts";
import type { Env } from "../../platform/env.ts";

/** Every kind of source, by its name. */
export type Definitions = Record<SourceKind, SourceDefinition>;

/** Opens a source with options and credentials of its schemas. Sends nothing. */
export type OpenSourceOf = (env: Env, kind: SourceKind, options: unknown, credentials: unknown) => Source;

/** What the routes of credentials need of the sources. */
export interface CredentialDoors {
  definitions: Definitions;
  openSource: OpenSourceOf;
}
