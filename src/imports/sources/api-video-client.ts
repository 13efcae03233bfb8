/** Calls of api.video. Documents: its API reference and "Authentication and refresh tokens", read November 2026. */
import { z } from "@hono/zod-openapi";
import { readAnswer, unexpectedStatus } from "./read-answer.ts";
import type { SourceHttp } from "./source-http.ts";
import { SourceFailure } from "./source.ts";

export const API_VIDEO = "api.video";

const AccessToken = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
const Page = z.object({
  data: z.array(z.unknown()),
  pagination: z.object({
    itemsTotal: z.number(),
    pagesTotal: z.number(),
    pageSize: z.number(),
    currentPage: z.number(),
  }),
});
const Session = z.object({ session_token: z.string().min(1) });

/** A token is renewed this long before its end, so that none ends in flight. */
const MARGIN_MS = 300_000;
const PAGE = 100;
/** Of captions and chapters; they are one a language. */
const MOST_PAGES = 10;

interface Token {
  value: string;
  untilMs: number;
}

export class ApiVideoClient {
  readonly #http: SourceHttp;
  readonly #apiKey: string;
  readonly #nowMs: () => number;
  /** One for all calls at the same time. */
  #token: Promise<Token> | null = null;

  constructor(http: SourceHttp, apiKey: string, nowMs: () => number) {
    this.#http = http;
    this.#apiKey = apiKey;
    this.#nowMs = nowMs;
  }

  /** Bearer token for an hour. @throws {SourceFailure} credentials_invalid: the answer for an unknown key is 400 */
  async accessToken(): Promise<string> {
    const held = await this.#token;
    if (held !== null && held.untilMs > this.#nowMs()) return held.value;
    const asked = this.#authenticate();
    this.#token = asked;
    try {
      return (await asked).value;
    } catch (error) {
      this.#token = null;
      throw error;
    }
  }

  /** @returns null for 404 */
  async get(path: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${await this.accessToken()}` };
    const { status, body } = await this.#http.json({ url: `${this.#http.base}${path}`, headers });
    if (status === 404) return null;
    if (status !== 200) throw unexpectedStatus(status, API_VIDEO);
    return body;
  }

  /** @returns null for 404: what is listed, or the page of it, is not there */
  async page(path: string, page: number, size = PAGE): Promise<z.infer<typeof Page> | null> {
    const separator = path.includes("?") ? "&" : "?";
    const answer = await this.get(`${path}${separator}currentPage=${page}&pageSize=${size}`);
    return answer === null ? null : readAnswer(Page, answer, "api.video's list");
  }

  /** Captions and chapters: one entry a language. */
  async all(path: string): Promise<unknown[]> {
    const items: unknown[] = [];
    for (let number = 1; number <= MOST_PAGES; number++) {
      const page = await this.page(path, number);
      items.push(...(page?.data ?? []));
      if (page === null || number >= page.pagination.pagesTotal) break;
    }
    return items;
  }

  /**
   * An address of a private video that can be requested more than once. The token in it works for one request; with a session, which that
   * request opens, it works for 24 hours ("Private Video Session Tokens").
   *
   * @param url as the API gave it just now; one without a token is returned as it is
   */
  async withSession(url: string, sessions = new Map<string, Promise<string>>()): Promise<string> {
    const root = tokenRoot(url);
    if (root === null) return url;
    const session = sessions.get(root) ?? this.#openSession(root);
    sessions.set(root, session);
    const address = new URL(url);
    address.searchParams.set("avh", await session);
    return address.href;
  }

  /** A file whose address needs no credentials. */
  async file(url: string): Promise<string> {
    const { status, text } = await this.#http.send({ url });
    if (status !== 200) throw unexpectedStatus(status, API_VIDEO);
    return text;
  }

  async #openSession(root: string): Promise<string> {
    const { status, body } = await this.#http.json({ url: `${root}/session` });
    if (status !== 200) throw unexpectedStatus(status, API_VIDEO);
    return readAnswer(Session, body, "api.video's session of a private video").session_token;
  }

  async #authenticate(): Promise<Token> {
    const call = {
      method: "POST",
      url: `${this.#http.base}/auth/api-key`,
      body: { apiKey: this.#apiKey },
      isWrite: false,
    } as const;
    const { status, body } = await this.#http.json(call);
    if (status >= 400 && status < 404)
      throw new SourceFailure("credentials_invalid", "api.video does not know the API key.");
    if (status !== 200) throw unexpectedStatus(status, API_VIDEO);
    const { access_token: value, expires_in: seconds } = readAnswer(AccessToken, body, "api.video's access token");
    return { value, untilMs: this.#nowMs() + seconds * 1000 - MARGIN_MS };
  }
}

/** `https://vod.api.video/vod/{id}/token/{token}` of `…/mp4/source.mp4`; null = the address has no token. */
function tokenRoot(url: string): string | null {
  const [, root] = /^(https?:\/\/[^?#]+\/token\/[^/?#]+)\//.exec(url) ?? [];
  return root ?? null;
}
