import type { z } from "@hono/zod-openapi";
import type { CreatedImport, CreateImport, ImportItem, ImportRecord } from "./batches/schemas.ts";
import type { ImportCredentialRecord } from "./credentials/schemas.ts";
import type { ImportHostRecord, PutImportHost } from "./hosts/schemas.ts";
import type { ImportListRecord } from "./lists/schemas.ts";
import type { ImportMapRow, ImportReport } from "./report/schemas.ts";

const BATCH_ID = "f3812d6b-a5c0-4e79-b216-48d7e09c5a1f";
const CREDENTIAL_ID = "6f0a3d95-41c8-4b7e-9d52-e8b17c60a2f4";
const STARTED_AT = "2026-05-20T09:12:40.025000Z";
const CHECKED_AT = "2026-05-20T09:10:02.512000Z";
const UPDATED_AT = "2026-05-20T10:31:07.481000Z";
const STATUS_URL = "https://app.example.com/hooks/migration";

const createImport: z.input<typeof CreateImport> = {
  source: { type: "mux" },
  credentialId: CREDENTIAL_ID,
  selection: { createdAfter: "2025-01-01T00:00:00Z" },
  settings: { accessPolicy: "asSource", metadata: { external_id: "sku" } },
  dryRun: true,
  statusUrl: STATUS_URL,
};
const settings: z.output<typeof ImportRecord>["settings"] = {
  accessPolicy: "asSource",
  maxResolution: "1080p",
  mediaQuality: "standard",
  mp4Support: "none",
  captions: true,
  metadata: { external_id: "sku" },
};
const scanning: z.output<typeof ImportRecord> = {
  id: BATCH_ID,
  status: "scanning",
  source: { type: "mux" },
  selection: { createdAfter: "2025-01-01T00:00:00Z" },
  settings,
  dryRun: true,
  credentialId: CREDENTIAL_ID,
  counts: { total: 0, pending: 0, submitted: 0, ready: 0, failed: 0, skipped: 0 },
  reportUrl: `https://video.example.com/v1/imports/${BATCH_ID}/report`,
  createdAt: STARTED_AT,
  updatedAt: STARTED_AT,
};
const createdImport: z.output<typeof CreatedImport> = {
  ...scanning,
  statusWebhook: {
    id: "2c95e7a0-d64b-4f38-a17c-83f5b0e2d94c",
    secret: "c2FtcGxlIHNlY3JldCwgdGhpcnR5LXR3byBieXRlcyE=",
  },
};
const running: z.output<typeof ImportRecord> = {
  ...scanning,
  status: "running",
  counts: { total: 120, pending: 40, submitted: 12, ready: 66, failed: 1, skipped: 1 },
  scanned: 120,
  preparedAtSource: 8,
  itemsPerMinute: 1.1,
  secondsLeft: 2840,
  startedAt: "2026-05-20T09:30:00.004000Z",
  updatedAt: UPDATED_AT,
};
const item: z.output<typeof ImportItem> = {
  sourceId: "x3Qm8Tn0rV1sBq00kC7zYw5dLh2e4u9",
  title: "Harbour at dawn",
  status: "ready",
  mediaId: "7a1e5c94-2f0b-4d68-8c33-91b6e4f7a205",
  playbackId: "c46f80d1-93a7-4e2b-b5d8-06f2a71c3e9b",
  oldPlaybackIds: ["p7Kd2hW9uE4cXo01aNfR6sTjZ8mBv3"],
  durationMs: 124_480,
  differences: [{ field: "metadata.notes", message: "cut to 255 characters" }],
  updatedAt: UPDATED_AT,
};
const mapRow: z.output<typeof ImportMapRow> = {
  sourceId: item.sourceId,
  oldPlaybackId: item.oldPlaybackIds[0]!,
  mediaId: item.mediaId!,
  playbackId: item.playbackId!,
  status: "ready",
  error: null,
};
const report: ImportReport = {
  import: running,
  found: {
    videos: 119,
    hours: 31.4,
    isHoursEstimated: false,
    sourceBytes: 84_600_000_000,
    isBytesEstimated: true,
    policies: { public: 97, private: 22 },
    resolutions: { "1080p": 104, "720p": 15 },
    captions: 61,
    captionsUnknown: 0,
    furtherAudioTracks: 3,
    withChapters: 0,
    playbackIds: 131,
    repeated: 0,
    alreadyImported: 1,
  },
  estimate: {
    onceUsd: 4.71,
    monthlyUsd: 1.38,
    storedBytes: 92_100_000_000,
    totalSeconds: 11_300,
    encodingSeconds: 11_300,
    sourceSeconds: 143,
  },
  missingPermissions: [],
  lost: [
    { what: "views and everything else of Mux Data" },
    { what: "metadata.notes: cut to 255 characters", videos: 4 },
  ],
  sampled: 50,
  obstacles: [],
  reasons: [
    {
      status: "failed",
      code: "video_gone",
      message: "The source has no such video any more.",
      items: 1,
      examples: ["d5Rw1yJ7oPq02mZkG3xVb8nTc9aLs6"],
    },
  ],
  differences: [{ field: "metadata.notes", message: "cut to 255 characters", items: 4, examples: [item.sourceId] }],
};

const credential: z.output<typeof ImportCredentialRecord> = {
  credentialId: CREDENTIAL_ID,
  source: "mux",
  name: "Mux, production",
  fields: ["tokenId", "tokenSecret"],
  ending: "9c41",
  keep: false,
  account: "e4h8k2",
  accountName: "Harbour Films / Production",
  lastCheck: { ok: true, missing: [], problem: null },
  checkedAt: CHECKED_AT,
  createdAt: "2026-05-20T09:09:51.120000Z",
};
const list: z.output<typeof ImportListRecord> = {
  listId: "b9d4e2f7-0a63-4c18-8e95-72f1c3a6d08b",
  format: "csv",
  rows: 1840,
  errors: [{ row: 17, message: "url: must be a URL" }],
  errorsTotal: 1,
  createdAt: STARTED_AT,
  usedAt: STARTED_AT,
};
const putHost: z.input<typeof PutImportHost> = { host: "videos.example.com", source: "mux" };
const host: z.output<typeof ImportHostRecord> = { ...putHost, createdAt: STARTED_AT };

/** Examples of the API document, by the names of their schemas. */
export const IMPORT_EXAMPLES: Record<string, unknown> = {
  CreateImport: createImport,
  CreatedImport: createdImport,
  Import: running,
  ImportItem: item,
  ImportMapRow: mapRow,
  ImportReport: report,
  StartImport: { exclude: [item.sourceId] },
  ResumeImport: { credentialId: CREDENTIAL_ID },
  RetryImport: { items: [item.sourceId] },
  CreateImportCredential: {
    source: "mux",
    name: credential.name,
    credentials: { tokenId: "3f6a1c52-8d0e-4b97-a1f3-5e27d8049c41", tokenSecret: "made-up-secret-of-the-token" },
  },
  CheckImportCredential: {},
  ImportCredential: credential,
  ImportList: list,
  PutImportHost: putHost,
  ImportHost: host,
};
