import { inject } from "vitest";

/** The address of the licence service that the tests share (`test/support/license-service.ts`). */
export const licenseServiceUrl = (): string => inject("licenseServiceUrl");

declare module "vitest" {
  interface ProvidedContext {
    licenseServiceUrl: string;
  }
}
