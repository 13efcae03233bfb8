import { z } from "@hono/zod-openapi";
import { recordOf } from "../../platform/http/record.ts";
import { line } from "../../platform/http/fields.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import { Timestamp } from "../../records/fields.ts";
import { ITEM_ERRORS, type ItemErrorCode, SOURCE_KINDS, type SourceKind } from "../sources/source.ts";
import type { Definitions } from "./definitions.ts";
import type { ImportCredential } from "./repository.ts";

const name = line(255).min(1).optional().openapi({ description: "For you to know it by" });
const keep = z
  .boolean()
  .default(false)
  .openapi({ description: "false: it is deleted when the batch that uses it ends" });

/** The body of a creation: for each source that has credentials, their fields. */
export function createCredentialBody(definitions: Definitions) {
  const bodies = SOURCE_KINDS.flatMap((kind) => {
    const { credentials } = definitions[kind];
    return credentials === null ? [] : [z.strictObject({ source: z.literal(kind), name, credentials, keep })];
  });
  const [first, ...others] = bodies;
  if (first === undefined) throw new Error("no source has credentials");
  return z.discriminatedUnion("source", [first, ...others]).openapi("CreateImportCredential");
}

export interface CreateCredential {
  source: SourceKind;
  name?: string | undefined;
  credentials: unknown;
  keep: boolean;
}

/** The body of a check. */
export const CheckCredential = z
  .strictObject({
    options: z
      .record(z.string(), z.unknown())
      .default({})
      .openapi({ description: "The fields of `source` of a batch besides `type`, such as the bucket of S3" }),
  })
  .openapi("CheckImportCredential");

const Problem = z.object({ code: z.enum(Object.keys(ITEM_ERRORS) as [ItemErrorCode]), message: z.string() });

const Check = z
  .object({
    ok: z.boolean().openapi({ description: "The source answered, and everything that a migration needs is permitted" }),
    missing: z
      .array(z.object({ permission: z.string(), message: z.string(), isRequired: z.boolean() }))
      .openapi({ description: "What the credentials may not do, and what does not work for that" }),
    problem: Problem.nullable().openapi({
      description: "Why the source refused, or could not be asked; null = it answered",
    }),
  })
  .openapi("ImportCredentialCheck");

export const ImportCredentialRecord = z
  .object({
    credentialId: z.uuid(),
    source: z.enum(SOURCE_KINDS),
    name: z.string().optional(),
    fields: z
      .array(z.string())
      .openapi({ description: "Names of the fields that are set. Their values are not shown" }),
    ending: z
      .string()
      .optional()
      .openapi({ description: "The last 4 characters of the field that is an id and no secret" }),
    keep: z.boolean(),
    account: z
      .string()
      .optional()
      .openapi({ description: "The account at the source, from the last check that it answered" }),
    accountName: z.string().optional(),
    lastCheck: Check.optional(),
    checkedAt: Timestamp.optional(),
    createdAt: Timestamp,
  })
  .openapi("ImportCredential");

export const toCredentialRecord = (row: ImportCredential): z.output<typeof ImportCredentialRecord> =>
  recordOf<z.output<typeof ImportCredentialRecord>>({
    credentialId: row.id,
    source: row.source,
    name: row.name,
    fields: row.fields,
    ending: row.ending,
    keep: row.keep,
    account: row.account,
    accountName: row.accountName,
    lastCheck: row.lastCheck,
    checkedAt: row.checkedAt && toTimestamp(row.checkedAt),
    createdAt: toTimestamp(row.createdAt),
  });
