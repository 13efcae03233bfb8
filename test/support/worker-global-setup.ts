import type { TestProject } from "vitest/node";
import { buildPlayer } from "../../scripts/build.ts";
import { startLicenseService } from "./license-service.ts";
import { refusedOrigin, startReceiver } from "./receiver.ts";
import { startR2SqlStandIn } from "./r2-sql-stand-in.ts";
import { startSourceControl } from "./source-control.ts";

/** Servers that tests in workerd connect to over real sockets, and the files of the pages as they are now. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildPlayer();
  const control = await startSourceControl();
  project.provide("sourceControlUrl", control.url);
  const [receiver, tlsReceiver] = [await startReceiver(), await startReceiver({ tls: true })];
  const nobody = await refusedOrigin();
  project.provide("receivers", { plain: receiver.origin, tls: tlsReceiver.origin, nobody });
  const licenses = await startLicenseService();
  project.provide("licenseServiceUrl", licenses.url);
  const r2Sql = await startR2SqlStandIn();
  project.provide("r2SqlOrigin", r2Sql.origin);
  return async () => {
    await Promise.all([r2Sql.close(), licenses.close(), control.close(), receiver.close(), tlsReceiver.close()]);
  };
}

declare module "vitest" {
  interface ProvidedContext {
    sourceControlUrl: string;
    licenseServiceUrl: string;
    /** Address of `r2-sql-stand-in.ts`. */
    r2SqlOrigin: string;
    /** Origins: one over HTTP, one with an untrusted certificate, one without a listener. */
    receivers: { plain: string; tls: string; nobody: string };
  }
}
