import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const scripts = new Map<string, Promise<Uint8Array>>();

/** Each script is bundled once for all files of this process. */
function scriptOf(entry: string): Promise<Uint8Array> {
  const known = scripts.get(entry) ?? bundle(entry);
  scripts.set(entry, known);
  return known;
}

async function bundle(entry: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    target: "chrome120",
    logLevel: "error",
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

/** Serves the page with the three players on a separate port, so that playback is cross-origin, as it is for viewers. */
export async function servePlayerPage(entry = "page.ts"): Promise<{ url: string; close(): Promise<void> }> {
  const script = await scriptOf(entry);
  const server = createServer((request, response) => {
    const isScript = request.url === "/page.js";
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html; charset=utf-8" });
    response.end(
      isScript
        ? script
        : '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/page.js"></script></body>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server has such an address
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve()))),
  };
}
