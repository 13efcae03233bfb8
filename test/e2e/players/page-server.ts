import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The scripts of a page by name: its own is `page.js`, and the others are those that it imports later. */
type Scripts = ReadonlyMap<string, Uint8Array>;
const bundled = new Map<string, Promise<Scripts>>();

/** Each page is bundled once for all files of this process. */
function scriptsOf(entry: string): Promise<Scripts> {
  const known = bundled.get(entry) ?? bundle(entry);
  bundled.set(entry, known);
  return known;
}

/** A player is a script of its own, because to parse all three takes a third of a second of CPU time in each page. */
async function bundle(entry: string): Promise<Scripts> {
  const { outputFiles } = await build({
    entryPoints: { page: fileURLToPath(new URL(entry, import.meta.url)) },
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    outdir: "/",
    format: "esm",
    target: "chrome120",
    logLevel: "error",
  });
  return new Map(outputFiles.map(({ path, contents }) => [path, contents]));
}

/** Serves the page with the three players on a separate port, so that playback is cross-origin, as it is for viewers. */
export async function servePlayerPage(entry = "page.ts"): Promise<{ url: string; close(): Promise<void> }> {
  const scripts = await scriptsOf(entry);
  const server = createServer((request, response) => {
    const script = scripts.get(request.url ?? "");
    response.writeHead(200, { "content-type": script ? "text/javascript" : "text/html; charset=utf-8" });
    response.end(
      script ??
        '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/page.js"></script></body>',
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
