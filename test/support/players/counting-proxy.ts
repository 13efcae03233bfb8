/** A proxy in front of a test platform that records each client's requests: the first path segment is the client's name. */
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  path: string;
  status: number;
}

export interface CountingProxy {
  /** The proxy's URL of a platform path for a client. */
  urlFor(client: string, path: string): string;
  /** A client's answered requests, in order. */
  askedBy(client: string): Asked[];
  close(): Promise<void>;
}

export async function startCountingProxy(baseUrl: string, clients: string[]): Promise<CountingProxy> {
  const asked = new Map<string, Asked[]>(clients.map((client) => [client, []]));
  const server = createServer((incoming, outgoing) => {
    const [, name = "", ...rest] = incoming.url!.split("/");
    const log = asked.get(name);
    const path = log === undefined ? incoming.url! : `/${rest.join("/")}`; // root-relative addresses have no client name
    const forwarded = request(new URL(path, baseUrl), { headers: incoming.headers, method: incoming.method });
    forwarded.on("response", (answer) => {
      log?.push({ path, status: answer.statusCode! });
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
      answer.on("error", () => outgoing.destroy());
    });
    forwarded.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forwarded.destroy());
    forwarded.end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    urlFor: (client, path) => `http://127.0.0.1:${port}/${client}${path}`,
    askedBy: (client) => asked.get(client) ?? [],
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
