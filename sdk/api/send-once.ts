import { connectionError, type RetryOptions } from "./retrying-fetch.ts";

/** Sends a request to the API, without a repetition and without a limit of time. @throws {ConnectionError} */
export type SendOnce = (path: string, init: RequestInit & { headers?: Record<string, string> }) => Promise<Response>;

/** For bodies that take long and cannot be repeated from memory: whole files. */
export const sendOnce =
  (baseUrl: string, authorization: string, fetch: RetryOptions["fetch"]): SendOnce =>
  async (path, init) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", authorization);
    const request = new Request(`${baseUrl}${path}`, { ...init, headers });
    try {
      return await fetch(request);
    } catch (error) {
      request.signal.throwIfAborted();
      throw connectionError(request, error);
    }
  };
