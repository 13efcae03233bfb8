import type { MiddlewareHandler } from "hono";
import { html } from "hono/html";
import { htmlResponse, notice, page, prefersHtml } from "./platform/http/html-page.ts";

/** The start page, for browsers at the root of the API's host. Programs get the 404 of an unknown route. */
export const answerStartPage: MiddlewareHandler = async (c, next) => {
  const isPlayerHost = new URL(c.req.url).hostname.startsWith("play."); // its root is the hosted player page
  if (isPlayerHost || !prefersHtml(c.req.raw)) return await next();
  return await htmlResponse(c.req.raw, startPage(), 200, { "cache-control": "public, max-age=300" });
};

const startPage = () =>
  page({
    title: "Sluice",
    body: html`<main>
      ${notice(
        "Sluice",
        "A video platform in your own Cloudflare account: on-demand video and live streams behind one API.",
        html`<p>First, in your clone of the repository: <code>npx sluice upload FILE --watch</code></p>
          <ul>
            <li><a href="/v1/reference">API reference</a></li>
            <li><a href="/v1/openapi.json">OpenAPI document</a></li>
            <li><a href="/healthz">Health</a></li>
          </ul>`,
      )}
    </main>`,
  });
