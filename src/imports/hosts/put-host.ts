import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { log } from "../../platform/log.ts";
import type { SourceKind } from "../sources/source.ts";
import { readHostName, refusalOf } from "./host-name.ts";
import { forgetMappedHost } from "./mapped-host.ts";
import { HOSTS_PER_WORKSPACE, type ImportHost, putHost } from "./repository.ts";

/**
 * Maps a host to a workspace and a source. Repeatable; the workspace's own host gets the new source.
 *
 * Nothing proves here that the host is the caller's, because a mapping has no effect by itself: requests for the host arrive at this deployment only
 * when its DNS leads here, which the owner of its zone sets, and when the operator of the deployment has added it to the Worker's domains. Until both
 * are so, a wrong claim does no more than to hold the name, and the operator deletes it. Of a host that leads here already it takes nothing away: the
 * platform's own addresses come before old ones (`isOfPlatform`). A deployment that serves workspaces that do not trust each other should still map a
 * host before it is added to the Worker's domains, because the first claim answers for its old addresses.
 *
 * @param publicUrl where this deployment is now
 * @param requestHost of the request, with its port
 * @throws {Problem} validation_failed, import_host_taken, import_host_limit_reached
 */
export async function mapHost(
  env: Pick<Env, "DB" | "PUBLIC_URL" | "BEACON_DOMAIN">,
  { workspaceId, host: text, source }: { workspaceId: string; host: string; source: SourceKind },
  { publicUrl, requestHost, now }: { publicUrl: string; requestHost: string; now: Date },
): Promise<ImportHost> {
  const host = readHostName(text);
  const own = { publicUrl: env.PUBLIC_URL, requestHost, beaconDomain: env.BEACON_DOMAIN };
  const refusal = host === null ? "must be the name of a host, such as videos.example.com" : refusalOf(host, own);
  if (host === null || refusal !== null)
    throw new Problem("validation_failed", "the host cannot be mapped", {
      fields: [{ field: "host", message: "is invalid", hint: refusal ?? "" }],
    });
  const row = await putHost(env.DB, { host, workspaceId, source, publicUrl, createdAt: now });
  if (row === null)
    throw new Problem("import_host_limit_reached", `a workspace has at most ${HOSTS_PER_WORKSPACE} hosts`);
  if (row.workspaceId !== workspaceId)
    throw new Problem("import_host_taken", "the host is mapped already, by another workspace");
  forgetMappedHost(env, host);
  log("import_host.mapped", { host, workspaceId, source });
  return row;
}
