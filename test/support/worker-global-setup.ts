import type { TestProject } from "vitest/node";
import { refusedOrigin, startReceiver } from "./receiver.ts";
import { startSourceControl } from "./source-control.ts";

/** Servers that tests in workerd talk to over real sockets. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const control = await startSourceControl();
  project.provide("sourceControlUrl", control.url);
  const [receiver, tlsReceiver] = [await startReceiver(), await startReceiver({ tls: true })];
  const nobody = await refusedOrigin();
  project.provide("receivers", { plain: receiver.origin, tls: tlsReceiver.origin, nobody });
  return async () => {
    await Promise.all([control.close(), receiver.close(), tlsReceiver.close()]);
  };
}

declare module "vitest" {
  interface ProvidedContext {
    sourceControlUrl: string;
    /** Origins: one in HTTP, one with a certificate that nobody trusts, one where nobody listens. */
    receivers: { plain: string; tls: string; nobody: string };
  }
}
