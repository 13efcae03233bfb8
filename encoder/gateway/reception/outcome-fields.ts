import { boundedFields, crashText } from "../../../protocol/error-fields.ts";
import type { BroadcastOutcome } from "../../live/broadcast-process.ts";

/** Describes how a broadcast's encoder ended, for the log. */
export function outcomeFields(outcome: BroadcastOutcome): Record<string, string | number> {
  const unexpected = "unexpected" in outcome && outcome.unexpected ? boundedFields(outcome.unexpected) : {};
  switch (outcome.type) {
    case "ended":
      return { outcome: "ended", nextMsn: outcome.end.nextMsn };
    case "failure":
      return { outcome: outcome.code, reason: outcome.message, ...unexpected };
    case "crashed":
      return { outcome: "crashed", reason: crashText(outcome.how), ...unexpected };
    case "cannot-continue":
      return { outcome: "cannot continue", reason: outcome.reason };
    case "stopped":
      return { outcome: "stopped" };
  }
}
