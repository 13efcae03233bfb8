import type { ModerationOrder } from "../../../ai/moderation/index.ts";
import type { InsightRequest } from "./repository.ts";

export const moderationRequest = (order: ModerationOrder): InsightRequest & { kind: "moderation" } => ({
  kind: "moderation",
  order,
});

/** What a row of that kind was asked for. */
export const moderationOrderOf = ({
  order: { type, action, threshold },
}: Pick<InsightRequest, "order">): ModerationOrder => {
  if (type === undefined || action === undefined || threshold === undefined)
    throw new Error("not an order of moderation");
  return { type, action, threshold };
};
