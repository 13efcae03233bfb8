/** The elements of a TTML document, within bounds. */
import { parseXml, XmlElement } from "@rgrove/parse-xml";
import { CaptionsError } from "./cue.ts";

/** The parser builds a tree in memory, so what it could build is counted first. */
const MAX_TAGS = 400_000;
/** Of elements in each other, and of styles that refer to each other. */
export const MAX_DEPTH = 64;

/** @returns the element `tt` @throws {CaptionsError} captions_malformed, captions_too_large, captions_unknown_format */
export function readTree(text: string): XmlElement {
  const count = (char: string) => text.split(char, MAX_TAGS + 2).length - 1;
  if (count("<") > MAX_TAGS || count("=") > MAX_TAGS) throw new CaptionsError("captions_too_large");
  try {
    // Entities of a document type are not expanded; an undefined one is text.
    const { root } = parseXml(text.replace(/^\uFEFF?\s*/, ""), { ignoreUndefinedEntities: true });
    if (root !== null && localName(root) === "tt") return root;
  } catch (error) {
    throw new CaptionsError("captions_malformed", { cause: error });
  }
  throw new CaptionsError("captions_unknown_format");
}

export const localName = ({ name }: XmlElement): string => name.slice(name.indexOf(":") + 1).toLowerCase();

/** Namespaces are told apart by the local name alone: no two of TTML's are the same on one element. "" when it is absent. */
export function attribute({ attributes }: XmlElement, local: string): string {
  for (const [name, value] of Object.entries(attributes))
    if (name === local || name.endsWith(`:${local}`)) return value;
  return "";
}

export const childrenOf = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child) => child instanceof XmlElement);
