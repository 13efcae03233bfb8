import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { bufferContent, virtualContent } from "./source-content.ts";
import { startSourceServer, type SourceBehaviour, type SourceServer } from "./source-server.ts";
import type { RemoteBehaviour, SourceCommand } from "./source-commands.ts";
import { KEPT_CONNECTIONS } from "./kept-connections.ts";

/**
 * Tests inside workerd cannot listen on a port, so they control source servers through this server.
 *
 * @returns the URL for a `SourceCommand`, and a function that stops every server
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
        server.add(command.path, withContent(command.behaviour));
        return null;
      case "requests":
        return server.requests.filter((request) => request.path === command.path);
      case "stop":
        await server.stop();
        return null;
      case "start":
        await server.start();
    }
    return null;
  }

  const control = createServer(KEPT_CONNECTIONS, (request, response) => {
    void readJson(request)
      .then(run)
      .then((result) => response.end(JSON.stringify(result)))
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
  const { sizeBytes = 0, text: written, ...rest } = behaviour;
  const content = written === undefined ? virtualContent(sizeBytes) : bufferContent(Buffer.from(written, "utf8"));
  return { ...rest, content };
}

async function readJson(request: IncomingMessage): Promise<SourceCommand> {
  const command: SourceCommand = JSON.parse(await text(request));
  return command;
}
