import type { TestProject } from "vitest/node";
import { startSourceControl } from "./source-control.ts";

/** Servers that tests in workerd talk to over real sockets. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const control = await startSourceControl();
  project.provide("sourceControlUrl", control.url);
  return control.close;
}

declare module "vitest" {
  interface ProvidedContext {
    sourceControlUrl: string;
  }
}
