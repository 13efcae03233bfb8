/** How sources send requests. `connections/` implements it: base URLs, pace, time-outs, bounds of bodies, guarded addresses. */

export interface SourceCall {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
  /** Absolute. Build it on `base`. */
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON, with its content type; a string is sent as it is. */
  body?: unknown;
  /** Counts against the pace of writes; default: every method but GET and HEAD. */
  isWrite?: boolean;
}

export interface SourceReply {
  /** 2xx, or 4xx except 429. */
  status: number;
  headers: Headers;
  text: string;
}

export interface SourceHttp {
  /** Without a slash at its end: `https://api.mux.com`, or what IMPORT_BASE_URLS has for this source. */
  readonly base: string;
  /** `base` is not the vendor's own. Addresses of its other hosts are then below `base`, too. */
  readonly isStandIn: boolean;
  /**
   * At most 16 MB of text. Follows no redirects: a 3xx is returned.
   *
   * @throws {SourceFailure} source_rate_limited for 429 and, with the source's own words for it, 503; source_unavailable for other 5xx, time-outs and
   *   broken connections
   */
  send(call: SourceCall): Promise<SourceReply>;
  /**
   * `send`, whose reply is parsed.
   *
   * @throws {SourceFailure} also source_unreadable for a body that is not JSON, credentials_invalid for 401, permission_missing for 403
   */
  json(call: SourceCall): Promise<{ status: number; headers: Headers; body: unknown }>;
}
