/** The queues that the Worker consumes, as `wrangler.toml` names them without the name of the installation: `sluice-purges`. */
export const CONSUMED_QUEUES = ["purges", "clips", "webhook-deliveries", "webhook-deliveries-dead"] as const;

/** What the code uses of `wrangler.toml` apart from variables and secrets. Without one of them, `env.NAME` fails where it is first used. */
export const BINDINGS: readonly string[] = [
  "ASSETS",
  "DB",
  "MEDIA",
  "PURGES",
  "DELIVERIES",
  "CLIPS",
  "AUTH_FAILURES",
  "API_REQUESTS",
  "BEACONS",
  "BEACONS_OF_WORKSPACE",
  "BEACONS_IN_ALL",
  "NEW_VIEWS",
  "NEW_VIEWS_OF_WORKSPACE",
  "NEW_VIEWS_IN_ALL",
  "UNKNOWN_IDS",
  "ASSET_MACHINE",
  "ENCODER",
  "WEBHOOK_SENDER",
  "LIVE_ORIGIN",
  "LIVE_STREAM_MACHINE",
  "UPLOAD_MACHINE",
  "VIEW_MACHINE",
  "VIEW_STORE",
  "IMAGE_MAKER",
  "SEARCH_INDEX",
  "IMPORT_BATCH",
];
