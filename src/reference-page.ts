import { html } from "hono/html";
import { htmlResponse } from "./platform/http/html-page.ts";

/** Scalar adds inline styles. Requests go to this origin alone, and no other page can embed the one that holds credentials. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The API reference: the OpenAPI document in Scalar, which the static assets contain (scripts/build.ts). */
export const answerReference = (request: Request): Promise<Response> =>
  htmlResponse(request, referencePage(), 200, {
    "content-security-policy": POLICY,
    "cache-control": "public, max-age=60",
  });

const referencePage = () =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <meta name="color-scheme" content="light dark" />
        <title>Sluice API</title>
        <script src="/player/scalar.js" defer></script>
        <script type="module" src="/player/reference.js"></script>
      </head>
      <body>
        <div id="reference"></div>
        <noscript>
          <p>This page needs JavaScript. The <a href="/v1/openapi.json">OpenAPI document</a> has the same content.</p>
        </noscript>
      </body>
    </html>`;
