/**
 * Key exchange documents: DASH-IF CPIX 2.3, as SPEKE 2.0 uses them. The request names a key; the key service adds its value and what the key
 * systems need. Pure.
 */
import { parseXml, type XmlElement } from "@rgrove/parse-xml";
import { fromBase64, toBase64 } from "../../../protocol/base64.ts";
import { SYSTEM_IDS } from "../../media/cenc/pssh.ts";
import { element } from "../../media/dash/xml.ts";
import type { ServiceSignals } from "./tables.ts";

/** The answer of a key service is not a CPIX document with the requested key. Messages contain no key. */
export class UnusableKeyDocument extends Error {
  override readonly name = "UnusableKeyDocument";
}

export interface KeyRequest {
  /** Names the media to the licence service. */
  contentId: string;
  keyId: string;
  iv: Uint8Array;
}

export interface KeyAnswer {
  key: Uint8Array<ArrayBuffer>;
  iv: Uint8Array<ArrayBuffer>;
  signals: ServiceSignals;
}

const NAMESPACES = { "xmlns:cpix": "urn:dashif:org:cpix", "xmlns:pskc": "urn:ietf:params:xml:ns:keyprov:pskc" };
const BLOCK_BYTES = 16;
/** Nesting depth of elements. Documents of CPIX nest six levels, and those with digital signatures ten. */
const MAX_DEPTH = 64;

export function keyRequestDocument({ contentId, keyId: kid, iv }: KeyRequest): string {
  const drmSystem = (systemId: string, ...wanted: string[]) =>
    element("cpix:DRMSystem", { kid, systemId }, ...wanted.map((name) => `<cpix:${name}/>`));
  const document = element(
    "cpix:CPIX",
    { ...NAMESPACES, contentId, version: "2.3" },
    element(
      "cpix:ContentKeyList",
      {},
      element("cpix:ContentKey", { kid, explicitIV: toBase64(iv), commonEncryptionScheme: "cbcs" }),
    ),
    element(
      "cpix:DRMSystemList",
      {},
      drmSystem(SYSTEM_IDS.widevine, "PSSH"),
      drmSystem(SYSTEM_IDS.fairplay, "URIExtXKey"),
    ),
    element("cpix:ContentKeyUsageRuleList", {}, element("cpix:ContentKeyUsageRule", { kid, intendedTrackType: "ALL" })),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${document}\n`;
}

/** @throws {UnusableKeyDocument} */
export function readKeyAnswer(text: string, { keyId, iv }: KeyRequest): KeyAnswer {
  const root = rootOf(text);
  const isOurs = ({ attributes }: XmlElement) => attributes["kid"]?.toLowerCase() === keyId;
  const entry = all(root, "ContentKey").find(isOurs);
  if (entry === undefined) throw new UnusableKeyDocument("the document has no such key");
  const scheme = entry.attributes["commonEncryptionScheme"] ?? "cbcs";
  if (scheme !== "cbcs") throw new UnusableKeyDocument(`the key is for the scheme ${JSON.stringify(scheme)}`);
  const [plain] = all(entry, "PlainValue");
  if (plain === undefined)
    throw new UnusableKeyDocument("the key has no PlainValue; encrypted documents are not supported");
  const key = fromBase64(plain.text.trim());
  if (key?.byteLength !== BLOCK_BYTES) throw new UnusableKeyDocument("the key is not 16 bytes in Base64");
  const givenIv = fromBase64(entry.attributes["explicitIV"] ?? toBase64(iv));
  if (givenIv?.byteLength !== BLOCK_BYTES) throw new UnusableKeyDocument("explicitIV is not 16 bytes in Base64");
  const systems = all(root, "DRMSystem").filter(isOurs);
  return { key, iv: givenIv, signals: { ...widevineSignal(systems, keyId), ...fairplaySignal(systems) } };
}

function rootOf(text: string): XmlElement {
  const root = parsed(text);
  if (root === null || localName(root) !== "CPIX") throw new UnusableKeyDocument("the answer is not a CPIX document");
  if (isDeeper(root, MAX_DEPTH)) throw new UnusableKeyDocument(`the document nests more than ${MAX_DEPTH} levels`);
  return root;
}

function parsed(text: string): XmlElement | null {
  try {
    return parseXml(text).root;
  } catch {
    return null; // the parser's message would quote the document, which contains the key
  }
}

/** Whether the elements nest more than these levels, so that reading them could exceed the stack. */
function isDeeper(root: XmlElement, levels: number): boolean {
  let level = [root];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap(elementsIn);
  }
  return false;
}

const elementsIn = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child): child is XmlElement => child.type === "element");

const localName = ({ name }: XmlElement) => name.slice(name.indexOf(":") + 1);

/** The elements of this name at any depth, whatever the prefix. */
function all(parent: XmlElement, name: string): XmlElement[] {
  return elementsIn(parent).flatMap((element) => [
    ...(localName(element) === name ? [element] : []),
    ...all(element, name),
  ]);
}

const systemOf = (systems: XmlElement[], systemId: string) =>
  systems.find(({ attributes }) => attributes["systemId"]?.toLowerCase() === systemId);

/** @throws {UnusableKeyDocument} */
function widevineSignal(systems: XmlElement[], keyId: string): Pick<ServiceSignals, "widevinePssh"> {
  const system = systemOf(systems, SYSTEM_IDS.widevine);
  const text = system && all(system, "PSSH")[0]?.text.trim();
  if (!text) return {};
  const box = fromBase64(text);
  const isBox = box !== null && box.byteLength >= 32 && new DataView(box.buffer).getUint32(0) === box.byteLength;
  if (!isBox) throw new UnusableKeyDocument(`the PSSH of key ${keyId} is not a pssh box in Base64`);
  return { widevinePssh: toBase64(box) };
}

/** SPEKE 1 has the URI, SPEKE 2 a whole EXT-X-KEY tag, both in Base64. @throws {UnusableKeyDocument} */
function fairplaySignal(systems: XmlElement[]): Pick<ServiceSignals, "fairplayUri"> {
  const system = systemOf(systems, SYSTEM_IDS.fairplay);
  if (system === undefined) return {};
  const [uri, tag] = ["URIExtXKey", "HLSSignalingData"].map((name) => all(system, name)[0]?.text.trim() ?? "");
  const [given, isTag] = uri ? [uri, false] : [tag ?? "", true];
  if (given === "") return {};
  const bytes = fromBase64(given);
  const text = bytes === null ? "" : new TextDecoder().decode(bytes);
  const fairplayUri = isTag ? /URI="([^"]+)"/.exec(text)?.[1] : text;
  if (fairplayUri === undefined || !/^skd:\/\/[\x21\x23-\x7e]{1,1024}$/.test(fairplayUri))
    throw new UnusableKeyDocument("the FairPlay URI does not begin with skd://");
  return { fairplayUri };
}
