/** Which hosts may be mapped to migrated videos. */
import { expect, test } from "vitest";
import { readHostName, refusalOf } from "../../../src/imports/hosts/host-name.ts";

test.each([
  ["Videos.Example.COM", "videos.example.com"],
  ["videos.example.com.", "videos.example.com"],
  ["münchen.example.com", "xn--mnchen-3ya.example.com"],
  ["https://videos.example.com", null],
  ["videos.example.com:443", null],
  ["videos.example.com/x", null],
  ["user@videos.example.com", null],
  ["example", null],
  ["127.0.0.1", null],
  ["0x7f.1", null],
  ["[::1]", null],
  ["*.example.com", null],
  ["-a.example.com", null],
  [`${"a".repeat(64)}.example.com`, null],
  ["", null],
  [".", null],
])("%j is the host %j", (text, host) => {
  expect(readHostName(text)).toBe(host);
});

const OWN = {
  publicUrl: "https://api.sluice.example.com",
  requestHost: "other.example.org:8443",
  beaconDomain: "beacons.example.net",
};
const PLATFORM = "must not be a host that serves this platform";
test.each([
  ["videos.customer.test", null],
  ["stream.customer.test", null],
  ["sluice.example.com", null],
  ["api.sluice.example.com", PLATFORM],
  ["stream.sluice.example.com", PLATFORM],
  ["play.api.sluice.example.com", PLATFORM],
  ["other.example.org", PLATFORM],
  ["images.example.org", PLATFORM],
  ["beacons.example.net", PLATFORM],
  ["abc.beacons.example.net", PLATFORM],
  ["sluice.someone.workers.dev", "must not be a host of workers.dev"],
  ["printer.local", "must be a public name"],
  ["a.localhost", "must be a public name"],
  ["stream.mux.com", "must be a host of your own: a vendor's cannot be pointed to this platform"],
  ["customer-x.cloudflarestream.com", "must be a host of your own: a vendor's cannot be pointed to this platform"],
  ["notmux.com", null],
])("%s: %j", (host, refusal) => {
  expect(refusalOf(host, OWN)).toBe(refusal);
});
