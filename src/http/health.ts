import { sql } from "drizzle-orm";
import { openDatabase } from "../database.ts";
import { encoderGateway } from "../encoding/gateway.ts";
import type { Env } from "../env.ts";

interface PartHealth {
  status: "up" | "down";
  tookMs: number;
  detail?: unknown;
}

const TIMEOUT_MS = 3000;

async function look(check: () => Promise<unknown>): Promise<PartHealth> {
  const startedAt = Date.now();
  const timeout = new Promise((_, reject) =>
    setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS),
  );
  try {
    const detail = await Promise.race([check(), timeout]);
    return { status: "up", tookMs: Date.now() - startedAt, ...(detail === undefined ? {} : { detail }) };
  } catch (error) {
    return {
      status: "down",
      tookMs: Date.now() - startedAt,
      detail: error instanceof Error ? error.message : String(error),
    };
  }
}

/** Asks each part that Sluice is made of; the queue by sending it a message that its consumer drops. */
export async function checkHealth(env: Env): Promise<{ status: "up" | "degraded"; parts: Record<string, PartHealth> }> {
  const [database, storage, queue, encoder] = await Promise.all([
    look(async () => void (await openDatabase(env.DB).run(sql`select 1`))),
    look(async () => void (await env.MEDIA.head("health"))),
    look(async () => void (await env.PURGES.send({ health: true }))),
    look(() => encoderGateway(env).health()),
  ]);
  const parts = { database, storage, queue, encoder };
  return { status: Object.values(parts).every((part) => part.status === "up") ? "up" : "degraded", parts };
}
