import Mux, { AuthenticationError, NotFoundError, PermissionDeniedError, RateLimitError } from "@mux/mux-node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MUX_READ_TOKEN, MUX_TOKEN, startMuxStandIn, type MuxStandIn } from "../../../support/imports/mux-stand-in.ts";
import { CLIP, CLIP_BYTES } from "../suite-kit.ts";

let standIn: MuxStandIn;
const clientOf = (token: typeof MUX_TOKEN) => new Mux({ ...token, baseURL: standIn.url, maxRetries: 0 });

beforeEach(async () => {
  standIn = await startMuxStandIn({ pageSize: 5 });
});
afterEach(() => standIn.close());

test("@mux/mux-node lists every asset of the stand-in by its own pagination", async () => {
  const ids = standIn.addMany(13, CLIP);
  const listed: string[] = [];
  for await (const asset of clientOf(MUX_TOKEN).video.assets.list({ limit: 100 })) listed.push(asset.id);
  expect(listed.toSorted()).toEqual(ids.toSorted());
});

test("@mux/mux-node reads an asset and who the token is", async () => {
  const [id = ""] = standIn.addMany(1, CLIP, () => ({ title: "A film", creatorId: "c-1" }));
  const client = clientOf(MUX_TOKEN);
  expect(await client.video.assets.retrieve(id)).toMatchObject({
    id,
    status: "ready",
    meta: { title: "A film", creator_id: "c-1" },
  });
  expect((await client.system.utilities.whoami()).permissions).toContain("video:write");
});

test("@mux/mux-node switches master access on, waits for the file, and switches it off", async () => {
  const [id = ""] = standIn.addMany(1, CLIP);
  const { assets } = clientOf(MUX_TOKEN).video;
  expect((await assets.updateMasterAccess(id, { master_access: "temporary" })).master?.status).toBe("preparing");
  let asset = await assets.retrieve(id);
  while (asset.master?.status !== "ready") asset = await assets.retrieve(id);
  const url = asset.master.url ?? "";
  expect(new Uint8Array(await (await fetch(url)).arrayBuffer())).toEqual(CLIP_BYTES);

  expect((await assets.updateMasterAccess(id, { master_access: "none" })).master).toBeUndefined();
  expect((await fetch(url)).status).toBe(403);
});

test("@mux/mux-node meets its own errors", async () => {
  await expect(clientOf(MUX_TOKEN).video.assets.retrieve("unknown")).rejects.toBeInstanceOf(NotFoundError);
  await expect(clientOf({ ...MUX_TOKEN, tokenSecret: "wrong" }).system.utilities.whoami()).rejects.toBeInstanceOf(
    AuthenticationError,
  );
  const [id = ""] = standIn.addMany(1, CLIP);
  const denied = clientOf(MUX_READ_TOKEN).video.assets.updateMasterAccess(id, { master_access: "temporary" });
  await expect(denied).rejects.toBeInstanceOf(PermissionDeniedError);
  standIn.plant({ kind: "rateLimited", retryAfterSeconds: 30 });
  const hasty: unknown = await clientOf(MUX_TOKEN)
    .video.assets.retrieve(id)
    .catch((error: unknown) => error);
  expect(hasty).toBeInstanceOf(RateLimitError);
  expect((hasty as RateLimitError).headers.get("retry-after")).toBe("30");
});
