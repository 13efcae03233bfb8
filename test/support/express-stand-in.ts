/**
 * The part of Express 5 that docs/guides/webhooks.md uses, as documented by Express, so that the guide's receiver runs without Express as a
 * dependency. `raw()` puts the bytes into `request.body` when the type matches, up to its limit; `get()` reads a header case-insensitively;
 * `sendStatus()` answers; an exception is answered 500, and a path without a route 404.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

interface Request {
  method: string;
  path: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- as Express types it
  body: any;
  get(name: string): string | undefined;
}
interface Response {
  sendStatus(status: number): Response;
}
type Handler = (request: Request, response: Response) => unknown;
type Middleware = (request: Request, incoming: IncomingMessage) => Promise<number | null>;

const UNITS: Record<string, number> = { kb: 1024, mb: 1024 * 1024 };

function express() {
  const routes: { path: string; middleware: Middleware; handler: Handler }[] = [];
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const request: Request = {
      method: incoming.method ?? "",
      path: new URL(incoming.url ?? "/", "http://here").pathname,
      body: undefined,
      get: (name) => [incoming.headers[name.toLowerCase()]].flat()[0],
    };
    const response: Response = {
      sendStatus(status) {
        outgoing.writeHead(status, { "content-type": "text/plain" }).end(String(status));
        return response;
      },
    };
    const route = routes.find(({ path }) => path === request.path && request.method === "POST");
    if (route === undefined) return void response.sendStatus(404);
    const refused = await route.middleware(request, incoming);
    if (refused === null) await route.handler(request, response);
    else response.sendStatus(refused);
  };
  return {
    post: (path: string, middleware: Middleware, handler: Handler) => void routes.push({ path, middleware, handler }),
    listen: (port: number) =>
      createServer(
        (incoming, outgoing) => void handle(incoming, outgoing).catch(() => outgoing.writeHead(500).end()),
      ).listen(port),
  };
}

express.raw =
  ({ type, limit }: { type: string; limit: string }): Middleware =>
  async (request, incoming) => {
    if (incoming.headers["content-type"]?.split(";")[0] !== type) return null;
    const [, count, unit] = /^(\d+)(kb|mb)$/.exec(limit) ?? [];
    const pieces: Buffer[] = [];
    for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece);
    request.body = Buffer.concat(pieces);
    return request.body.byteLength > Number(count) * UNITS[unit!]! ? 413 : null;
  };

export default express;
