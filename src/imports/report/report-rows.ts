/** The report as rows of a table: one for each statement, for spreadsheets. Pure. */
import type { ImportReport } from "./schemas.ts";

export const REPORT_FIELDS = ["section", "name", "value", "videos", "examples"] as const;
type ReportRow = Partial<Record<(typeof REPORT_FIELDS)[number], unknown>>;

export function reportRows(report: ImportReport): ReportRow[] {
  const { import: batch, found, estimate } = report;
  const facts = (section: string, values: Record<string, unknown>): ReportRow[] =>
    Object.entries(values).flatMap(([name, value]): ReportRow[] =>
      typeof value === "object" && value !== null
        ? Object.entries(value).map(([key, videos]) => ({ section, name: `${name}.${key}`, videos }))
        : [{ section, name, value }],
    );
  return [
    { section: "batch", name: "id", value: batch.id },
    { section: "batch", name: "status", value: batch.status },
    ...facts("counts", batch.counts),
    ...facts("found", found),
    ...facts("estimate", estimate),
    ...report.missingPermissions.map(({ permission, message }) => ({
      section: "missing permission",
      name: permission,
      value: message,
    })),
    ...report.lost.map(({ what, videos }) => ({ section: "lost", name: what, videos: videos ?? "all" })),
    ...report.obstacles.map(({ sourceId, title, code, message }) => ({
      section: "obstacle",
      name: sourceId,
      value: `${code}: ${message}`,
      examples: title,
    })),
    ...report.reasons.map(({ status, code, message, items, examples }) => ({
      section: status,
      name: code,
      value: message,
      videos: items,
      examples,
    })),
    ...report.differences.map(({ field, message, items, examples }) => ({
      section: "difference",
      name: field,
      value: message,
      videos: items,
      examples,
    })),
  ];
}
