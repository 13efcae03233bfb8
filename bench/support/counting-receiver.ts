/** A receiver with minimal overhead: reads requests from keep-alive connections, counts them by path and answers 200. */
import { createServer, type AddressInfo, type Socket } from "node:net";

export interface CountingReceiver {
  origin: string;
  /** Number of requests to a path. */
  count(path: string): number;
  /** Resolves when the paths together have had `total` requests, with the time of the last one, epoch ms. */
  reached(paths: string[], total: number, limitMs: number): Promise<number>;
  close(): void;
}

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
const HEAD_END = Buffer.from("\r\n\r\n");
/** Epoch ms with fractions. */
export const nowMs = () => performance.timeOrigin + performance.now();

/** @param silentPath requests to paths that begin with it are read and never answered */
export async function startCountingReceiver(silentPath = "/silent"): Promise<CountingReceiver> {
  const counts = new Map<string, number>();
  let check: (() => void) | null = null;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let buffered: Buffer = Buffer.alloc(0);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.on("data", (chunk: Buffer) => {
      buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
      for (;;) {
        const headEnd = buffered.indexOf(HEAD_END);
        if (headEnd < 0) return;
        const head = buffered.toString("latin1", 0, headEnd);
        const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
        const end = headEnd + HEAD_END.length + length;
        if (buffered.length < end) return;
        buffered = buffered.subarray(end);
        const path = head.slice(head.indexOf(" ") + 1, head.indexOf(" HTTP/"));
        counts.set(path, (counts.get(path) ?? 0) + 1);
        if (!path.startsWith(silentPath)) socket.write(OK);
        check?.();
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const count = (path: string) => counts.get(path) ?? 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    count,
    reached: (paths, total, limitMs) =>
      new Promise((done, failed) => {
        const sum = () => paths.reduce((all, path) => all + count(path), 0);
        const timer = setTimeout(() => failed(new Error(`${sum()} of ${total} came in ${limitMs} ms`)), limitMs);
        check = () => {
          if (sum() < total) return;
          clearTimeout(timer);
          check = null;
          done(nowMs());
        };
        check();
      }),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
