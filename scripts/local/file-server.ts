import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";

/** Serves one file on loopback with range requests, so that a local file can be a source. */
export async function serveFile(path: string): Promise<{ url: string; close: () => void }> {
  const { size } = await stat(path);
  const name = `/${encodeURIComponent(basename(path))}`;
  const server = createServer((request, response) => {
    if (request.url !== name) return void response.writeHead(404).end();
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
    const start = range ? Number(range[1]) : 0;
    const end = range?.[2] ? Math.min(Number(range[2]), size - 1) : size - 1;
    if (start > end) return void response.writeHead(416, { "content-range": `bytes */${size}` }).end();
    const headers = {
      "accept-ranges": "bytes",
      "content-length": end - start + 1,
      "content-type": "application/octet-stream",
    };
    response.writeHead(
      range ? 206 : 200,
      range ? { ...headers, "content-range": `bytes ${start}-${end}/${size}` } : headers,
    );
    if (request.method === "HEAD") return void response.end();
    createReadStream(path, { start, end })
      .on("error", () => response.destroy())
      .pipe(response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${name}`, close: () => server.close() };
}
