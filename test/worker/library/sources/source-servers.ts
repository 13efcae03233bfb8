import { inject } from "vitest";
import type { RemoteBehaviour, SourceCommand } from "../../../support/source-commands.ts";

declare module "vitest" {
  interface ProvidedContext {
    sourceControlUrl: string;
  }
}

export interface RemoteRequest {
  path: string;
  range: string | null;
  headers: Record<string, string | undefined>;
}

/** A source server outside of workerd, on a port of its own. */
export async function openSourceServer(options: { tls?: boolean } = {}) {
  const { origin } = await command<{ origin: string }>({ do: "open", tls: options.tls ?? false });
  return {
    origin,
    /** @returns the URL at which the behaviour waits */
    async add(path: string, behaviour: RemoteBehaviour): Promise<string> {
      await command({ do: "add", origin, path, behaviour });
      return `${origin}${path}`;
    },
    requests: (path: string) => command<RemoteRequest[]>({ do: "requests", origin, path }),
    stop: () => command({ do: "stop", origin }),
    start: () => command({ do: "start", origin }),
  };
}
export type RemoteServer = Awaited<ReturnType<typeof openSourceServer>>;

async function command<T>(body: SourceCommand): Promise<T> {
  const response = await fetch(inject("sourceControlUrl"), { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return response.json<T>();
}
