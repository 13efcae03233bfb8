import { execFile } from "node:child_process";
import { describe, expect, test, vi } from "vitest";
import { check } from "../../conformance/dash/check.ts";
import { OWN_SCHEMA } from "../../conformance/dash/schema.ts";
import { DASH_FAULTS, type DashFault } from "../../conformance/origin/dash/faults.ts";
import { type DashOriginOptions, startDashOrigin } from "../../conformance/origin/dash/origin.ts";
import type { Verdict } from "../../conformance/rule.ts";

vi.setConfig({ maxConcurrency: 8, testTimeout: 60_000 });

const SECONDS = 3;

/** The rules that a fault violates; `also`: rules that may fail too. */
const BROKEN: Record<DashFault, { rules: string[]; also?: string[] }> = {
  "Role before Label": { rules: ["schema"] },
  "another content type": { rules: ["content-type"] },
  "no Date": { rules: ["date"] },
  "no availability start": { rules: ["dynamic-attributes"] },
  "static with an update period": { rules: ["static-attributes"] },
  "no clock": { rules: ["clock"] },
  "the clock is gone": { rules: ["clock-answers"] },
  "an id twice": { rules: ["ids"], also: ["media-times"] },
  "no aspect ratio": { rules: ["picture-set"] },
  "no frame rate": { rules: ["picture"] },
  "no channels": { rules: ["sound"] },
  "Periods overlap": { rules: ["periods"] },
  "segments too long": { rules: ["max-segment-duration"] },
  "a hole": { rules: ["contiguous"], also: ["media-times"] },
  "not aligned": { rules: ["aligned"], also: ["max-segment-duration", "media-times", "media-durations"] },
  "the end is missing": { rules: ["coverage"] },
  "offset of a segment": { rules: ["availability-offset"] },
  "no latency target": { rules: ["latency-target"] },
  "no producer time": { rules: ["producer-time"] },
  "bandwidth too small": { rules: ["bandwidth"] },
  "publish time goes back": { rules: ["publish-time"] },
  "segments move": { rules: ["unchanged"], also: ["media-times"] },
  "segments vanish": { rules: ["growing"] },
  "gone at the end": { rules: ["stays"] },
  "segments not found": { rules: ["available"] },
  "another codec": { rules: ["init"] },
  "media begins late": { rules: ["media-times"] },
  "media is short": { rules: ["media-durations"] },
  "no sync sample": { rules: ["access-points"] },
};

/** The faults of the default tier: one of each file of `conformance/dash/rules/`. */
const ONE_OF_EACH_FAMILY: ReadonlySet<DashFault> = new Set<DashFault>([
  "bandwidth too small",
  "Role before Label",
  "no latency target",
  "media is short",
  "no frame rate",
  "a hole",
  "segments vanish",
]);

const faultsOf = (verdicts: Verdict[]) =>
  verdicts.flatMap(({ id, faults }) => faults.map(({ lines }) => [id, ...lines]));

async function verdictsOf(
  fault: DashFault | null,
  options: DashOriginOptions = {},
  seconds = SECONDS,
): Promise<Verdict[]> {
  const origin = await startDashOrigin(fault, options);
  try {
    return (await check(origin.url, { seconds, schemaPath: OWN_SCHEMA })).verdicts;
  } finally {
    await origin.stop();
  }
}

describe.concurrent("a server with one fault breaks the rules of that fault, and no other", () => {
  const faults = Object.keys(DASH_FAULTS) as DashFault[];
  const isDefault = (fault: DashFault) => ONE_OF_EACH_FAMILY.has(fault);
  const others = faults.filter((fault) => !isDefault(fault));
  test.each(faults.filter(isDefault))("%s", isFound);
  test.each(others)("%s", { tags: ["full"] }, isFound);

  async function isFound(fault: DashFault): Promise<void> {
    const verdicts = await verdictsOf(fault, fault === "gone at the end" ? { endsAfterSegments: 1 } : {});
    const { rules, also = [] } = BROKEN[fault];
    const ids = verdicts.filter((verdict) => verdict.faults.length > 0).map(({ id }) => id);
    const unexpected = faultsOf(verdicts).filter(([id]) => !rules.includes(id!) && !also.includes(id!));
    expect(unexpected).toEqual([]);
    expect(ids.filter((id) => rules.includes(id))).toEqual(rules);
  }

  test("every rule has a fault that violates it", async () => {
    const verdicts = await verdictsOf(null);
    const planted = new Set(Object.values(BROKEN).flatMap(({ rules }) => rules));
    expect(verdicts.map(({ id }) => id).filter((id) => !planted.has(id))).toEqual([]);
  });
});

describe.concurrent("a server that keeps the rules", () => {
  test("violates no rule on demand, nor on air until it ends, and each rule is judged in one of the two", async () => {
    const [onDemand, live] = await Promise.all([
      verdictsOf(null),
      verdictsOf(null, { isLive: true, endsAfterSegments: 4 }, 8),
    ]);
    expect([faultsOf(onDemand), faultsOf(live)]).toEqual([[], []]);
    const unseen = onDemand.filter(({ seen }, index) => seen + live[index]!.seen === 0).map(({ id }) => id);
    expect(unseen).toEqual([]);
    expect(live.find(({ id }) => id === "static-attributes")?.seen).toBe(1); // its end was seen
  });
});

test("an interruption by the broadcaster is not a fault of the server", async () => {
  expect(faultsOf(await verdictsOf(null, { isLive: true, leavesAfterSegments: 1 }, 5))).toEqual([]);
});

test("a segment in progress that is never completed because the broadcast ends is not a fault of the server", async () => {
  const verdicts = await verdictsOf(null, { isLive: true, endsAfterSegments: 2.5 }, 8);
  expect(faultsOf(verdicts)).toEqual([]);
  expect(verdicts.find(({ id }) => id === "static-attributes")?.seen).toBe(1); // its end was seen
});

describe.concurrent("npm run check:dash", () => {
  const run = async (...args: string[]) =>
    await new Promise<{ code: number; stdout: string; stderr: string }>((done) => {
      const child = execFile(process.execPath, ["conformance/dash/main.ts", ...args], (_, stdout, stderr) =>
        done({ code: child.exitCode ?? -1, stdout, stderr }),
      );
    });

  test("exits with 1 and the evidence when a MUST is violated, as text and as JSON", async () => {
    const origin = await startDashOrigin("Role before Label");
    const [text, json] = await Promise.all([run(origin.url), run(origin.url, "--json")]);
    await origin.stop();
    expect([text.code, json.code]).toEqual([1, 1]);
    expect(text.stdout).toMatch(/FAIL.+ISO 5\.2.+valid under its schema.+\n.+film\.mpd\n.+wanted .+\n.+found .+Label/);
    const { rules } = JSON.parse(json.stdout) as { rules: Verdict[] };
    expect(rules.filter(({ state }) => state === "FAIL").map(({ id }) => id)).toEqual(["schema"]);
  });

  test("validates with the schema of --schema", async () => {
    const origin = await startDashOrigin();
    const [own, other] = await Promise.all([
      run(origin.url, "--schema", OWN_SCHEMA),
      run(origin.url, "--schema", "test/conformance/another.xsd"),
    ]);
    await origin.stop();
    expect([own.code, other.code]).toEqual([0, 1]);
    expect(other.stdout).toMatch(/FAIL.+schema/);
  });

  test("exits with 2 and the reason when there is nothing to check, and with 0 for --help", async () => {
    const [none, help] = await Promise.all([run("film.mpd"), run("--help")]);
    expect([none.code, none.stderr]).toEqual([2, "Give one http(s) URL of an MPD.\n"]);
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining("Exit code")]);
  });
});
