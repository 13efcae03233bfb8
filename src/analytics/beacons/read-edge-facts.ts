import { parse, type Parser } from "bowser";
import { memoise } from "../../platform/memoise.ts";
import type { EdgeFacts } from "../views/edge-facts.ts";

const MAX_USER_AGENT_LENGTH = 512;
const MAX_DEVICES = 1000;
/** Spelled as in records of the contract. */
const OS_NAMES: ReadonlyMap<string, string> = new Map([["macOS", "MacOS"]]);
const DEVICE_TYPES: ReadonlyMap<string, string> = new Map([
  ["desktop", "Desktop"],
  ["mobile", "Mobile"],
  ["tablet", "Tablet"],
  ["tv", "TV"],
]);

/** @param cf `request.cf` */
export function edgeFactsOf(headers: Headers, cf: Partial<IncomingRequestCfProperties> | undefined): EdgeFacts {
  return {
    continent: cf?.continent ?? null,
    country: cf?.country ?? null,
    region: cf?.region ?? null,
    asnId: cf?.asn ?? null,
    asnName: cf?.asOrganization || null,
    ...deviceFacts(headers.get("user-agent")?.slice(0, MAX_USER_AGENT_LENGTH) ?? ""),
  };
}

/** Parsing a user agent takes longer than the rest of a beacon, and the viewers of a location have a few hundred different ones. */
const deviceFacts = memoise((userAgent: string) => {
  const { browser, os, platform, engine } = userAgent === "" ? UNKNOWN : parse(userAgent);
  const osName = os.name === undefined ? null : (OS_NAMES.get(os.name) ?? os.name);
  return {
    browserName: browser.name || null,
    browserVersion: browser.name ? withVersion(browser.name, browser.version?.split(".")[0]) : null,
    osName,
    osVersion: osName === null ? null : withVersion(osName, os.version),
    deviceName: platform.vendor ?? null,
    deviceModel: platform.model ?? null,
    deviceManufacturer: platform.vendor ?? null,
    deviceType: platform.type === undefined ? null : (DEVICE_TYPES.get(platform.type) ?? platform.type),
    browserEngine: engine.name ?? null,
    userAgent: userAgent || null,
  };
}, MAX_DEVICES);

const UNKNOWN: Parser.ParsedResult = { browser: {}, os: {}, platform: {}, engine: {} };
const withVersion = (name: string, version: string | undefined) => (version ? `${name} ${version}` : name);
