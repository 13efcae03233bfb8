import { flag, integer, oneOf, repeatedText, text, type Values } from "../../terminal/command-line.ts";
import { SOURCE_KINDS } from "../sources.ts";

export const ACCESS_POLICIES = ["asSource", "public", "private"] as const;
export const RESOLUTIONS = ["2160p", "1440p", "1080p", "720p", "480p"] as const;
export const QUALITIES = ["standard", "pro", "premium"] as const;
export const MP4_SUPPORT = ["none", "capped_4k", "audioOnly", "audioOnly,capped_4k"] as const;
export const LIST_FORMATS = ["csv", "json", "ndjson"] as const;

/** More than a batch may have. */
const MOST = 500_000;

/** Everything that the command asks can be given, so that it runs without a terminal. */
export const OPTIONS = {
  source: oneOf("KIND", SOURCE_KINDS, `where the videos are: ${SOURCE_KINDS.join(", ")}`),

  credential: text("ID", "credentials of the source that the platform has (sluice import credentials)"),
  "credentials-file": text("FILE", "a JSON object with the fields of the source's credentials"),
  "no-credentials": flag("s3: the bucket is public"),
  "keep-credential": flag(
    "keeps new credentials after the batch, for a retry; else the platform deletes them when it ends",
  ),

  file: text("FILE", "list: a file of this machine, CSV, JSON or NDJSON"),
  url: text("URL", "list: where the platform fetches it"),
  format: oneOf("FORMAT", LIST_FORMATS, "list: csv, json or ndjson; default: what the name says"),
  bucket: text("NAME", "s3"),
  region: text("NAME", "s3 (us-east-1); R2 takes auto"),
  endpoint: text("URL", "s3: of another store than Amazon's"),
  prefix: text("TEXT", "s3: only keys that begin with it"),
  "path-style": flag("s3: the bucket is in the path, not in the host"),
  "requester-pays": flag("s3: your account pays for the transfer"),
  sandbox: flag("api_video: the key is one of the sandbox"),

  id: repeatedText("ID", "only this video of the source; may be repeated"),
  "created-after": text("TIME", "only videos created then or later: 2026-05-20, 2026-05-20T12:00:00Z or 30d"),
  "created-before": text("TIME", "only videos created before then"),
  limit: integer("N", [1, MOST], "only the first N videos of the source"),

  "access-policy": oneOf(
    "POLICY",
    ACCESS_POLICIES,
    "asSource (the default: what is not public stays private), public or private",
  ),
  "max-resolution": oneOf("LABEL", RESOLUTIONS, `the largest rendition: ${RESOLUTIONS.join(", ")} (1080p)`),
  quality: oneOf("NAME", QUALITIES, "standard (the default), pro or premium"),
  mp4: oneOf("KIND", MP4_SUPPORT, "files to download: none (the default), capped_4k, audioOnly or audioOnly,capped_4k"),
  "no-captions": flag("leaves captions out"),
  metadata: repeatedText(
    "FROM=TO",
    "takes this metadata of the source, under the name TO; may be repeated; default: all of it, as it is named",
  ),
  "no-metadata": flag("leaves the source's metadata out"),

  "status-url": text("URL", "gets the batch's events, as a webhook with a secret of its own"),
  "status-secret-file": text("FILE", "where that secret is written, readable only by you (sluice-import-ID.secret)"),

  "dry-run": flag("ends with the report; nothing is created until sluice import start ID"),
  yes: flag("starts after the dry run without a question, and asks for nothing that has a default"),
  detach: flag("returns after the start, without the live view"),
  json: flag("prints one JSON object per line"),
};

export type Given = Values<typeof OPTIONS>;
