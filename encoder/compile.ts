/** Fills Node's compile cache (`NODE_COMPILE_CACHE`) with the modules of services and media processes. Run by the image's build. */
import { flushCompileCache } from "node:module";

// The modules that the entry points load. The entry points themselves would start services.
await Promise.all([
  import("./http.ts"),
  import("./jobs/job-queue.ts"),
  import("./gateway/reception/push-service.ts"),
  import("./gateway/reception/reception.ts"),
  import("./images/image-pool.ts"),
  import("./images/make-image.ts"),
  import("./media/captions.ts"),
  import("./media/chunk.ts"),
  import("./media/facts.ts"),
  import("./media/sound.ts"),
  import("@tensorflow/tfjs-backend-wasm"),
  import("./moderation/classifier.ts"),
  import("./moderation/look-through.ts"),
  import("./live/broadcast.ts"),
]);
flushCompileCache();
