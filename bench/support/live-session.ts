import { gatewayCredential } from "../../protocol/gateway-credential.ts";
import type { AuthorizeAnswer } from "../../protocol/live.ts";
import { FACTS } from "../../test/support/live-facts.ts";
import type { BenchHost } from "./bench-host.ts";

const GATEWAY = "bench";
const SEGMENTS = 8;
const PARTS = 4;
const PART_SECONDS = 0.5;
const HEARTBEAT_MS = 1000;

/** A broadcast on air without new media: its playlists do not change. */
export interface BenchSession {
  multivariantPath: string;
  playlistPath: string;
  stop(): void;
}

/** Sends a broadcast of 16 s as a gateway does, with placeholder bytes, and keeps it on air. */
export async function startBenchSession({ baseUrl, authorization, encoderSecret }: BenchHost): Promise<BenchSession> {
  const call = async (method: string, path: string, as: string, body: unknown) => {
    const headers = { authorization: as, "content-type": "application/json" };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const answer = await fetch(`${baseUrl}${path}`, { method, headers, body: text });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return await answer.text();
  };
  const created = await call("POST", "/v1/live/streams", authorization, {
    playbackSettings: { accessPolicy: "public" },
    inputMediaSettings: { enableRecording: false },
  });
  const { data } = JSON.parse(created) as { data: { streamKey: string; playbackIds: { id: string }[] } };
  const credential = `Bearer ${gatewayCredential(encoderSecret, GATEWAY)}`;
  const asked = { gatewayId: GATEWAY, protocol: "rtmp", streamKey: data.streamKey };
  const authorized = JSON.parse(await call("POST", "/internal/ingest/authorize", credential, asked)) as AuthorizeAnswer;
  if (!authorized.accepted) throw new Error(`refused: ${authorized.reason}`);
  const { sessionId, token } = authorized;
  const send = (method: string, path: string, body: unknown) =>
    call(method, `/internal/live/${sessionId}/${path}`, `Bearer ${token}`, body);
  await send("POST", "started", FACTS);
  for (const { name, timescale } of FACTS.renditions) {
    await send("PUT", `init/${name}/0`, "init");
    for (let index = 0; index < SEGMENTS * PARTS; index += 1) {
      const ticks = PART_SECONDS * timescale;
      const [msn, part] = [Math.floor(index / PARTS), index % PARTS];
      const facts = {
        ticks,
        at: index * ticks,
        independent: part === 0 ? 1 : 0,
        last: part === PARTS - 1 ? 1 : 0,
        capturedAt: Date.now(),
        discontinuity: 0,
        init: 0,
      };
      const query = new URLSearchParams(Object.entries(facts).map(([key, value]) => [key, String(value)]));
      await send("PUT", `parts/${name}/${msn}/${part}?${query}`, "part");
    }
  }
  const heartbeat = () =>
    send("POST", "heartbeat", { segments: SEGMENTS, droppedRungs: [], speed: 1, at: Date.now() }).then(() => undefined);
  await heartbeat();
  const timer = setInterval(() => void heartbeat().catch(() => undefined), HEARTBEAT_MS);
  const [{ id } = { id: "" }] = data.playbackIds;
  return {
    multivariantPath: `/${id}.m3u8`,
    playlistPath: `/${id}/${sessionId}/v720.m3u8`,
    stop: () => clearInterval(timer),
  };
}
