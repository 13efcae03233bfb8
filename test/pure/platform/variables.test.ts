/** The rules of the Worker's variables, and the local platform's use of them. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "smol-toml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadSettings, StartError } from "../../../scripts/local/settings.ts";
import { VARIABLE_NAMES, variableProblem } from "../../../src/platform/variables.ts";

test("every variable of wrangler.toml has a rule, which its default obeys", async () => {
  const { vars } = parse(await readFile("wrangler.toml", "utf8")) as { vars: Record<string, string> };
  expect(VARIABLE_NAMES).toEqual(expect.arrayContaining(Object.keys(vars)));
  for (const [name, value] of Object.entries(vars)) expect(variableProblem(name, value)).toBeNull();
});

test.each([
  ["MAX_SOURCE_BYTES", ["1", "107374182400"], ["", undefined, "abc", "0", "-1", "1.5", "10 GB", "1e30"]],
  ["LIVE_PART_TARGET_MS", ["", undefined, "200", "1000"], ["199", "1001", "250.5", "500ms"]],
  ["VIEW_RETENTION_DAYS", ["", undefined, "1", "100", "400"], ["0", "401", "7.5", "30 days"]],
  ["R2_SQL_URL", ["", "https://api.sql.example.com/api/v1/accounts/a/basin-sql/query/b"], ["http://plain/x", "sql"]],
  ["R2_SQL_TABLE", ["", "sluice.views"], ["views", "sluice.views; --", "a.b.c", 'sluice."views"']],
  ["MAX_WORKSPACE_UPLOADS", ["1", "1000"], ["", undefined, "0", "many"]],
  ["MAX_WORKSPACE_PLAYBACK_EVENTS", ["1", "50000"], ["", undefined, "0", "many"]],
  ["MAX_WORKSPACE_MEDIA", ["1", "1000000"], ["", undefined, "0", "many"]],
  ["ENCODER_CONTAINERS", ["1", "20"], ["", undefined, "0", "many"]],
  ["JOB_LEASE_MS", ["", "2500", "900000"], ["0", "10", "2499", "900001", "30s"]],
  ["SOURCE_RETRY_SCALE", ["", "0.01", "2"], ["0", "-1", "Infinity", "half"]],
  [
    "ENCODER_URL",
    ["", "https://encoder.example.com", "http://127.0.0.1:9"],
    ["http://plain/x", "encoder", "https://a.example/path", "https://a.example/?b"],
  ],
  ["ALLOW_PRIVATE_NETWORK", ["", "true", "false"], ["yes", "1", "TRUE"]],
  ["INGEST_RTMP_URL", ["", "rtmp://live.example.com/live"], ["nonsense", "rtmps://live.example.com/live", "rtmp:live"]],
  ["INGEST_RTMPS_URL", ["", "rtmps://live.example.com:443/live"], ["rtmp://live.example.com/live"]],
  ["INGEST_SRT_URL", ["", "srt://live.example.com:8890?latency=200"], ["udp://live.example.com:8890", "srt://"]],
  ["IMPORT_BASE_URLS", ["", '{"mux":"http://127.0.0.1:8100"}'], ["http://127.0.0.1", '{"mux":1}', '["http://a"]']],
  ["REVOKED_GATEWAYS", ["", "live-1", "live-1, live-2,"], ["live-1;live-2", "live 1"]],
])("%s may be one of %j, and none of %j", (name, valid, invalid) => {
  for (const value of valid) expect([value, variableProblem(name, value)]).toEqual([value, null]);
  for (const value of invalid)
    expect([value, variableProblem(name, value)]).toEqual([value, expect.stringMatching(`^${name} must be `)]);
});

describe("the local platform", () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "sluice-settings-"));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  test("starts with valid variables", async () => {
    const env = { ...process.env, MAX_SOURCE_BYTES: "1000", LIVE_WAIT_SCALE: "", ALLOW_PRIVATE_NETWORK: "true" };
    expect(await loadSettings(env, { home })).toMatchObject({
      allowPrivateNetwork: true,
      vars: { MAX_SOURCE_BYTES: "1000" },
    });
  });

  test("names every wrong variable instead of starting", async () => {
    const env = { ...process.env, MAX_SOURCE_BYTES: "abc", ALLOW_PRIVATE_NETWORK: "yes" };
    const start = loadSettings(env, { home });
    await expect(start).rejects.toThrow(StartError);
    await expect(start).rejects.toThrow(
      'MAX_SOURCE_BYTES must be a positive whole number.\nALLOW_PRIVATE_NETWORK must be "true", "false" or empty.',
    );
  });
});
