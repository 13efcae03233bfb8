import type { z } from "@hono/zod-openapi";
import type { OpenSource, SourceKind } from "./source.ts";

/** What is known of a kind of source before it is opened. `index.ts` of this folder lists all of them. */
export interface SourceDefinition<Options = unknown, Credentials = unknown> {
  kind: SourceKind;
  /** As people write it: "Cloudflare Stream". */
  name: string;
  /** Where its API is, without a slash at the end. IMPORT_BASE_URLS replaces it for local work. */
  baseOf(options: Options): string;
  /** Path that is added to a base of IMPORT_BASE_URLS that has none; "" = nothing. */
  basePath: string;
  /** The fields of `source` in `POST /v1/imports` besides `type`. Strict objects, with descriptions for the API's reference. */
  options: z.ZodType<Options>;
  /** The fields of its credentials, with descriptions; null = it has none. */
  credentials: z.ZodType<Credentials> | null;
  /** Whether it can be opened without credentials. */
  isOpenToAll: boolean;
  open: OpenSource<Options, Credentials>;
}
