import { z } from "@hono/zod-openapi";
import { toTimestamp } from "../../platform/timestamp.ts";
import { Timestamp } from "../../records/fields.ts";
import { SOURCE_KINDS } from "../sources/source.ts";
import type { ImportHost } from "./repository.ts";

const host = z.string().min(1).max(253).openapi({ example: "videos.example.com" });
const source = z.enum(SOURCE_KINDS).openapi({ description: "Whose layout the addresses of this host have" });

export const PutImportHost = z.strictObject({ host, source }).openapi("PutImportHost");

export const ImportHostRecord = z.object({ host, source, createdAt: Timestamp }).openapi("ImportHost");

export const toHostRecord = ({ host, source, createdAt }: ImportHost): z.output<typeof ImportHostRecord> => ({
  host,
  source,
  createdAt: toTimestamp(createdAt),
});
