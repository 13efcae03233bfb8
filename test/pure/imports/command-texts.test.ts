/** What `sluice import` shows: the report, the live view, the list. */
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { endedPercent, liveLines, problemText } from "../../../sdk/cli/imports/live/live-lines.ts";
import { retryOf } from "../../../sdk/cli/imports/live/retry-command.ts";
import { namingOptions } from "../../../sdk/cli/imports/naming-options.ts";
import type { Batch, BatchReport } from "../../../sdk/cli/imports/records.ts";
import { batchLine, reportLines } from "../../../sdk/cli/imports/report-text.ts";
import type { ImportSession } from "../../../sdk/cli/imports/session.ts";
import { goOnWith } from "../../../sdk/cli/imports/start/credential-for-batch.ts";
import { createReporter } from "../../../sdk/cli/terminal/reporter.ts";
import { ApiError } from "../../../sdk/index.ts";
import { countText, sizeText, usdText, waitText } from "../../../sdk/cli/terminal/units.ts";

const COUNTS = { total: 1000, pending: 300, submitted: 20, ready: 600, failed: 30, skipped: 50 };

function batch(over: Partial<Batch> = {}): Batch {
  return {
    id: "b1",
    status: "running",
    source: { type: "mux" },
    selection: {},
    settings: {},
    dryRun: true,
    counts: COUNTS,
    reportUrl: "https://video.example.com/v1/imports/b1/report",
    createdAt: "2026-11-20T12:00:00.000000Z",
    updatedAt: "2026-11-20T12:00:00.000000Z",
    ...over,
  };
}

function report(over: Partial<BatchReport> = {}): BatchReport {
  return {
    import: batch({ status: "scanned" }),
    missingPermissions: [],
    found: {
      videos: 1234,
      hours: 210.4,
      isHoursEstimated: true,
      sourceBytes: 1.24e12,
      isBytesEstimated: false,
      policies: { public: 1000, private: 234 },
      resolutions: {},
      captions: 0,
      captionsUnknown: 0,
      furtherAudioTracks: 0,
      withChapters: 0,
      playbackIds: 1234,
      repeated: 0,
      alreadyImported: 7,
    },
    estimate: {
      onceUsd: 1234.5,
      monthlyUsd: 12,
      storedBytes: 0,
      totalSeconds: 12_000,
      encodingSeconds: 1,
      sourceSeconds: 1,
    },
    lost: [{ what: "play counts" }, { what: "burnt-in watermark", videos: 1 }],
    sampled: 50,
    obstacles: [{ sourceId: "v9", title: "A\u001B[2Jfilm", code: "drm_protected", message: "The file is encrypted." }],
    reasons: [],
    differences: [],
    ...over,
  };
}

const REASON = {
  status: "failed",
  code: "no_file",
  message: "The source offers no file.",
  items: 30,
  examples: ["a", "b", "c", "d"],
};
const live = (over: Partial<Batch>, reasons: BatchReport["reasons"] = [], width = 120) =>
  liveLines(batch(over), reasons, { width, note: "Ctrl-C leaves it running." }).map((line) =>
    stripVTControlCharacters(line),
  );

describe("the report", () => {
  test("has the figures, what is estimated, what is lost and what cannot be fetched", () => {
    const text = reportLines(report(), ["Harbour", "Dawn"]).join("\n");
    for (const line of [
      /Videos +1,234/,
      /The first ones +Harbour · Dawn …/,
      /Hours +about 210$/m,
      /Size at the source +1\.2 TB$/m,
      /Policy at the source +1,000 public, 234 private/,
      /Cost +\$1,234\.50 once, \$12\.00 a month/,
      /Time +about 3 h 20 min/,
      /Migrated before +7, skipped/,
      /Tried as a sample +50$/m,
      /What will be lost\n {4}play counts \(all videos\)\n {4}burnt-in watermark \(1 video\)/,
      /What cannot be fetched\n {4}A�\[2Jfilm \(v9\): The file is encrypted\./,
    ])
      expect(text).toMatch(line);
    expect(text).not.toContain("Listed repeatedly");
  });

  test("says the reasons of failures after the run, and not a second time after a dry run", () => {
    const ended = report({ import: batch({ status: "done" }), reasons: [REASON] });
    expect(reportLines(ended).join("\n")).toContain("30 failed: The source offers no file. (such as a, b, c)");
    expect(reportLines(report({ reasons: [REASON] })).join("\n")).not.toContain("30 failed");
  });

  test("of a batch that has ended names a failure once, and what was lost", () => {
    const text = reportLines(report({ import: batch({ status: "done" }), reasons: [REASON] })).join("\n");
    expect(text).toContain("What was lost");
    expect(text).not.toMatch(/What will be lost|What cannot be fetched/);
  });

  test("has the permissions that the credentials lack, if the platform says them", () => {
    const missingPermissions = [{ permission: "Mux Video Write", message: "Masters cannot\u0007 be opened." }];
    expect(reportLines({ ...report(), missingPermissions }).join("\n")).toContain(
      "  The credentials lack\n    Mux Video Write: Masters cannot� be opened.",
    );
    expect(reportLines(report()).join("\n")).not.toContain("The credentials lack");
  });

  test("says that there are further videos by those that can be fetched", () => {
    const found = { ...report().found, videos: 2 };
    expect(reportLines(report({ found }), ["Harbour", "Dawn"]).join("\n")).toMatch(/Harbour · Dawn$/m);
  });

  test("a long list ends with how much more there is", () => {
    const lost = Array.from({ length: 25 }, (_, n) => ({ what: `thing ${n}` }));
    const lines = reportLines(report({ lost, obstacles: [] }));
    expect(lines.at(-1)).toBe("    and 15 more");
  });
});

describe("the live view", () => {
  test("has a bar, counts, throughput, time left, the reasons and how to leave", () => {
    expect(live({ itemsPerMinute: 42.1, secondsLeft: 530 }, [REASON])).toEqual([
      `  ${"█".repeat(28)}${"░".repeat(12)} 68 %`,
      "  600 of 1,000 ready · 20 in preparation · 300 waiting · 30 failed · 50 skipped",
      "  42.1 a minute · about 9 min left",
      "  30 failed: The source offers no file. (such as a, b, c)",
      "  Ctrl-C leaves it running.",
    ]);
  });

  test("says for how many of those that wait the source prepares a file", () => {
    expect(live({ preparedAtSource: 16 }, [])[1]).toMatch(/ · 16 prepared by the source · 284 waiting · /);
    expect(live({ preparedAtSource: 300 }, [])[1]).not.toContain(" waiting");
  });

  test("says why it waits and when it goes on", () => {
    const problem = { code: "source_rate_limited", message: "The source has asked for a pause." };
    const nextAttemptAt = "2026-11-20T12:03:10.000000Z";
    expect(problemText({ problem, nextAttemptAt })).toMatch(
      /^The source has asked for a pause\. Next attempt at \d\d:\d\d:\d\d\.$/,
    );
    expect(live({ problem })).toContain("  The source has asked for a pause.");
    expect(problemText({})).toBeNull();
  });

  test("no line is wider than the terminal, because a wrapped one would be drawn twice", () => {
    const long = { ...REASON, message: "x".repeat(300) };
    for (const line of live({}, [long], 60)) expect(line.length).toBeLessThan(60);
  });

  test("the bar stays within its width when every part has something, and shows a single failure", () => {
    const counts = { total: 500_000, pending: 0, submitted: 1, ready: 499_998, failed: 1, skipped: 0 };
    const [bar] = live({ counts });
    expect(bar).toMatch(/^ {2}█{40} 99 %$/);
    const [early] = live({ counts: { ...counts, ready: 0, pending: 499_998 } });
    expect(early).toMatch(/^ {2}█{2}░{38} 0 %$/);
  });

  test("an empty batch is at 0 %", () => {
    const counts = { total: 0, pending: 0, submitted: 0, ready: 0, failed: 0, skipped: 0 };
    expect([endedPercent({ counts }), live({ counts })[0]]).toEqual([0, `  ${"░".repeat(40)} 0 %`]);
  });

  test("more reasons than fit are counted", () => {
    const reasons = Array.from({ length: 9 }, (_, n) => ({ ...REASON, message: `Reason ${n}.` }));
    expect(live({}, reasons)).toContain("  and 3 more reasons");
  });
});

test("a batch of the list is one line", () => {
  const problem = { code: "credentials_invalid", message: "m" };
  expect(batchLine(batch({ status: "paused", problem }))).toBe(
    "2026-11-20 12:00  paused    mux               b1  600 of 1,000 ready, 30 failed  (credentials_invalid)",
  );
});

test("a refusal names the options that were given", () => {
  const fields = ["items[1]", "items[7]", "settings"].map((field) => ({ field, message: "is unknown" }));
  const refused = new ApiError("m", { status: 422, code: 422, fields, retryAfterSeconds: null, requestId: "r" });
  const named = namingOptions(refused, { items: { option: "--item", values: ["a", "nope"] } });
  expect(named).toMatchObject({
    status: 422,
    requestId: "r",
    fields: [{ field: "--item nope", message: "is unknown" }, { field: "items[7]" }, { field: "settings" }],
  });
  const other = new Error("m");
  expect(namingOptions(other, {})).toBe(other);
});

describe("how failed items are tried again", () => {
  const sessionWith = (keep: boolean | null): ImportSession => ({
    sluice: {
      get: async () => {
        const facts = { status: 404, code: 404, fields: [], retryAfterSeconds: null, requestId: "" };
        if (keep === null) throw new ApiError("there is none", facts);
        return { data: { keep } };
      },
    } as unknown as ImportSession["sluice"],
    reporter: createReporter(true),
    signal: new AbortController().signal,
  });
  test.for([
    ["without credentials", undefined, null, false],
    ["with kept ones", "c1", true, false],
    ["with ones that go with the batch", "c1", false, true],
    ["with ones that are gone", "c1", null, true],
  ] as const)("%s", async ([, credentialId, keep, needs]) => {
    const ended = batch({ status: "done", ...(credentialId && { credentialId }) });
    const { command, needs: said } = await retryOf(sessionWith(keep), ended);
    expect([command.includes("--credentials-file FILE"), said !== ""]).toEqual([needs, needs]);
  });
});

test.for([null, 409, 500])(
  "other credentials go to a paused batch, whose pause is answered with %j",
  async (status) => {
    const posts: unknown[] = [];
    const post = async (path: string, { body }: { body?: object }) => {
      posts.push([path.split("/").at(-1), body]);
      const facts = { code: 0, fields: [], retryAfterSeconds: null, requestId: "" };
      if (path.endsWith("/pause") && status !== null) throw new ApiError("refused", { ...facts, status });
      return { data: batch() };
    };
    const session = { sluice: { post }, signal: new AbortController().signal } as unknown as ImportSession;
    const resumed = goOnWith(session, "b1", "c2").catch((error: unknown) => error);
    expect(await resumed).toMatchObject(status === 500 ? { status: 500 } : { id: "b1" });
    const resume = status === 500 ? [] : [["resume", { credentialId: "c2" }]];
    expect(posts).toEqual([["pause", undefined], ...resume]);
  },
);

test("figures", () => {
  expect([0.2, 45, 61, 3600, 12_000, 200_000].map(waitText)).toEqual([
    "1 s",
    "45 s",
    "2 min",
    "1 h 0 min",
    "3 h 20 min",
    "2 d 7 h",
  ]);
  expect([sizeText(999e9), sizeText(3.44e12), usdText(0.5), countText(500_000)]).toEqual([
    "999.0 GB",
    "3.4 TB",
    "$0.50",
    "500,000",
  ]);
});
