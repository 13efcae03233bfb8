import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { readBaseConfig } from "./scripts/deploy/config.ts";
import { FULL_TAG } from "./scripts/suite/tiers.ts";

/** Set in every project, because projects do not inherit it: a condition that is polled has time on a busy machine. */
const expect = { poll: { timeout: 20_000 } };

/**
 * Twelve projects, by what a test needs: `pure` nothing, `conformance` streams in real time, `fuzz` processes that can be ended, `worker` workerd
 * with real bindings, `encoder` libav, `gateway` libav and broadcasters, `growing` an encoder that keeps ahead of players, `e2e` players in
 * Chromium, `live` players of a broadcast, `platform` the whole of `npm start`, `broadcast` its live streams, and `crash` time for it to come back.
 * `scripts/suite/lanes.ts` says which run side by side. Files of a project share processes (`isolate: false`): to load the modules anew for
 * each file takes a second of CPU time.
 */
export default defineConfig({
  test: {
    // The summary of a run shows messages alone, so they contain what was found.
    chaiConfig: { truncateThreshold: 2000 },
    silent: "passed-only", // logs of failed tests only
    reporters: ["./scripts/suite/source-lines.ts", "default"],
    tags: [
      {
        name: FULL_TAG,
        description: "Only in npm run test:full; the default tier has a cheaper test of the same guarantee.",
      },
    ],
    projects: [
      {
        test: {
          name: "pure",
          expect,
          include: ["test/pure/**/*.test.ts"],
          environment: "node",
          testTimeout: 60_000,
          hookTimeout: 60_000,
          isolate: false,
          maxWorkers: 1, // beside another lane
        },
      },
      {
        test: {
          name: "conformance",
          expect,
          include: ["test/conformance/**/*.test.ts"],
          environment: "node",
          testTimeout: 30_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "fuzz",
          expect,
          include: ["test/fuzz/**/*.test.ts"],
          environment: "node",
          testTimeout: 120_000,
        },
      },
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              // No name resolves: what a test fetches over the network it names by address.
              serviceBindings: { RESOLVER: () => new Response('{"addresses":[]}', { status: 404 }) as never },
              bindings: {
                ...(await readBaseConfig()).vars, // instead of the developer's own in .dev.vars
                TEST_MIGRATIONS: await readD1Migrations("migrations"),
                JOB_SECRET: "job secret of the tests: long enough",
                ENCODER_SECRET: "encoder secret of the tests: long enough",
                WEBHOOK_KEYS: "k1:c2x1aWNlIHRlc3RzLCAzMiBieXRlcyBvZiBrZXkuLi4=",
                PUBLIC_URL: "http://sluice.test",
                ENCODER_URL: "http://127.0.0.1:9",
                ALLOW_PRIVATE_NETWORK: "true",
              },
            },
          })),
        ],
        test: {
          name: "worker",
          expect,
          include: ["test/worker/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // To start workerd and load the Worker takes 2.7 s of CPU: three runtimes serve all files, and setup.ts empties their bindings before each.
          isolate: false,
          maxWorkers: 3,
          setupFiles: ["test/worker/setup.ts"],
          globalSetup: ["test/support/worker-global-setup.ts"],
          deps: { optimizer: { ssr: { enabled: true, include: ["itty-durable"] } } },
        },
      },
      {
        test: {
          name: "encoder",
          expect,
          include: ["test/encoder/**/*.test.ts"],
          environment: "node",
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "gateway",
          expect,
          include: ["test/gateway/**/*.test.ts"],
          environment: "node",
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "growing",
          expect,
          include: ["test/e2e/full/growing.test.ts"],
          environment: "node",
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "e2e",
          expect,
          // In a project that has an `exclude`, Vitest ignores that of the command line, which leaves out the full tier.
          include: ["test/e2e/*.test.ts", "test/e2e/full/!(growing).test.ts", "test/e2e/full/video-data/*.test.ts"],
          environment: "node",
          isolate: false,
          // Players mostly wait for the time to pass, but they decode on the CPU, beside an encoder of another lane.
          maxConcurrency: 3,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "live",
          expect,
          include: ["test/e2e/full/live/**/*.test.ts"],
          environment: "node",
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "platform",
          expect,
          include: ["test/platform/**/*.test.ts"],
          environment: "node",
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "broadcast",
          expect,
          include: ["test/broadcast/**/*.test.ts"],
          environment: "node",
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "crash",
          expect,
          include: ["test/crash/**/*.test.ts"],
          environment: "node",
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
