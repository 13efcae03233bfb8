import { createServer, type IncomingMessage } from "node:http";
import { bufferContent, virtualContent } from "./source-content.ts";
import { startSourceServer, type SourceBehaviour, type SourceServer } from "./source-server.ts";
import type { RemoteBehaviour, SourceCommand } from "./source-commands.ts";

/**
 * Tests inside workerd cannot listen on a port, so they ask this one for source servers and say how those behave.
 *
 * @returns where to send a `SourceCommand`, and how to end every server
 */
export async function startSourceControl(): Promise<{ url: string; close: () => Promise<void> }> {
  const servers = new Map<string, SourceServer>();

  async function run(command: SourceCommand): Promise<unknown> {
    if (command.do === "open") {
      const server = await startSourceServer({ tls: command.tls });
      servers.set(server.origin, server);
      return { origin: server.origin };
    }
    const server = servers.get(command.origin);
    if (server === undefined) throw new Error(`no such server: ${command.origin}`);
    switch (command.do) {
      case "add":
        return server.add(command.path, withContent(command.behaviour));
      case "requests":
        return server.requests.filter((request) => request.path === command.path);
      case "stop":
        return server.stop();
      case "start":
        return server.start();
    }
  }

  const control = createServer((request, response) => {
    void readJson(request)
      .then(run)
      .then((result) => response.end(JSON.stringify(result ?? null)))
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => void control.listen(0, "127.0.0.1", resolve));
  const address = control.address();
  if (address === null || typeof address === "string") throw new Error("the control server has no port");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    async close() {
      await Promise.all([...servers.values()].map((server) => server.stop()));
      control.closeAllConnections();
      await new Promise<void>((resolve) => void control.close(() => resolve()));
    },
  };
}

function withContent(behaviour: RemoteBehaviour): SourceBehaviour {
  if (behaviour.kind !== "content") return behaviour;
  const { sizeBytes, text, ...rest } = behaviour;
  const content = text === undefined ? virtualContent(sizeBytes ?? 0) : bufferContent(Buffer.from(text, "utf8"));
  return { ...rest, content };
}

async function readJson(request: IncomingMessage): Promise<SourceCommand> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString("utf8")) as SourceCommand;
}
