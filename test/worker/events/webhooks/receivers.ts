import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    receivers: { plain: string; tls: string; nobody: string };
  }
}

export interface SeenRequest {
  method: string;
  headers: Record<string, string>;
  bodyBase64: string;
  sentBytes: number;
  isClosed: boolean;
}

/** See test/support/receiver.ts for what the paths do. */
export const receivers = () => inject("receivers");

/** What has come to a path of the plain receiver, in order. */
export async function seenAt(path: string): Promise<SeenRequest[]> {
  const answer = await fetch(`${receivers().plain}/seen?path=${encodeURIComponent(path)}`);
  return answer.json<SeenRequest[]>();
}
