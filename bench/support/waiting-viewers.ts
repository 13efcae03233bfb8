import { connect, type Socket } from "node:net";

/**
 * Connections that each send a request and wait, with minimal work in this process, so that the server is measured. Answers need a
 * content-length.
 */
export class WaitingViewers {
  readonly #sockets: Socket[];
  readonly #host: string;

  private constructor(sockets: Socket[], host: string) {
    this.#sockets = sockets;
    this.#host = host;
  }

  static async open(count: number, origin: string): Promise<WaitingViewers> {
    const { hostname, port, host } = new URL(origin);
    const sockets = await Promise.all(
      Array.from(
        { length: count },
        () =>
          new Promise<Socket>((done, failed) => {
            const socket = connect(Number(port), hostname, () => done(socket));
            socket.setNoDelay(true);
            socket.once("error", failed);
          }),
      ),
    );
    return new WaitingViewers(sockets, host);
  }

  /** Sends all requests at once. @returns when each answer was complete, epoch ms @throws when an answer is not 200 */
  ask(url: string): Promise<number[]> {
    const { pathname, search } = new URL(url);
    const request = `GET ${pathname}${search} HTTP/1.1\r\nHost: ${this.#host}\r\n\r\n`;
    return Promise.all(this.#sockets.map((socket) => answered(socket, request, url)));
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

function answered(socket: Socket, request: string, url: string): Promise<number> {
  return new Promise((done, failed) => {
    let head = "";
    let left = -1;
    const hear = (chunk: Buffer) => {
      let body = chunk.length;
      if (left < 0) {
        head += chunk.toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        if (!head.startsWith("HTTP/1.1 200")) return failed(new Error(`${url}: ${head.split("\r\n")[0]}`));
        left = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        body = head.length - end - 4;
      }
      left -= body;
      if (left > 0) return;
      socket.off("data", hear);
      done(Date.now());
    };
    socket.on("data", hear);
    socket.write(request);
  });
}
