/** The encoder's job that looks through the pictures of a media, played by a test. */
import { env } from "cloudflare:test";
import { and, eq } from "drizzle-orm";
import type { JobResult } from "../../../../protocol/jobs.ts";
import type { JudgedPicture } from "../../../../protocol/pictures.ts";
import { insights } from "../../../../src/library/insights/store/tables.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { until } from "../../events/webhooks/webhook-rows.ts";
import { callJob } from "../encoding/job-calls.ts";

export async function picturesJob({ assetId }: { assetId: string }, kind: "moderation" | "chapters" = "moderation") {
  const [row] = await openDatabase(env.DB)
    .select()
    .from(insights)
    .where(and(eq(insights.assetId, assetId), eq(insights.kind, kind)));
  const { requestId } = row!;
  const rendition = `m-${requestId}`;
  const call = (init: Parameters<typeof callJob>[1], more: object = {}) =>
    callJob({ assetId, job: `pictures.${requestId}` }, init, {
      renditions: [rendition],
      segments: [0, 1000],
      video: "v720",
      ...more,
    });
  const post = (path: string, body: unknown) => call({ method: "POST", path, body: JSON.stringify(body) });
  const isContinued = async () => {
    const answer = await post("heartbeat", { attempt: 1, state: "running", progress: 0, speed: 0 });
    return (await answer.json<{ continue: boolean }>()).continue;
  };
  await until(isContinued, Boolean);
  const complete = async (
    pictures: JudgedPicture[],
    engine: string | null = kind === "moderation" ? "nsfwjs" : null,
  ) => {
    const model = engine === null ? null : "mobilenet";
    const result: JobResult = { kind: "pictures", pictures, engine, model, judgeMs: 5 };
    return (await (await post("complete", result)).json<{ accepted: boolean }>()).accepted;
  };
  return { rendition, call, post, complete, isContinued };
}
