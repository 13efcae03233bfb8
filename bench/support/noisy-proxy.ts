import { connect, createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

const PACKET_BYTES = 1400;

/** A TCP proxy that delays some packets of every answer and those after them, as retransmissions do. */
export async function startNoisyProxy(
  targetPort: number,
  { share, delayMs }: { share: number; delayMs: [number, number] },
): Promise<{ port: number; delayed: () => number; stop(): Promise<void> }> {
  let delayed = 0;
  const sockets = new Set<Socket>();
  const hold = (): number => {
    if (Math.random() >= share) return 0;
    delayed += 1;
    return delayMs[0] + Math.random() * (delayMs[1] - delayMs[0]);
  };
  const server = createServer((near) => {
    const far = connect(targetPort, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    let sent = Promise.resolve();
    far.on("data", (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; at += PACKET_BYTES) {
        const packet = chunk.subarray(at, at + PACKET_BYTES);
        const waitMs = hold();
        sent = sent.then(async () => {
          if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs));
          near.write(packet);
        });
      }
    });
    far.on("end", () => void sent.then(() => near.end()));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    port: (server.address() as AddressInfo).port,
    delayed: () => delayed,
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
