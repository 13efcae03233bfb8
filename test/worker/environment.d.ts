import type { D1Migration } from "@cloudflare/vitest-pool-workers";
import type { Env } from "../../src/platform/env.ts";

declare global {
  namespace Cloudflare {
    // What `env` of "cloudflare:test" holds.
    interface Env extends Env_ {
      TEST_MIGRATIONS: D1Migration[];
    }
  }
}
type Env_ = Env;
