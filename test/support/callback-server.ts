/** The Worker's side of protocol/jobs.ts over real HTTP: serves one source per job and stores uploads and callbacks. */
import { open, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Heartbeat, JobFailure, JobResult, type SoundCuts } from "../../protocol/jobs.ts";

export type Ending = { result: JobResult } | { failure: JobFailure };

/** The server's state of one job. */
export interface Desk {
  sourcePath: string;
  /** Paths of the sounds that are mixed into the sound of an audio job. */
  imposedPaths: string[];
  /** Paths of the files of a montage behind the first one, which is the source. */
  furtherPaths: string[];
  /** Cuts of an audio job for a recording. */
  cuts: SoundCuts | undefined;
  objects: Map<string, Buffer>; // "v360/init.mp4"
  /** Objects that were uploaded again with other bytes. */
  conflicts: string[];
  heartbeats: Heartbeat[];
  ending: Promise<Ending>;
  /** Answers `continue: false` to heartbeats when false. */
  isWanted: boolean;
  /** Sends a new token with every heartbeat and refuses the previous one after the first use of the new one. */
  renewsTokens: boolean;
  /** The number of replaced tokens. */
  renewals: number;
  /** Called before every answer; a number is sent as the status instead, with `refusal` as its body. */
  intercept: (method: string, path: string) => number | undefined | Promise<number | undefined>;
  refusal: string;
}

interface Entry extends Desk {
  token: string;
  /** Also valid, until the token that replaced it is used. */
  previousToken: string | undefined;
  end: (ending: Ending) => void;
}

export class CallbackServer {
  readonly #desks = new Map<string, Entry>();
  #server: Server | undefined;
  port = 0;

  async listen(port = 0): Promise<void> {
    this.#server = createServer(
      (request, response) => void this.#handle(request, response).catch(() => response.destroy()),
    );
    await new Promise<void>((resolve) => this.#server!.listen(port, "127.0.0.1", resolve));
    this.port = (this.#server.address() as AddressInfo).port;
  }

  /** Refuses connections until `listen(port)` is called again; keeps its state. */
  async close(): Promise<void> {
    const server = this.#server;
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
  }

  open(jobId: string, sourcePath: string): { desk: Desk; callbackUrl: string; token: string } {
    const token = `token-${jobId}`;
    const { promise: ending, resolve: end } = Promise.withResolvers<Ending>();
    const desk: Entry = {
      sourcePath,
      imposedPaths: [],
      furtherPaths: [],
      cuts: undefined,
      objects: new Map(),
      conflicts: [],
      heartbeats: [],
      isWanted: true,
      intercept: () => undefined,
      refusal: "",
      renewsTokens: false,
      renewals: 0,
      token,
      previousToken: undefined,
      ending,
      end,
    };
    this.#desks.set(jobId, desk);
    return { desk, callbackUrl: `http://127.0.0.1:${this.port}/jobs/${jobId}`, token };
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, , jobId = "", ...rest] = new URL(request.url ?? "/", "http://test").pathname.split("/");
    const path = rest.join("/");
    const desk = this.#desks.get(jobId);
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    if (desk === undefined || (token !== desk.token && token !== desk.previousToken))
      return void response.writeHead(401).end();
    if (token === desk.token && path === "heartbeat") desk.previousToken = undefined;
    const status = await desk.intercept(request.method ?? "", path);
    if (status !== undefined) return void response.writeHead(status).end(desk.refusal);
    const body = Buffer.concat(chunks);
    if (path === "source" || path === "sound" || path === "piece" || path === "video")
      return serveFile(desk.sourcePath, request, response);
    if (path === "cuts") return void response.writeHead(200).end(JSON.stringify(desk.cuts));
    const imposed = /^imposed\/(\d)$/.exec(path);
    const further = /^files\/(\d+)$/.exec(path);
    if (further !== null) return serveFile(desk.furtherPaths[Number(further[1]) - 1]!, request, response);
    if (imposed !== null) return serveFile(desk.imposedPaths[Number(imposed[1])]!, request, response);
    if (path.startsWith("objects/")) {
      const key = path.slice("objects/".length);
      if (desk.objects.get(key)?.equals(body) === false) desk.conflicts.push(key);
      desk.objects.set(key, body);
      return void response.writeHead(204).end();
    }
    const json: unknown = JSON.parse(body.toString("utf8"));
    if (path === "heartbeat") {
      desk.heartbeats.push(Heartbeat.parse(json));
      return void response.writeHead(200).end(JSON.stringify({ continue: desk.isWanted, ...renewal(desk) }));
    }
    if (path === "complete") desk.end({ result: JobResult.parse(json) });
    else desk.end({ failure: JobFailure.parse(json) });
    return void response.writeHead(200).end();
  }
}

function renewal(desk: Entry): object {
  if (!desk.renewsTokens || desk.previousToken !== undefined) return {};
  desk.previousToken = desk.token;
  desk.token = `${desk.previousToken}+`;
  desk.renewals += 1;
  return { renewed: { token: desk.token, expiresAt: Date.now() + 120_000 } };
}

async function serveFile(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { size } = await stat(path);
  const [, from = "0", to = ""] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
  const start = Number(from);
  const end = Math.min(size - 1, to === "" ? size - 1 : Number(to));
  if (start >= size) return void response.writeHead(416, { "Content-Range": `bytes */${size}` }).end();
  const file = await open(path);
  const bytes = Buffer.alloc(end - start + 1);
  await file.read(bytes, 0, bytes.length, start);
  await file.close();
  response
    .writeHead(206, { "Content-Range": `bytes ${start}-${end}/${size}`, "Content-Length": bytes.length })
    .end(bytes);
}
