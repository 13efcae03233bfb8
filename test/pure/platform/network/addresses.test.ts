import { describe, expect, test } from "vitest";
import { addressLiteral, isClosedName, isPublicAddress } from "../../../../src/platform/network/addresses.ts";

/** Each string is a list of addresses of one kind. */
const CLOSED = [
  // First and last address of each special-purpose block of IPv4.
  `0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 127.0.0.1
    127.255.255.255 168.63.129.16 169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255
    192.0.0.0 192.0.0.192 192.0.0.255 192.0.2.0 192.0.2.255 192.88.99.0 192.88.99.255 192.168.0.0
    192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255
    100.100.100.200 224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.254 255.255.255.255`,
  // IPv6: unspecified, loopback, unique local, link-local, site-local, multicast, discard.
  `:: ::1 fc00:: fc00::1 fd00:ec2::254 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fe80:: fe80::1 febf::1 fec0::1
    feff::1 ff00:: ff02::1 ffff::1 100:: 100::1 100:0:0:1::1`,
  // Documentation, benchmarking, Teredo, ORCHID, 6to4, segment routing, not assigned.
  `2001:db8:: 2001:db8:ffff::1 3fff::1 3fff:fff::1 2001:2::1 2001::1 2001:0:4136:e378::1 2001:10::1
    2001:20::1 2001:1ff::1 2002::1 2002:7f00:1:: 2002:0808:0808::1 5f00::1 4000::1 1fff::1`,
  // IPv4 inside IPv6.
  `::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe ::ffff:0:0
    64:ff9b::127.0.0.1 64:ff9b::a00:1 64:ff9b::c0a8:101 64:ff9b:1::1 64:ff9b:1::808:808 ::127.0.0.1 ::8.8.8.8
    ::808:808 ::ffff:0:8.8.8.8 ::ffff:0:7f00:1`,
];

const NOT_ADDRESSES = [
  "",
  " ",
  "localhost",
  "1",
  "1.2.3",
  "1.2.3.4.5",
  "256.1.1.1",
  "1.2.3.256",
  "01.2.3.4",
  "0x7f.0.0.1",
  "1.2.3.4 ",
  "-1.2.3.4",
  ":",
  ":::",
  "1::2::3",
  "2606:4700",
  "2606:4700:::1",
  "2606:4700::g",
  "2606:4700::12345",
  "[2606:4700::1]",
  "1:2:3:4:5:6:7:8:9",
  "2606:4700::1%eth0",
  "2606:4700::1/64",
  "1:2:3:4:5:6:7::8:9",
  "2606::1.2.3",
  "2606::1.2.3.4:5",
  "1:2:3:4:5:6:7:1.2.3.4",
];

const OPEN = [
  // The neighbours of the special-purpose blocks.
  `1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15
    168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0
    192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255
    198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 8.8.8.8 1.1.1.1 104.16.132.229 151.101.1.69
    2606:4700::6810:84e5 2606:4700:4700::1111 2a00:1450:4001:80e::200e 2001:4860:4860::8888 2001:200::1
    2001:db7:ffff::1 2001:db9::1 2003::1 2400:cb00::1 3ffe:ffff::1 3fff:1000::1 2000::1
    2A00:1450:4001:80E::200E 2606:4700:0:0:0:0:6810:84e5 2606:4700::1.2.3.4 2606:1:2:3:4:5:6:: ::ffff:8.8.8.8
    ::ffff:808:808 64:ff9b::8.8.8.8 64:ff9b::808:808`,
];

const wordsOf = (lines: string[]) => lines.flatMap((line) => line.split(/\s+/));

test.each([...wordsOf(CLOSED), ...NOT_ADDRESSES])("%j is not public", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(wordsOf(OPEN))("%j is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test("no address of a special-purpose block of IPv4 is public", () => {
  const found: string[] = [];
  for (let step = 0; step < 256; step++) {
    for (const address of [
      `10.${step}.7.9`,
      `127.1.${step}.3`,
      `169.254.${step}.254`,
      `192.168.${step}.1`,
      `240.${step}.0.1`,
    ]) {
      if (isPublicAddress(address) || isPublicAddress(`::ffff:${address}`)) found.push(address);
    }
  }
  expect(found).toEqual([]);
});

describe("other notations of IPv4 are read as by the URL parser", () => {
  const spellings = [
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.1",
    "127.0.1",
    "127.0.0.1.",
    "%31%32%37.1",
  ];
  test.each([...spellings, "１２７.0.0.1", "0X7F.0.0.1", "127。0。0。1"])("%s is 127.0.0.1", (spelling) => {
    const literal = addressLiteral(new URL(`http://${spelling}/`).hostname);
    expect(literal).toBe("127.0.0.1");
  });
  test("IPv6 is in brackets, with its IPv4 part in hexadecimal", () => {
    expect(addressLiteral(new URL("http://[::ffff:127.0.0.1]/").hostname)).toBe("::ffff:7f00:1");
    expect(addressLiteral(new URL("http://[0:0:0:0:0:0:0:1]/").hostname)).toBe("::1");
  });
  test("a name is not an address", () => {
    expect(addressLiteral("cdn.example.com")).toBeNull();
    expect(addressLiteral("1.2.3.4.example.com")).toBeNull();
  });
});

test.each(
  wordsOf([
    "localhost LOCALHOST localhost. a.localhost printer.local a.b.local. local internal",
    "metadata.google.internal router.home.arpa",
  ]),
)("%s names this machine or its network", (name) => {
  expect(isClosedName(name)).toBe(true);
});

test.each(["example.com", "localhost.example.com", "notlocalhost", "mylocal", "internal.example.com", "thelocal.se"])(
  "%s does not name this machine",
  (name) => {
    expect(isClosedName(name)).toBe(false);
  },
);
