import type { Env } from "../env.ts";
import type { RangeReader } from "./range-reader.ts";

/** What of the environment decides how sources are reached. Any `Env` will do. */
export type SourceEnv = Pick<Env, "ALLOW_PRIVATE_NETWORK" | "MAX_SOURCE_BYTES" | "SOURCE_NETWORK" | "RESOLVER">;

/** A source reached over HTTP whose first block is already here. */
export interface HttpSource extends RangeReader {
  /** False: only the first block can be read; `read` beyond it throws `RangesUnsupported`. */
  readonly supportsRanges: boolean;
  readonly contentType: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Requests made so far, the first one included. */
  readonly requestCount: number;
}

/** The server sends the file only from its start: it has to be copied before it can be read at will. */
export class RangesUnsupported extends Error {}
