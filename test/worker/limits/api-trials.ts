/** Requests of the API, each at its bound and one above it. */
import { env } from "cloudflare:test";
import { gatewayCredential } from "../../../protocol/gateway-credential.ts";
import { sinceProblem } from "../../../src/events/webhooks/recover.ts";
import { TAKEN, type Trial, upTo } from "../../support/limits/trials.ts";
import { newWorkspace, send, type TestWorkspace, videoFrom } from "../workspace.ts";
import { at, newStream, settings } from "../live/live-helpers.ts";

let workspace: Promise<TestWorkspace> | undefined;
export const ours = () => (workspace ??= newWorkspace());

export const verdictOf = ({ ok, status }: Response) => (ok ? TAKEN : String(status));
const request = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  verdictOf(await (await ours()).request(method, path, body, headers));

const URL_OF_SOURCE = "https://cdn.test/a.mp4";
const media = (more: object, input: object = {}) =>
  request("POST", "/v1/on-demand", { ...videoFrom(URL_OF_SOURCE, input), ...more });
const webhook = (more: object) =>
  request("POST", "/v1/webhooks", { url: "https://hooks.test/x", skipVerification: true, enabled: false, ...more });
const stream = (more: object) => request("POST", "/v1/live/streams", settings(more));
const target = async (more: object) => {
  const body = { url: "rtmp://live.example.com/app", streamKey: "k", ...more };
  return await request("POST", at(await newStream(await ours()), "/simulcast"), body);
};
const text = (length: number) => "x".repeat(length);
const nested = (levels: number) => "[".repeat(levels) + "1" + "]".repeat(levels);
const urlOf = (length: number, start = "https://cdn.test/") => start + text(length - start.length);

/** What a body costs to walk, whoever sends it; members of ours come on top of `extra`. */
const bodies = <Prefix extends "api" | "callback">(
  prefix: Prefix,
  post: (body: string) => Promise<string>,
  lead: string,
  leadValues: number,
) => {
  const trials = {
    body: upTo((bytes) => post(`${lead}}`.padEnd(bytes))),
    depth: upTo((levels) => post(`${lead},"new":${nested(levels - 1)}}`)),
    values: upTo((values) => post(`${lead},"new":[${"1,".repeat(values - leadValues - 2)}1]}`)),
    key: upTo((length) => post(`${lead},"${text(length)}":1}`)),
  };
  const named = Object.entries(trials).map(([name, trial]) => [`${prefix}-${name}`, trial]);
  return Object.fromEntries(named) as Record<`${Prefix}-${keyof typeof trials}`, Trial>;
};
const register = async (body: string) =>
  verdictOf(
    await send(
      new Request("http://sluice.test/internal/ingest/register", {
        method: "POST",
        headers: { authorization: `Bearer ${gatewayCredential(env.ENCODER_SECRET, "gateway-1")}` },
        body,
      }),
    ),
  );
const OF_API = `{"inputs":[{"type":"video","url":"${URL_OF_SOURCE}"}],"accessPolicy":"public"`;
const OF_GATEWAY = `{"gatewayId":"gateway-1","startedAt":1,"rtmpUrl":null,"rtmpsUrl":null,"srtUrl":null,"httpUrl":null`;

/** For fields that take whole seconds. */
const upToSeconds =
  (probe: (seconds: number) => Promise<string>): Trial =>
  (bound) =>
    upTo(probe)(bound / 1000);

export const API_TRIALS = {
  ...bodies("api", (body) => request("POST", "/v1/on-demand", body), OF_API, 5),
  ...bodies("callback", register, OF_GATEWAY, 6),
  "source-url": upTo((length) => media(videoFrom(urlOf(length)))),
  "source-inputs": upTo((count) =>
    media({ inputs: Array.from({ length: count }, () => ({ type: "video", url: URL_OF_SOURCE })) }),
  ),
  "clip-start": upTo((ms) => media({}, { startTime: ms / 1000 })),
  "clip-end": upTo((ms) => media({}, { endTime: ms / 1000 })),
  title: upTo((length) => media({ title: text(length) })),
  "creator-id": upTo((length) => media({ creatorId: text(length) })),
  "metadata-pairs": upTo((count) =>
    media({ metadata: Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, "v"])) }),
  ),
  "metadata-key": upTo((length) => media({ metadata: { [text(length)]: "v" } })),
  "metadata-value": upTo((length) => media({ metadata: { k: text(length) } })),
  "idempotency-key": upTo((length) =>
    request("POST", "/v1/on-demand", videoFrom(URL_OF_SOURCE), { "idempotency-key": text(length) }),
  ),
  "page-size": upTo((limit) => request("GET", `/v1/on-demand?limit=${limit}`)),
  "page-number": upTo((offset) => request("GET", `/v1/on-demand?offset=${offset}`)),
  "cursor-page-size": upTo((limit) => request("GET", `/v1/events?limit=${limit}`)),
  "filter-object-id": upTo((length) => request("GET", `/v1/events?objectId=${text(length)}`)),
  "filter-resource-id": upTo((length) => request("GET", `/v1/request-logs?resourceId=${text(length)}`)),
  "webhook-url": upTo((length) => webhook({ url: urlOf(length) })),
  "webhook-description": upTo((length) => webhook({ description: text(length) })),
  "webhook-patterns": upTo((count) => webhook({ eventTypes: Array.from({ length: count }, () => "asset.*") })),
  webhooks: async (bound: number) => {
    const workspace = await newWorkspace();
    const answers: string[] = [];
    for (let n = 0; n <= bound; n++) {
      const body = { url: `https://hooks.test/${n}`, skipVerification: true, enabled: false };
      answers.push(verdictOf(await workspace.request("POST", "/v1/webhooks", body)));
    }
    const above = answers.pop()!;
    return { atBound: answers.find((answer) => answer !== TAKEN) ?? TAKEN, above };
  },
  "recover-since": upTo((ms) => (sinceProblem(new Date(0), new Date(ms)) === null ? TAKEN : "422")),
  "reconnect-window": upToSeconds((reconnectWindow) => stream({ reconnectWindow })),
  "max-duration": upToSeconds((maxDuration) => stream({ maxDuration })),
  "simulcast-url": upTo((length) => target({ url: urlOf(length, "rtmp://live.example.com/") })),
  "simulcast-key": upTo((length) => target({ streamKey: text(length) })),
  "simulcast-targets": async (bound: number) => {
    const workspace = await ours();
    const path = at(await newStream(workspace), "/simulcast");
    const body = { url: "rtmp://live.example.com/app", streamKey: "k" };
    const answers = await Promise.all(Array.from({ length: bound }, () => workspace.request("POST", path, body)));
    const above = verdictOf(await workspace.request("POST", path, body));
    return { atBound: answers.map(verdictOf).find((answer) => answer !== TAKEN) ?? TAKEN, above };
  },
};
