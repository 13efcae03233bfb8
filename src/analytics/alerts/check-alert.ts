import { Problem } from "../../platform/http/problems.ts";
import { readFilters } from "../questions/scope.ts";
import { type AlertMetric, MEASURED } from "./measured.ts";
import { ALERT_DIMENSIONS, type CreateAlert } from "./schemas.ts";

/** Refuses an alert that could never be triggered, or that filters by another dimension. @throws {Problem} validation_failed */
export function checkAlert({
  metric,
  thresholdValue,
  filters,
}: Pick<CreateAlert, "metric" | "thresholdValue" | "filters">): void {
  if (MEASURED[metric].unit === "share" && thresholdValue > 1)
    throw invalid("thresholdValue", `must be a share from 0 to 1 for ${metric}: 0.05 is 5 %`);
  readFilters(filters, { filterby: "filters", dimensions: ALERT_DIMENSIONS });
}

const UNITS = { share: "a share from 0 to 1", ms: "milliseconds" };

/** Refuses a change to a metric whose unit differs from the threshold's. @throws {Problem} validation_failed */
export function checkUnit(before: AlertMetric, after: AlertMetric = before): void {
  const { unit } = MEASURED[after];
  if (MEASURED[before].unit !== unit)
    throw invalid("thresholdValue", `must be given with ${after}: it is ${UNITS[unit]}, and that of ${before} is not`);
}

const invalid = (field: string, hint: string) =>
  new Problem("validation_failed", hint, { fields: [{ field, message: "is invalid", hint }] });
