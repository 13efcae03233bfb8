/** One Worker behind the hosts of the owner's domain. */
import { beforeAll, expect, test } from "vitest";
import { addRung, newAsset } from "./playback/playable.ts";
import { type ErrorBody, newWorkspace, send, type TestWorkspace } from "./workspace.ts";

let workspace: TestWorkspace;
let id: string;
beforeAll(async () => {
  workspace = await newWorkspace();
  const asset = await newAsset({ status: "ready" });
  await addRung(asset.assetId);
  id = asset.playbackId;
});

const ask = (host: string, path: string, headers: Record<string, string> = {}, method = "GET") =>
  send(
    new Request(`https://${host}.example.com${path}`, {
      method,
      headers: { authorization: workspace.authorization, ...headers },
    }),
  );

test("each host serves what published clients request there, and answers 404 for the rest", async () => {
  const paths = ["/v1/on-demand", `/${id}.m3u8`, `/${id}/v720/0.m4s`, `/?playbackId=${id}`, "/ingest/key"];
  const found = async (host: string) => {
    const statuses = await Promise.all(paths.map(async (path) => (await ask(host, path)).status));
    return paths.filter((_, n) => statuses[n] === 200);
  };
  expect(await found("api")).toEqual(paths.slice(0, 1));
  expect(await found("stream")).toEqual(paths.slice(1, 3));
  expect(await found("play")).toEqual(paths.slice(1, 4));
  expect(await found("images")).toEqual([]);
  const push = async (host: string) => (await ask(host, "/ingest/key", {}, "POST")).status;
  expect([await push("live"), await push("api")]).toEqual([401, 404]); // the key is of no stream
});

test("the 404 is JSON for programs and a page for people", async () => {
  const program = await ask("stream", "/v1/on-demand");
  expect([program.status, (await program.json<ErrorBody>()).error.description]).toEqual([
    404,
    "this host does not serve this address",
  ]);
  const person = await ask("stream", "/v1/reference", { accept: "text/html" });
  expect([person.status, await person.text()]).toEqual([404, expect.stringContaining("This page does not exist")]);
});
