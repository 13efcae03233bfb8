import createClient from "openapi-fetch";
import type { paths } from "./api-types.ts";
import { basicAuthorization, type Credentials } from "./credentials.ts";
import { apiErrorOf } from "./errors.ts";
import { takesIdempotencyKey } from "./idempotent-posts.ts";
import { retryingFetch, type RetryOptions } from "./retrying-fetch.ts";
import type { ApiCalls } from "./types.ts";

/** The typed calls of a platform, for one credential. */
export function createCalls(credentials: Credentials, retry: RetryOptions): ApiCalls {
  const client = createClient<paths>({
    baseUrl: credentials.baseUrl,
    headers: { authorization: basicAuthorization(credentials) },
    fetch: retryingFetch(retry),
  });
  client.use({
    onRequest({ request, schemaPath }) {
      const needsKey = request.method === "POST" && takesIdempotencyKey(schemaPath);
      if (needsKey && !request.headers.has("idempotency-key"))
        request.headers.set("idempotency-key", crypto.randomUUID());
    },
    async onResponse({ response }) {
      if (!response.ok) throw await apiErrorOf(response);
    },
  });
  type Send = (path: string, options?: object) => Promise<{ data?: unknown }>;
  const call = (send: unknown) => async (path: string, options?: object) => (await (send as Send)(path, options)).data;
  const { GET, POST, PUT, PATCH, DELETE } = client;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- openapi-fetch checks nothing at run time; the types are those of the document
  return { get: call(GET), post: call(POST), put: call(PUT), patch: call(PATCH), delete: call(DELETE) } as ApiCalls;
}
