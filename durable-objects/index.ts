/** Every class of Durable Objects. The Worker exports all of them, and logs their unexpected errors. */
export { AssetMachine } from "./asset-machine.ts";
export { EncoderContainer } from "./encoder-container.ts";
export { ImageMaker } from "./image-maker.ts";
export { ImportBatch } from "./import-batch.ts";
export { LiveOrigin } from "./live-origin.ts";
export { LiveStreamMachine } from "./live-stream-machine.ts";
export { SearchIndex } from "./search-index.ts";
export { UploadMachine } from "./upload-machine.ts";
export { ViewMachine } from "./view-machine.ts";
export { ViewStore } from "./view-store.ts";
export { WebhookSender } from "./webhook-sender.ts";
