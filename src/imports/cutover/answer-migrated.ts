import type { Env } from "../../platform/env.ts";
import { prefersHtml } from "../../platform/http/html-page.ts";
import { CORS, preflight } from "../../platform/http/media-headers.ts";
import { problemPage } from "../../platform/http/problem-page.ts";
import { Problem, problemResponse } from "../../platform/http/problems.ts";
import { unmigratedProblem } from "../../platform/http/unmigrated.ts";
import { errorFields, logError } from "../../platform/log.ts";
import { isUuid } from "../../platform/uuid.ts";
import { mappedHost } from "../hosts/mapped-host.ts";
import type { ImportHost } from "../hosts/repository.ts";
import { SOURCE_KINDS, type SourceKind } from "../sources/source.ts";
import { findMigrated } from "./find-migrated.ts";
import { originFor } from "./origin-for.ts";
import { isOfPlatform } from "./platform-address.ts";
import { migratedTarget } from "./target.ts";

type MigratedEnv = Pick<Env, "DB" | "PUBLIC_URL" | "BEACON_DOMAIN" | "UNKNOWN_IDS">;

/** Host and first folder, so that the URL is parsed for few requests. */
const BEGIN = /^https?:\/\/(\[[^\]]*\]|[^/:?#]*)(?::\d+)?(\/migrated\/)?/;
const PATH = /^\/migrated\/([^/]*)\/([^/]*)\/(.*)$/s;

/** Whose old ids an address names, and the vendor's own path. */
interface Claim {
  workspaceId: string;
  source: SourceKind;
  path: string;
  /** What the new address begins with; "" = the same origin. */
  origin: string;
}

/**
 * Old addresses of migrated videos: `/migrated/{workspaceId}/{source}/{address}` on every host, and old addresses on a mapped host. They lead to the
 * addresses of the new playback IDs.
 *
 * @returns null for any other request: at once, unless this isolate has not seen its host for a minute
 */
export function answerMigrated(request: Request, env: MigratedEnv): Promise<Response | null> | null {
  const [, host = "", isMigrated] = BEGIN.exec(request.url) ?? [];
  if (isMigrated !== undefined) return answer(request, env, claimOf(new URL(request.url), env));
  const mapped = mappedHost(request, host, env);
  return mapped === null ? null : answerMapped(request, env, mapped);
}

async function answerMapped(
  request: Request,
  env: MigratedEnv,
  mapped: ImportHost | Promise<ImportHost | null>,
): Promise<Response | null> {
  const host = await mapped;
  if (host === null) return null;
  const { workspaceId, source, publicUrl } = host;
  const origin = new URL(env.PUBLIC_URL || publicUrl).origin;
  const { pathname } = new URL(request.url);
  const claim = { workspaceId, source, path: pathname.slice(1), origin };
  try {
    const found = await findMigrated(request, env, claim);
    if (found === null || (await isOfPlatform(pathname, env.DB))) return null;
  } catch (error) {
    return await refuse(request, error);
  }
  return await answer(request, env, claim);
}

function claimOf(url: URL, { PUBLIC_URL }: MigratedEnv): Claim | null {
  const [, workspaceId = "", source = "", path = ""] = PATH.exec(url.pathname) ?? [];
  const kind = SOURCE_KINDS.find((one) => one === source);
  const id = workspaceId.toLowerCase();
  return kind === undefined || !isUuid(id) ? null : { workspaceId: id, source: kind, path, origin: PUBLIC_URL };
}

async function answer(request: Request, env: MigratedEnv, claim: Claim | null): Promise<Response> {
  const { method } = request;
  if (method === "OPTIONS") return preflight();
  try {
    if (method !== "GET" && method !== "HEAD") throw new Problem("method_not_allowed", "only GET, HEAD and OPTIONS");
    return await redirect(request, env, claim);
  } catch (error) {
    return await refuse(request, error);
  }
}

/** @throws {Problem} playback_not_found, too_many_requests */
async function redirect(request: Request, env: MigratedEnv, claim: Claim | null): Promise<Response> {
  const found = claim && (await findMigrated(request, env, claim));
  if (claim === null || found === null)
    throw new Problem("playback_not_found", "no video with this old address has been migrated");
  const url = new URL(request.url);
  const { resource } = found.reading;
  const origin = claim.origin === "" ? originFor(url, resource) : new URL(claim.origin).origin;
  const location = `${origin}${migratedTarget(resource, found.playbackId, url.searchParams)}`;
  return new Response(null, { status: 302, headers: { ...CORS, location, "cache-control": "public, max-age=60" } });
}

/** A person who opens an old address in a browser gets a page; players get JSON. */
async function refuse(request: Request, error: unknown): Promise<Response> {
  if (!(error instanceof Problem)) logError("migrated.failed", { ...errorFields(error) });
  const problem =
    error instanceof Problem
      ? error
      : (unmigratedProblem(error) ?? new Problem("internal", "something failed on our side"));
  const headers = problem.code === "method_not_allowed" ? { ...CORS, allow: "GET, HEAD, OPTIONS" } : CORS;
  return prefersHtml(request) ? await problemPage(request, problem, headers) : problemResponse(problem, headers);
}
