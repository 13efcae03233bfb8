/**
 * The Worker for the local platform. Cloudflare's edge adds `Date` to every answer; locally the Worker's own socket is the edge, and
 * workerd adds none. DASH clients and caches synchronize their clocks with it (RFC 9110 §6.6.1).
 */
import worker from "../../../src/worker.ts";
import type { Env } from "../../../src/platform/env.ts";

export * from "../../../src/worker.ts";

export default {
  ...worker,
  async fetch(request, env, ctx) {
    return withDate(await worker.fetch(request, env, ctx), new Date());
  },
} satisfies ExportedHandler<Env>;

function withDate(answer: Response, now: Date): Response {
  const dated = hasOpenHeaders(answer) ? answer : copyOf(answer);
  dated.headers.set("date", now.toUTCString());
  return dated;
}

/** Headers of answers that come from a binding cannot be changed. */
function hasOpenHeaders(answer: Response): boolean {
  try {
    answer.headers.delete("date");
    return true;
  } catch {
    return false;
  }
}

const copyOf = (answer: Response) =>
  new Response(answer.body, {
    status: answer.status,
    statusText: answer.statusText,
    headers: answer.headers,
    encodeBody: answer.headers.has("content-encoding") ? "manual" : "automatic",
  });
