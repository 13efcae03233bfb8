import type { D1Migration } from "@cloudflare/vitest-pool-workers";

declare global {
  namespace Cloudflare {
    // What `env` of "cloudflare:test" holds besides the generated bindings.
    interface Env {
      TEST_MIGRATIONS: D1Migration[];
    }
  }
}
