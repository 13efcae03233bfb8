import { html, raw } from "hono/html";

interface OpenApiDocument {
  info: { title: string; description?: string };
  paths?: Record<string, unknown>;
  components?: { schemas?: Record<string, unknown> };
}
interface Operation {
  operationId?: string;
  summary?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string }[];
  requestBody?: { content?: Record<string, { schema?: unknown }> };
  responses?: Record<string, { description?: string }>;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
code,pre{font-family:ui-monospace,monospace;font-size:.9em}pre{overflow:auto;padding:1rem;border:1px solid #8884;border-radius:8px}
section{border-top:1px solid #8884;padding:1rem 0}h2 code{font-size:1em}td,th{text-align:left;padding:.2rem 1rem .2rem 0;vertical-align:top}`;

/** The OpenAPI document as HTML: every operation on one page, without scripts or external resources. */
export function referencePage(document: OpenApiDocument) {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <link rel="icon" href="data:," />
        <title>${document.info.title} API</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <h1>${document.info.title} API</h1>
        <p>
          ${document.info.description ?? ""} Machine-readable: the
          <a href="/v1/openapi.json">OpenAPI document</a>. Every request carries HTTP Basic credentials.
        </p>
        <nav>
          ${operations.map(
            ({ path, method, operation }) =>
              html`<div>
                <a href="#${operation.operationId ?? path}"><code>${method} ${path}</code></a>
                ${operation.summary ?? ""}
              </div>`,
          )}
        </nav>
        ${operations.map((operation) => renderOperation(operation, document.components?.schemas ?? {}))}
      </body>
    </html>`;
}

const REFERENCE = "#/components/schemas/";

/** Expands the references of a schema; recursive references stay. */
function spelledOut(schema: unknown, known: Record<string, unknown>, within: string[] = []): unknown {
  if (Array.isArray(schema)) return schema.map((one) => spelledOut(one, known, within));
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref: reference } = schema as { $ref?: unknown };
  const name = typeof reference === "string" ? reference.replace(REFERENCE, "") : null;
  if (name !== null && name in known && !within.includes(name))
    return spelledOut(known[name], known, [...within, name]);
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, spelledOut(value, known, within)]));
}

function renderOperation(
  { path, method, operation }: { path: string; method: string; operation: Operation },
  known: Record<string, unknown>,
) {
  const schema = operation.requestBody?.content?.["application/json"]?.schema;
  return html`<section id="${operation.operationId ?? path}">
    <h2><code>${method} ${path}</code></h2>
    <p>${operation.summary ?? ""}</p>
    ${
      operation.parameters?.length
        ? html`<table>
            ${operation.parameters.map(
              (parameter) =>
                html`<tr>
                  <td><code>${parameter.name}</code></td>
                  <td>${parameter.in}</td>
                  <td>${parameter.description ?? ""}</td>
                </tr>`,
            )}
          </table>`
        : ""
    }
    ${
      schema === undefined
        ? ""
        : html`<p>Body:</p>
            <pre>${JSON.stringify(spelledOut(schema, known), null, 2)}</pre>`
    }
    <table>
      ${Object.entries(operation.responses ?? {}).map(
        ([status, response]) =>
          html`<tr>
            <td><code>${status}</code></td>
            <td>${response.description ?? ""}</td>
          </tr>`,
      )}
    </table>
  </section>`;
}
