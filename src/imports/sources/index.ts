/** Every source of migrations. */
import { z } from "@hono/zod-openapi";
import { apiVideoSource } from "./api-video.ts";
import { cloudflareStreamSource } from "./cloudflare-stream.ts";
import type { SourceDefinition } from "./definition.ts";
import { ListOptions, listSource } from "./list.ts";
import { muxSource } from "./mux.ts";
import { s3Source } from "./s3.ts";
import type { SourceKind } from "./source.ts";
import { vimeoSource } from "./vimeo.ts";

/** By their kinds. What a source takes is checked by its own schemas before it is opened. */
export const SOURCES = {
  list: listSource,
  s3: s3Source,
  mux: muxSource,
  cloudflare_stream: cloudflareStreamSource,
  api_video: apiVideoSource,
  vimeo: vimeoSource,
} as unknown as Record<SourceKind, SourceDefinition>;

const fieldsOf = ({ options }: SourceDefinition) => (options as z.ZodObject).shape;

const platform = <Kind extends SourceKind>(kind: Kind, title: string) =>
  z.strictObject({ type: z.literal(kind), ...fieldsOf(SOURCES[kind]) }).openapi(title);

/** `source` of `POST /v1/imports`: a kind, and what it needs besides credentials. */
export const SourceBody = z
  .discriminatedUnion("type", [
    ListOptions.safeExtend({ type: z.literal("list") }).openapi("ImportFromList"),
    platform("s3", "ImportFromS3"),
    platform("mux", "ImportFromMux"),
    platform("cloudflare_stream", "ImportFromCloudflareStream"),
    platform("api_video", "ImportFromApiVideo"),
    platform("vimeo", "ImportFromVimeo"),
  ])
  .openapi("ImportSource");
