import type { TestWorkspace } from "../workspace.ts";

export interface Alert {
  id: string;
  status: string;
  triggeredAt: string | null;
  lastBucket: { end: string; views: number; value: number | null } | null;
}

/** Any view with an error triggers it. */
export const someAlert = { name: "Errors", metric: "error_rate", thresholdValue: 0, minViews: 1 };

export async function newAlert(workspace: TestWorkspace, more: object = {}): Promise<Alert> {
  const answer = await workspace.request("POST", "/v1/data/alerts", { ...someAlert, ...more });
  if (answer.status !== 201) throw new Error(`answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json<{ data: Alert }>()).data;
}
