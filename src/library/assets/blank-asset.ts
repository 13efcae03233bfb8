import type { Asset } from "./repository.ts";

/** The columns that are unset when an asset is created. Its machine, or the end of a broadcast, fills them. */
export const BLANK_ASSET = {
  title: null,
  creatorId: null,
  metadata: {},
  streamId: null,
  clipStartMs: 0,
  clipEndMs: null,
  sourceAssetId: null,
  status: "processing",
  stage: "created",
  progress: null,
  containerFormat: null,
  durationMs: null,
  widthPx: null,
  heightPx: null,
  frameRate: null,
  errorCode: null,
  errorMessage: null,
  errorFault: null,
  mp4Support: null,
  sourceAccess: false,
  revision: 0,
  startedAt: null,
  deletedAt: null,
  purgedAt: null,
} satisfies Partial<Asset>;
