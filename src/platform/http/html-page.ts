import { accepts } from "hono/accepts";
import { Context } from "hono";
import { html } from "hono/html";

/** Rendered markup, in which values are escaped. */
export type Html = ReturnType<typeof html>;

/** Pages without scripts load a style of their own origin, and nothing else. */
const STATIC_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src data:", // the empty icon
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const TYPES = { header: "Accept" as const, supports: ["text/html", "application/json"], default: "application/json" };

/** Whether a client prefers a page to JSON. Clients that accept anything, such as curl, get JSON. */
export const prefersHtml = (request: Request): boolean => accepts(new Context(request), TYPES) === "text/html";

/** A heading, a sentence, and whatever follows. */
export const notice = (heading: string, text: string | Html, more: Html | "" = "") =>
  html`<section class="notice" role="status">
    <h1>${heading}</h1>
    <p>${text}</p>
    ${more}
  </section>`;

export interface PageParts {
  title: string;
  body: Html;
  head?: Html | "";
  /** A path below the static assets. */
  style?: "/player/page.css" | "/player/player.css" | "/player/upload.css";
}

/** A document in the style of the hosted page. */
export const page = ({ title, body, head = "", style = "/player/page.css" }: PageParts) =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <meta name="color-scheme" content="dark light" />
        <title>${title}</title>
        <link rel="stylesheet" href="${style}" />
        ${head}
      </head>
      <body>
        ${body}
      </body>
    </html>`;

/** @param headers added to the response, where they replace the defaults */
export async function htmlResponse(
  request: Request,
  document: Html,
  status: number,
  headers: Record<string, string> = {},
): Promise<Response> {
  return new Response(request.method === "HEAD" ? null : String(await document), {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": STATIC_POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "strict-origin-when-cross-origin",
      "cache-control": "no-store",
      vary: "Accept",
      ...headers,
    },
  });
}
