import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/** The OpenAPI document of the Worker. Its imports of runtime modules are replaced by empty ones. @param folder for a temporary file */
export async function readDocument(folder: string): Promise<object> {
  const outfile = join(folder, "document.mjs");
  await build({
    stdin: {
      contents: `
        import { apiDocument } from "./src/api-document.ts";
        import { createApp } from "./src/app.ts";
        export const document = apiDocument(createApp(), "https://video.example.com");`,
      resolveDir: ".",
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    plugins: [
      {
        name: "runtime",
        setup(runtime) {
          runtime.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: "runtime" }));
          const contents = "export class DurableObject {}; export class WorkerEntrypoint {}; export const env = {};";
          runtime.onLoad({ filter: /.*/, namespace: "runtime" }, () => ({ contents }));
        },
      },
    ],
  });
  return ((await import(pathToFileURL(outfile).href)) as { document: object }).document;
}
