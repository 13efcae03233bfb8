/** Cloudflare's API v4, as far as it is the same for all its products: addresses, authentication and errors. */
import type { z } from "@hono/zod-openapi";
import { readAnswer } from "./read-answer.ts";
import type { SourceHttp } from "./source-http.ts";
import { SourceFailure } from "./source.ts";
import { RefusalAnswer } from "./cloudflare-answers.ts";

export interface CloudflareCredentials {
  apiToken: string;
  accountId: string;
}

/** Invalid request headers, invalid format of the Authorization header: of status 400. */
const CREDENTIAL_ERRORS = new Set([6003, 6111]);

export interface CloudflareCall {
  method?: "GET" | "POST" | "DELETE";
  /** Below the base: `/user/tokens/verify`. */
  path: string;
  body?: unknown;
}

export class CloudflareApi {
  readonly #http: SourceHttp;
  readonly #headers: Record<string, string>;
  readonly accountPath: string;

  constructor(http: SourceHttp, { apiToken, accountId }: CloudflareCredentials) {
    this.#http = http;
    this.#headers = { authorization: `Bearer ${apiToken}` };
    this.accountPath = `/accounts/${encodeURIComponent(accountId)}`;
  }

  /** Path of the account's Stream, or of a video there. */
  stream(uid?: string, below = ""): string {
    return `${this.accountPath}/stream${uid === undefined ? "" : `/${encodeURIComponent(uid)}`}${below}`;
  }

  /** @throws {SourceFailure} as `json` of SourceHttp, and credentials_invalid for a token that cannot be one */
  async json({ method = "GET", path, body }: CloudflareCall): Promise<{ status: number; body: unknown }> {
    const reply = await this.#http.json({
      method,
      url: this.#http.base + path,
      headers: this.#headers,
      ...(body === undefined ? {} : { body }),
    });
    if (reply.status >= 400 && codesOf(reply.body).some((code) => CREDENTIAL_ERRORS.has(code))) {
      throw new SourceFailure("credentials_invalid", "Cloudflare refused the API token.");
    }
    return reply;
  }

  /**
   * A call whose answer has a documented shape.
   *
   * @returns null for 404
   * @throws {SourceFailure} also no_file for any other refusal
   */
  async read<T>(call: CloudflareCall, schema: z.ZodType<T>, what: string): Promise<T | null> {
    const { status, body } = await this.json(call);
    if (status === 404) return null;
    if (status >= 400) {
      const codes = codesOf(body).join(", ");
      throw new SourceFailure(
        "no_file",
        `${what}: refused with status ${status}${codes === "" ? "" : `, error ${codes}`}.`,
      );
    }
    return readAnswer(schema, body, what);
  }

  /** @returns null for 404 */
  async text(path: string): Promise<string | null> {
    const { status, text } = await this.#http.send({ url: this.#http.base + path, headers: this.#headers });
    if (status === 404) return null;
    if (status === 401) throw new SourceFailure("credentials_invalid", "Cloudflare refused the API token.");
    if (status === 403) throw new SourceFailure("permission_missing", "The API token may not read this.");
    if (status >= 400) throw new SourceFailure("no_file", `Cloudflare refused a text with status ${status}.`);
    return text;
  }
}

function codesOf(body: unknown): number[] {
  const refusal = RefusalAnswer.safeParse(body);
  if (!refusal.success) return [];
  return refusal.data.errors.flatMap(({ code, error_chain: chain }) => [
    code,
    ...(chain ?? []).map((inner) => inner.code),
  ]);
}
