import type { MiddlewareHandler } from "hono";
import { accepts } from "hono/accepts";
import { html } from "hono/html";

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}`;

const TYPES = ["text/html", "application/json"];

/** The start page, for browsers at the root of the API's host. Programs get the 404 of an unknown route. */
export const answerStartPage: MiddlewareHandler = async (c, next) => {
  const isPlayerHost = new URL(c.req.url).hostname.startsWith("play."); // its root is the hosted player page
  const type = accepts(c, { header: "Accept", supports: TYPES, default: "application/json" });
  if (isPlayerHost || type !== "text/html") return await next();
  return c.html(startPage(), 200, { "cache-control": "public, max-age=300", vary: "Accept" });
};

const startPage = () =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Sluice</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <h1>Sluice</h1>
        <p>A video platform in your own Cloudflare account: on-demand video and live streams behind one API.</p>
        <ul>
          <li><a href="/v1/reference">API reference</a></li>
          <li><a href="/v1/openapi.json">OpenAPI document</a></li>
          <li><a href="/healthz">Health</a></li>
        </ul>
      </body>
    </html>`;
