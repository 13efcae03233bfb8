import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";

/** Serves the files of one folder over HTTP, to any origin. */
export async function serveFolder(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const path = join(folder, basename(new URL(request.url ?? "/", "http://x").pathname));
    stat(path).then(
      ({ size }) => {
        const type = path.endsWith(".m3u8") ? "application/vnd.apple.mpegurl" : "video/mp2t";
        response.writeHead(200, {
          "content-type": type,
          "content-length": size,
          "access-control-allow-origin": "*",
          "cache-control": "no-store",
        });
        createReadStream(path).pipe(response);
      },
      () => response.writeHead(404, { "access-control-allow-origin": "*" }).end(),
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
