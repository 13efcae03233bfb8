import { expect, test } from "vitest";
import { isPublicAddress } from "../../encoder/gateway/simulcast/dial.ts";
import type { FlvTag } from "../../encoder/gateway/simulcast/flv-tags.ts";
import { TagQueue } from "../../encoder/gateway/simulcast/tag-queue.ts";
import { destinationOf, reportOf, retryAfterMs } from "../../encoder/gateway/simulcast/target.ts";
import { TargetState } from "../../protocol/live.ts";
import * as rule from "../../src/platform/network/addresses.ts";

test("encoder and Worker have the same rule for public addresses", () => {
  const words = `0.1.2.3 1.1.1.1 9.255.255.255 10.0.0.1 11.0.0.0 100.63.255.255 100.64.0.1 100.128.0.0 127.0.0.1 128.0.0.1 168.63.129.16
    168.63.129.17 169.254.169.254 172.15.0.1 172.16.0.1 172.31.255.255 172.32.0.0 192.0.0.8 192.0.1.0 192.0.2.1 192.88.99.1 192.167.1.1
    192.168.0.1 198.17.0.1 198.18.0.1 198.19.9.9 198.20.0.1 198.51.100.7 203.0.113.9 203.0.114.1 223.255.255.255 224.0.0.1 240.0.0.1
    255.255.255.255 :: ::1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 64:ff9b::10.0.0.1 64:ff9b::8.8.8.8 100::1 fc00::1 fe80::1 ff02::1
    2000::1 2001::1 2001:1ff::1 2001:200::1 2001:db8::1 2001:db9::1 2002::1 2003::1 2606:4700::1111 3ffe::1 3fff::1 3fff:fff::1 3fff:1000::1
    4000::1 8000::1 nonsense`;
  const addresses = words.split(/\s+/);
  const verdicts = (judge: (address: string) => boolean) => addresses.filter((address) => judge(address));
  expect(verdicts(isPublicAddress)).toEqual(verdicts(rule.isPublicAddress));
  expect(verdicts(isPublicAddress)).toContain("2606:4700::1111");
});

test("a target's URL is parsed into application and port, with the protocol's default port", () => {
  expect(destinationOf("rtmps://a.example.com/app/inner?x=1")).toEqual({
    host: "a.example.com",
    port: 443,
    isSecure: true,
    app: "app/inner?x=1",
    tcUrl: "rtmps://a.example.com/app/inner?x=1",
  });
  expect(destinationOf("rtmp://a.example.com:80/live/")).toMatchObject({ port: 80, app: "live" });
  expect(destinationOf("rtmp://[2606:4700::1]/live")).toMatchObject({ host: "2606:4700::1", port: 1935 });
  const without = [
    "rtmp://a.example.com",
    "rtmp://a.example.com/",
    "rtmps://a.example.com//",
    "rtmp://a.example.com/?x=1",
  ];
  for (const bad of ["http://a.example.com/live", "live", ...without]) expect(destinationOf(bad)).toBeNull();
});

test("each state is reported to the Worker, with the reason of a failure, within the accepted length", () => {
  const failure = { reason: "unreachable", detail: "x".repeat(1000) } as const;
  const reports = [
    reportOf("connecting"),
    reportOf("active"),
    reportOf("disconnected", { reason: "lost", detail: "" }),
    reportOf("failed", failure),
    reportOf("idle"),
  ];
  expect(reports.map(({ state }) => state)).toEqual(["starting", "broadcasting", "failed", "failed", "ended"]);
  for (const report of reports)
    expect(() => TargetState.parse({ eventId: crypto.randomUUID(), simulcastId: "t", at: 0, ...report })).not.toThrow();
});

test("retries start after 1 s and double up to 30 s", () => {
  expect([1, 2, 3, 5, 6, 50].map(retryAfterMs)).toEqual([1000, 2000, 4000, 16_000, 30_000, 30_000]);
});

const tag = (name: string): FlvTag => ({
  type: name.startsWith("a") ? 8 : 9,
  timestampMs: 0,
  data: Buffer.from(name.padEnd(10)),
  isHeader: name.includes("H"),
  isKeyFrame: name.includes("K"),
});
async function passed(names: string, hasPicture = true, maxBytes = 60): Promise<{ passed: string; dropped: number }> {
  const queue = new TagQueue(maxBytes, hasPicture);
  for (const name of names.split(" ")) queue.push(tag(name));
  queue.end();
  const out: string[] = [];
  for (let next = await queue.next(); next !== null; next = await queue.next()) out.push(next.data.toString().trim());
  return { passed: out.join(" "), dropped: queue.dropped };
}

test("a target gets the broadcast from a key frame on; for a slow one whole groups of pictures are dropped, never headers", async () => {
  expect(await passed("vH aH a1 v1 vK2 a2 v3")).toEqual({ passed: "vH aH vK2 a2 v3", dropped: 2 });
  expect(await passed("vH vK1 a1 v1 vK2 a2 v2 vK3 a3")).toEqual({ passed: "vH vK2 a2 v2 vK3 a3", dropped: 3 });
  expect(await passed("vK1 v1 v2 v3 v4 v5 v6 v7 vK8 v8")).toEqual({ passed: "vK8 v8", dropped: 8 });
  expect(await passed("aH a1 a2 a3 a4 a5 a6", false)).toEqual({ passed: "aH a2 a3 a4 a5 a6", dropped: 1 });
});
