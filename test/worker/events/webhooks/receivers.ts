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

/** test/support/receiver.ts explains the paths. */
export const receivers = () => inject("receivers");

/** The requests to a path of the plain receiver, in order. */
export async function seenAt(path: string): Promise<SeenRequest[]> {
  const answer = await fetch(`${receivers().plain}/seen?path=${encodeURIComponent(path)}`);
  return answer.json<SeenRequest[]>();
}

/** Lets a path answer that holds its requests (`/held/200`). */
export async function release(path: string): Promise<void> {
  await fetch(`${receivers().plain}/release?path=${encodeURIComponent(path)}`);
}
