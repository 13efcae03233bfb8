import { toHex } from "../../protocol/hex.ts";

/** Fields with prose, which do not affect types. */
const TEXTS = new Set(["description", "summary", "example", "examples", "tags", "contact", "servers"]);

/** The parts of an OpenAPI document that types are generated from. `inside` = the keys are names of fields, not of the specification. */
function structureOf(value: unknown, inside = false): unknown {
  if (Array.isArray(value)) return value.map((one) => structureOf(one));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => inside || !TEXTS.has(key));
  return Object.fromEntries(kept.map(([key, one]) => [key, structureOf(one, key === "properties" && !inside)]));
}

/** The document without prose and webhooks, and the digest that identifies stale types. */
export async function typedStructure(document: object): Promise<{ json: string; digest: string }> {
  const { webhooks: _, ...rest } = structureOf(document) as Record<string, unknown>;
  const json = JSON.stringify(rest);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(json));
  return { json, digest: toHex(new Uint8Array(digest)) };
}
