import { consumePurges, sweepAssets } from "./assets/index.ts";
import type { Env } from "./env.ts";
import { createApp } from "./http/app.ts";

export { AssetMachine } from "../durable-objects/asset-machine.ts";
export { EncoderContainer } from "../durable-objects/encoder-container.ts";
export { PlaybackOrigin } from "./playback/index.ts";

const app = createApp();

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
  queue: (batch, env) => consumePurges(env, batch),
  scheduled: (controller, env) => sweepAssets(env, new Date(controller.scheduledTime)),
} satisfies ExportedHandler<Env>;
