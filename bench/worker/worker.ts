/** The product and its yardsticks in one Worker, so that both are measured alternately in the same workerd. */
import { Hono } from "hono";
import type { Env } from "../../src/platform/env.ts";
import worker from "../../src/worker.ts";
import { bareCreation, bareTakeOver } from "./bare-creation.ts";
import { storeBare } from "./bare-view.ts";
import { seedImage, seedPrivate, seedReadyAsset } from "./seed.ts";
import { seedWorkspace } from "./seed-workspace.ts";
import type { Filling } from "./filling.ts";
import type { CaptionFilling } from "./caption-filling.ts";
import { fillCaptions } from "./captions.ts";
import { askedOf, fillViews, withViewStream } from "./views.ts";
import { consumeBare, webhookBench } from "./webhooks.ts";

export * from "../../src/worker.ts";
export { MeasuredViewMachine as ViewMachine } from "./bare-view.ts";
export { FillableSearchIndex as SearchIndex } from "./captions.ts";
export { FillableViewStore as ViewStore } from "./views.ts";

const bare = new Hono<{ Bindings: Env }>().basePath("/bare");
bare.onError((error, c) => c.text(String(error), 500));

/** `?languages=` of its subtitles. */
bare.post("/seed", async (c) => c.json(await seedReadyAsset(c.env, Number(c.req.query("languages") ?? 0))));
bare.post("/seed-image", async (c) => c.json(await seedImage(c.env)));
/** The same with a private playback ID beside the public one. The body is the public half of its signing key. */
bare.post("/seed-private", async (c) => c.json(await seedPrivate(c.env, await c.req.text())));
bare.post("/workspace/:assets", async (c) => c.json(await seedWorkspace(c.env, Number(c.req.param("assets")))));

const texts = new Map<number, string>();
/** Lower bound of a playlist's cost: a text of its size. */
bare.get("/text/:bytes", (c) => {
  const bytes = Number(c.req.param("bytes"));
  let text = texts.get(bytes);
  if (text === undefined) texts.set(bytes, (text = "#".repeat(bytes)));
  return c.body(text, 200, { "content-type": "application/vnd.apple.mpegurl" });
});

/** Lower bound of a segment's cost: one read from R2. */
bare.get("/object/:key{.+}", async (c) => {
  const object = await c.env.MEDIA.get(c.req.param("key"));
  if (object === null) return c.notFound();
  return c.body(object.body, 200, { "content-type": "video/mp4", "content-length": String(object.size) });
});

/** Lower bound of an uploaded chunk's cost: its bytes go to R2, and nothing is recorded. */
bare.put("/pipe/:chunk", async (c) => {
  await c.env.MEDIA.put(`bare/${c.req.param("chunk")}`, c.req.raw.body);
  return c.body(null, 200);
});

/** Lower bound of a creation's cost: reading the body, writing the rows, answering; later the machine's change. */
bare.post("/creation", async (c) => {
  const { assetId, answer } = await bareCreation(c.env.DB, await c.req.json());
  if (c.req.query("taken-over") !== undefined) c.executionCtx.waitUntil(bareTakeOver(c.env.DB, assetId));
  return c.body(answer, 201, { "content-type": "application/json" });
});

bare.post("/views", async (c) => c.json(await fillViews(c.env, await c.req.json<Filling>())));
bare.post("/captions", async (c) => c.json(await fillCaptions(c.env, await c.req.json<CaptionFilling>())));
bare.get("/asked/:workspaceId", async (c) => c.json(await askedOf(c.env, c.req.param("workspaceId"))));
const selectState = "SELECT view_store AS state, view_store_progress AS progress FROM workspaces WHERE id = ?";
bare.get("/view-store/:workspaceId", async (c) =>
  c.json(await c.env.DB.prepare(selectState).bind(c.req.param("workspaceId")).first()),
);
/** What `npm run data:move` does. */
bare.post("/view-store/:workspaceId", async (c) => {
  const update = c.env.DB.prepare("UPDATE workspaces SET view_store = ? WHERE id = ?");
  await update.bind(await c.req.text(), c.req.param("workspaceId")).run();
  return c.body(null, 204);
});
/** Lower bound of a beacon's cost: its body is read and dropped. */
bare.post("/beacon", async (c) => {
  await c.req.arrayBuffer();
  return c.body(null, 200);
});

/** Lower bound of a view that has an object of its own: the object inserts the body and answers. */
bare.post("/beacon/:object", async (c) => {
  await storeBare(c.env, c.req.param("object"), await c.req.text());
  return c.body(null, 200);
});

bare.route("/webhooks", webhookBench);

/** Machines that are never started, so that only the request is measured. */
const idleMachines = {
  idFromName: (name: string) => name,
  get: () => ({ fetch: () => Promise.resolve(Response.json(null)) }),
} as unknown as Env["ASSET_MACHINE"];
/** Miniflare's rate limiter writes to a database at each request. Cloudflare's counts in memory. */
const unlimited = { limit: () => Promise.resolve({ success: true }) };
const noRateLimit = {
  API_REQUESTS: unlimited,
  BEACONS: unlimited,
  BEACONS_OF_WORKSPACE: unlimited,
  BEACONS_IN_ALL: unlimited,
  NEW_VIEWS: unlimited,
  NEW_VIEWS_OF_WORKSPACE: unlimited,
  NEW_VIEWS_IN_ALL: unlimited,
  UNKNOWN_IDS: unlimited,
};
let withMachines: Env | undefined;
let withoutMachines: Env | undefined;

export default {
  ...worker,
  async queue(batch, env) {
    if (!(await consumeBare(batch))) await worker.queue(batch, env);
  },
  scheduled: (controller, env) => worker.scheduled(controller, withViewStream(env)),
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname.startsWith("/bare/")) return bare.fetch(request, env, ctx);
    withMachines ??= { ...withViewStream(env), ...noRateLimit };
    if (!request.headers.has("x-without-machines")) return worker.fetch(request, withMachines, ctx);
    withoutMachines ??= { ...withMachines, ASSET_MACHINE: idleMachines };
    return worker.fetch(request, withoutMachines, ctx);
  },
} satisfies ExportedHandler<Env>;
