/** The report as a page. */
import { expect, test } from "vitest";
import { reportHtml } from "../../../src/imports/report/report-html.ts";
import type { ImportReport } from "../../../src/imports/report/schemas.ts";

const REPORT = {
  import: {
    id: "b1",
    status: "scanned",
    createdAt: "2026-11-20T12:00:00.000000Z",
    counts: { total: 2, pending: 1, submitted: 0, ready: 0, failed: 1, skipped: 0 },
  },
  found: {
    videos: 1,
    hours: 0,
    isHoursEstimated: false,
    sourceBytes: 1000,
    isBytesEstimated: false,
    policies: {},
    resolutions: {},
    captions: 0,
    captionsUnknown: 0,
    furtherAudioTracks: 0,
    withChapters: 0,
    playbackIds: 1,
    repeated: 0,
    alreadyImported: 0,
  },
  estimate: { onceUsd: 0, monthlyUsd: 0, storedBytes: 0, totalSeconds: 60, encodingSeconds: 1, sourceSeconds: 1 },
  missingPermissions: [{ permission: "Write", message: "Files cannot be ordered." }],
  lost: [{ what: "play counts" }],
  sampled: 1,
  obstacles: [{ sourceId: "7", title: "Dawn", code: "no_file", message: "The source refused (status 403)" }],
  reasons: [
    { status: "failed", code: "no_file", message: "The source refused (status 403)", items: 1, examples: ["7"] },
    { status: "excluded", code: "", message: "", items: 1, examples: [] },
  ],
  differences: [{ field: "title", message: "it was cut.", items: 1, examples: ["8"] }],
} as unknown as ImportReport;

/** Its text, without marks and repeated spaces. */
async function textOf(status: ImportReport["import"]["status"]): Promise<string> {
  const page = String(await reportHtml({ ...REPORT, import: { ...REPORT.import, status } }, "Mux"));
  return page
    .replace(/<style>.*<\/style>/s, "")
    .replaceAll(/<[^>]+>|\s+/g, " ")
    .replaceAll(/ +/g, " ");
}

test("before a run it names a failure by its video, and says amounts as the command does", async () => {
  const text = await textOf("scanned");
  for (const words of ["less than 0.01 hours", "about 1 min to migrate", "What will be lost"])
    expect(text).toContain(words);
  expect(text).toContain("lack the permission Write . Files cannot be ordered.");
  expect(text).toContain("Dawn (7) The source refused (status 403) ");
  expect(text).not.toContain("Failed or skipped");
});

test("after a run it names a failure by its reason", async () => {
  const text = await textOf("done");
  expect(text).toContain("What was lost");
  expect(text).toContain("failed: The source refused (status 403). For example 7 1 ");
  expect(text).toContain(" excluded. 1 ");
  expect(text).toContain("title: it was cut. For example 8 1 ");
  expect(text).not.toContain("What cannot be fetched");
});
