import { sql } from "drizzle-orm";
import journal from "../migrations/meta/_journal.json" with { type: "json" };
import { isSecureUrl } from "../protocol/secure-url.ts";
import { problemsOfSecrets, variableProblems } from "./deployment-problems.ts";
import { BINDINGS } from "./platform/bindings.ts";
import { openDatabase } from "./platform/database.ts";
import type { Env } from "./platform/env.ts";
import { logWarning } from "./platform/log.ts";
import { isUnmigrated } from "./platform/runtime-errors.ts";

/** Whether a request was made on this machine, as under `wrangler dev`. Requests through Cloudflare never name a loopback host. */
export const isLocal = (url: string): boolean => url.startsWith("http:") && isSecureUrl(url);

/** What a bare `wrangler dev` lacks, in one line with the command that adds it; null = nothing. */
export async function missingSetup(env: Env): Promise<string | null> {
  const tables = await tableProblems(env);
  const secrets = Object.entries(problemsOfSecrets(env));
  const isAbsent = (name: string) => !Reflect.get(env, name);
  const missing = [...secrets.filter(([name]) => isAbsent(name)).map(([, problem]) => problem), ...tables.missing];
  // With containers enabled, which needs Docker, the encoder is there nevertheless.
  if (env.ENCODER_URL === "") missing.push("ENCODER_URL is empty, and without an encoder only standard sources play");
  const lacking = BINDINGS.filter((name) => !(name in env)).map((name) => `there is no binding ${name}`);
  const malformed = secrets.filter(([name]) => !isAbsent(name)).map(([, problem]) => problem);
  const wrong = [...lacking, ...malformed, ...variableProblems(env)];
  const parts = [
    missing.length > 0 &&
      `${missing.join("; ")}: "npm run dev" sets up secrets, tables and the encoder when it is started`,
    wrong.length > 0 && `${wrong.join("; ")}: correct it in wrangler.toml or .dev.vars`,
    tables.unknown.length > 0 &&
      `the database has ${tables.unknown.join(", ")}, which this copy lacks: use the branch that has it, or stop, and delete .wrangler/state and .dev.vars to begin anew (of npm start: .sluice/state)`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? null : parts.join("; ");
}

interface TableProblems {
  /** What the database lacks, in words. */
  missing: string[];
  /** Files of migrations that the database has and this build lacks. */
  unknown: string[];
}

async function tableProblems(env: Env): Promise<TableProblems> {
  try {
    await openDatabase(env.DB).run(sql`select 1 from workspaces limit 1`);
  } catch (error) {
    return { missing: isUnmigrated(error) ? ["the database's migrations have not been applied"] : [], unknown: [] };
  }
  return await migrationProblems(env);
}

/**
 * Compares the migrations of this build with those that wrangler's table lists. A query cannot show a missing column: SQLite reads an unknown
 * name in double quotes, which is how drizzle writes columns, as a text. Nothing is known of a database that was migrated in another way.
 */
async function migrationProblems(env: Env): Promise<TableProblems> {
  const applied = await env.DB.prepare("SELECT name FROM d1_migrations")
    .all<{ name: string }>()
    .catch(() => null);
  if (applied === null || applied.results.length === 0) return { missing: [], unknown: [] };
  const names = new Set(applied.results.map(({ name }) => `migrations/${name}`));
  const known = new Set(journal.entries.map(({ tag }) => `migrations/${tag}.sql`));
  const lacking = [...known].filter((name) => !names.has(name));
  return {
    missing: lacking.length === 0 ? [] : [`the database lacks ${lacking.join(", ")}`],
    unknown: [...names].filter((name) => !known.has(name)),
  };
}

/** Logs what is missing, at the first request of an isolate and only on this machine. */
export function createSetupReport() {
  let isFirst = true;
  return (request: Request, env: Env, ctx: Pick<ExecutionContext, "waitUntil">): void => {
    if (!isFirst) return;
    isFirst = false;
    if (!isLocal(request.url)) return;
    const report = async () => {
      const missing = await missingSetup(env);
      if (missing !== null) logWarning("setup.incomplete", { missing });
    };
    ctx.waitUntil(report());
  };
}
