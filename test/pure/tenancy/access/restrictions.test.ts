import { describe, expect, test } from "vitest";
import {
  type AccessRestrictions,
  isDomainRule,
  OPEN_RESTRICTIONS,
  refusedFor,
  type Rules,
} from "../../../../src/tenancy/access/restrictions.ts";

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
const source = (origin: string | null, referer: string | null = null) => ({
  ownHost: "stream.sluice.test",
  origin,
  referer,
  userAgent: BROWSER,
});
const under = (domains: Partial<Rules>): AccessRestrictions => ({
  ...OPEN_RESTRICTIONS,
  domains: { defaultPolicy: "allow", allow: [], deny: [], ...domains },
});

const ALLOWED = under({ defaultPolicy: "deny", allow: ["example.com", "*.shop.example", "bücher.example"] });

describe("under the default policy deny", () => {
  test.each<[string, string | null, string | null, boolean]>([
    ["a listed site's script", "https://example.com", null, true],
    ["its other scheme and port", "http://example.com:8443", null, true],
    ["its name in capitals", "https://EXAMPLE.com", null, true],
    ["its name with a trailing dot", "https://example.com.", null, true],
    ["its image or media element, which sends Referer alone", null, "https://example.com/watch?v=1#t", true],
    ["an opaque origin with its Referer", "null", "https://example.com/page", true],
    ["a subdomain, which is not listed", "https://www.example.com", null, false],
    ["a site whose name ends alike", "https://notexample.com", null, false],
    ["a site whose name begins alike", "https://example.com.evil.test", null, false],
    ["a site with the name in its path", null, "https://evil.test/example.com", false],
    ["a site with the name as its user", null, "https://example.com@evil.test/", false],
    ["a subdomain under a wildcard", "https://www.shop.example", null, true],
    ["a deeper one", "https://a.b.shop.example", null, true],
    ["the wildcard's domain itself", "https://shop.example", null, false],
    ["a site whose name ends like the wildcard's", "https://myshop.example", null, false],
    ["an international name in Punycode, as browsers send it", "https://xn--bcher-kva.example", null, true],
    ["another site", "https://evil.test", null, false],
    ["another site that sends a listed Referer beside its Origin", "https://evil.test", "https://example.com/", false],
    ["a hotlink from another site", null, "https://evil.test/page", false],
    ["a request without both headers", null, null, false],
    ["an opaque origin without Referer", "null", null, false],
    ["a Referer that is no URL", null, "example.com", false],
    ["an Origin of another scheme", "chrome-extension://example.com", null, false],
    ["a page from a file", null, "file:///example.com", false],
    ["the platform's own page", null, "https://stream.sluice.test/player/x", true],
  ])("%s", (_name, origin, referer, isPermitted) => {
    expect(refusedFor(ALLOWED, source(origin, referer))).toBe(isPermitted ? null : "domain");
  });

  test("an international name may be listed in Punycode too, and `deny` does not matter", () => {
    const rules = under({ defaultPolicy: "deny", allow: ["xn--bcher-kva.example"], deny: ["xn--bcher-kva.example"] });
    expect(refusedFor(rules, source("https://xn--bcher-kva.example"))).toBeNull();
  });

  test("a listed name may have capitals and a trailing dot", () => {
    const rules = under({ defaultPolicy: "deny", allow: ["Example.COM.", "*.Shop.Example"] });
    for (const site of ["https://example.com", "https://www.shop.example"])
      expect(refusedFor(rules, source(site))).toBeNull();
  });
});

describe("under the default policy allow", () => {
  const rules = under({ allow: ["evil.test"], deny: ["evil.test", "*.evil.test"] });
  test.each<[string, string | null, string | null, boolean]>([
    ["any site", "https://example.com", null, true],
    ["a listed one", "https://evil.test", null, false],
    ["a hotlink from it", null, "http://evil.test:8080/page", false],
    ["its subdomain", "https://www.evil.test", null, false],
    ["an opaque origin with its Referer", "null", "https://evil.test/", false],
    ["a request without both headers", null, null, true],
    ["an opaque origin", "null", null, true],
  ])("%s", (_name, origin, referer, isPermitted) => {
    expect(refusedFor(rules, source(origin, referer))).toBe(isPermitted ? null : "domain");
  });
});

describe("user agents", () => {
  const by = (userAgents: Partial<Rules>): AccessRestrictions => ({
    ...OPEN_RESTRICTIONS,
    userAgents: { defaultPolicy: "allow", allow: [], deny: [], ...userAgents },
  });
  const from = (userAgent: string | null) => ({ ...source(null), userAgent });

  test.each<[string, Partial<Rules>, string | null, boolean]>([
    ["a part of a denied one", { deny: ["Chrome/156"] }, BROWSER, false],
    ["the same in other case", { deny: ["chrome/156"] }, BROWSER, false],
    ["another one", { deny: ["Scraper/"] }, BROWSER, true],
    ["none, when some are denied", { deny: ["Scraper/"] }, null, true],
    ["a part of an allowed one", { defaultPolicy: "deny", allow: ["AppleWebKit"] }, BROWSER, true],
    ["none, when some are allowed", { defaultPolicy: "deny", allow: ["AppleWebKit"] }, null, false],
    ["any, when none is allowed", { defaultPolicy: "deny" }, BROWSER, false],
  ])("%s", (_name, rules, userAgent, isPermitted) => {
    expect(refusedFor(by(rules), from(userAgent))).toBe(isPermitted ? null : "user agent");
  });

  test("both kinds of rules have to permit a request", () => {
    const both = { domains: ALLOWED.domains, userAgents: by({ deny: ["Chrome"] }).userAgents };
    expect(refusedFor(both, source("https://example.com"))).toBe("user agent");
    expect(refusedFor(both, source("https://evil.test"))).toBe("domain");
  });
});

describe("a rule names a domain", () => {
  test.each([
    "example.com",
    "*.example.com",
    "a.b.example.co.uk",
    "bücher.example",
    "192.0.2.1",
    "*.com",
    "example.com.",
  ])("%s does", (text) => expect(isDomainRule(text)).toBe(true));
  test.each([
    "",
    ".",
    "*",
    "*.",
    "localhost",
    "example.",
    "https://example.com",
    "example.com:443",
    "example.com/path",
    "user@example.com",
    "www.*.com",
    "**.example.com",
    ".example.com",
    "a b.com",
    "a,b.com",
    "exa%6dple.com",
    "example..com",
    "[::1]",
  ])("%j does not", (text) => expect(isDomainRule(text)).toBe(false));
});
