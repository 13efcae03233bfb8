import { z } from "@hono/zod-openapi";
import { MetadataRecord } from "../../records/fields.ts";
import { PlaybackIdRecord } from "../../records/playback-id.ts";
import { PushMediaSettings } from "../../records/push-media-settings.ts";
import { hinted } from "../../platform/http/hints/issue-hints.ts";
import { UploadSettings } from "./settings.ts";

const MAX_ORIGIN_LENGTH = 255;

/** The origin as browsers send it; null for text that is no origin. Pages of apps have a scheme of their own: `capacitor://localhost`. */
function originOf(text: string): string | null {
  if (text === "*") return text;
  if (!URL.canParse(text)) return null;
  const { protocol, host, pathname, search, hash, username, password } = new URL(text);
  const isBare = /^\/?$/.test(pathname) && search === "" && hash === "" && username === "" && password === "";
  const isOfPages = !/^(?:ftp|file|wss?):$/.test(protocol);
  return isOfPages && host !== "" && !host.includes("*") && isBare ? `${protocol}//${host}` : null;
}

const CorsOrigin = z
  .string()
  .max(MAX_ORIGIN_LENGTH)
  .refine(
    (text) => originOf(text) !== null,
    hinted("is invalid", "must be `*` or one origin without wildcards, for example `https://app.example.com`"),
  )
  .transform((text) => originOf(text) ?? text)
  .openapi({
    type: "string",
    description: "The origin whose pages may send the file, as browsers name it; `*` = any",
    example: "https://app.example.com",
  });

export const CreateUpload = z
  .object({
    corsOrigin: CorsOrigin,
    pushMediaSettings: UploadSettings.optional().openapi({ description: "Settings of the media" }),
  })
  .openapi("CreateUpload");
export type CreateUpload = z.infer<typeof CreateUpload>;

const { id: _, ...policy } = PlaybackIdRecord.shape;

const PushedSettings = z.object({
  ...PushMediaSettings.shape,
  maxResolution: PushMediaSettings.shape.maxResolution.unwrap(),
  playbackIds: z.array(z.object(policy)),
});

const uploadFields = <Status extends z.ZodType>(status: Status) => ({
  uploadId: z.uuid().openapi({ description: "Also the id of the media" }),
  id: z.uuid().openapi({ description: "The same, for the oldest clients" }),
  mediaId: z.uuid().openapi({ description: "The same, for the oldest clients" }),
  trial: z.boolean(),
  status,
  url: z.url().openapi({ description: "Takes the file. It is the only credential of the upload." }),
  timeout: z.int().openapi({ description: "Seconds for which an upload can begin at `url`" }),
  corsOrigin: z.string(),
  pushMediaSettings: PushedSettings,
});

export const UploadRecord = z.object(uploadFields(z.literal("waiting"))).openapi("Upload");

/** Not an extension of `UploadRecord`, whose only status the OpenAPI document would then require here too. */
export const UploadState = z
  .object({
    ...uploadFields(z.enum(["waiting", "complete", "cancelled", "expired"])),
    receivedBytes: z.int().openapi({ description: "Stored without a gap from the first byte" }),
    totalBytes: z.int().optional().openapi({ description: "Of the whole file, once a client has stated it" }),
  })
  .openapi("UploadState");

export const CancelledUpload = z
  .object({
    uploadId: z.uuid(),
    trial: z.boolean(),
    status: z.literal("cancelled"),
    url: z.url(),
    timeout: z.int(),
    corsOrigin: z.string(),
    maxResolution: z.string(),
    accessPolicy: z.string(),
    metadata: MetadataRecord,
    title: z.string().optional(),
    creatorId: z.string().optional(),
  })
  .openapi("CancelledUpload");
