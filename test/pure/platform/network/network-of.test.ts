import { expect, test } from "vitest";
import { networkOf } from "../../../../protocol/network-of.ts";

test.each([
  ["2001:db8:1:2::1", "2001:db8:1:2"],
  ["2001:0DB8:1:2:ffff:0:0:9", "2001:db8:1:2"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  ["::", "0:0:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
  ["::ffff:198.51.100.7", "198.51.100.7"],
  ["198.51.100.7", "198.51.100.7"],
  ["", ""],
  ["none", "none"],
])("%s counts as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
