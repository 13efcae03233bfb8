/** Takes the events of a batch's `statusUrl`, and answers every request with 200. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface StatusReceiver {
  url: string;
  /** Ids of the events of a type that came, each once. */
  eventsOf(type: string): string[];
  close(): Promise<void>;
}

export async function startStatusReceiver(): Promise<StatusReceiver> {
  const seen = new Map<string, Set<string>>();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { type, id } = JSON.parse(body) as { type?: string; id?: string };
      if (type !== undefined) seen.set(type, (seen.get(type) ?? new Set()).add(id ?? ""));
      response.end();
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/status`,
    eventsOf: (type) => [...(seen.get(type) ?? [])],
    close: () => new Promise((done) => server.close(() => done())),
  };
}
