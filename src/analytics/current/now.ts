import { z } from "@hono/zod-openapi";
import type { Env } from "../../platform/env.ts";
import { ALL, byDimension, type GroupKey } from "../questions/group-key.ts";
import { currentViewers, type CurrentGroup } from "./current-views.ts";

/** Entries of each list: the values with the most viewers. */
const MAX_ENTRIES = 100;

const figures = {
  viewers: z.int().nonnegative(),
  views: z.int().nonnegative(),
};
const most = `At most ${MAX_ENTRIES}, those with the most viewers first`;
export const Now = z
  .object({
    at: z.iso.datetime(),
    ...figures,
    media: z.array(z.object({ mediaId: z.string(), ...figures })).openapi({ description: most }),
    streams: z.array(z.object({ streamId: z.string(), ...figures })).openapi({ description: most }),
    countries: z
      .array(z.object({ country: z.string().nullable(), ...figures }))
      .openapi({ description: `${most}; null = not known` }),
  })
  .openapi("Now");

/** Current viewers: those with a running view that has reported in the last 60 s. */
export async function viewersNow(env: Env, workspaceId: string, nowMs: number): Promise<z.output<typeof Now>> {
  const by = async (key: GroupKey): Promise<CurrentGroup[]> => await currentViewers(env, workspaceId, key, nowMs);
  const [all, media, streams, countries] = await Promise.all(
    [ALL, ...["media_id", "fp_live_stream_id", "country"].map(byDimension)].map((key) => by(key)),
  );
  const { viewers, views } = all![0] ?? { viewers: 0, views: 0 };
  return {
    at: new Date(nowMs).toISOString(),
    viewers,
    views,
    media: known(media!).map(({ key, ...counts }) => ({ mediaId: key, ...counts })),
    streams: known(streams!).map(({ key, ...counts }) => ({ streamId: key, ...counts })),
    countries: countries!.slice(0, MAX_ENTRIES).map(({ key, ...counts }) => ({ country: key, ...counts })),
  };
}

/** Excludes views that do not play content of the workspace. */
const known = (groups: CurrentGroup[]): (CurrentGroup & { key: string })[] =>
  groups.flatMap((group) => (group.key === null ? [] : [{ ...group, key: group.key }])).slice(0, MAX_ENTRIES);
