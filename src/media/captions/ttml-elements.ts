/** The elements of a TTML document, read in one pass: no tree of the whole document is built. */
import { SaxesParser } from "saxes";
import { CaptionsError } from "./cue.ts";

const MAX_ELEMENTS = 400_000;
const MAX_ATTRIBUTES = 400_000;
/** Limit per element. */
const MAX_OWN_ATTRIBUTES = 256;
/** Nesting depth of elements. */
const MAX_NESTING = 256;
/** Elements and texts of a part that is kept until its end: a paragraph, or the head. */
const MAX_KEPT_NODES = 50_000;
/** Nesting depth of content elements, and of styles that refer to each other. */
export const MAX_DEPTH = 64;

export interface TtmlElement {
  /** In lower case, without its prefix. Namespaces are told apart by local names alone: no two of TTML's are the same. */
  name: string;
  /** By their names with prefixes. */
  attributes: Record<string, string>;
  /** Empty until the element's end, and of elements whose content is visited. */
  children: (TtmlElement | string)[];
}

/** What happens to the content of an element: it is visited, kept in `children` until `close`, or passed over. */
export type Content = "visit" | "keep" | "skip";

export interface Visitor {
  open(element: TtmlElement): Content;
  close(element: TtmlElement): void;
  /** Text in an element whose content is visited. */
  text(): void;
}

/** @throws {CaptionsError} captions_malformed, captions_too_large, captions_unknown_format, and what the visitor throws */
export function visitElements(text: string, visitor: Visitor): void {
  const reader = new ElementReader(visitor);
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
  parser.on("attribute", () => reader.attribute());
  parser.on("opentag", ({ name, attributes }) => reader.open(localName(name), attributes));
  parser.on("closetag", () => reader.close());
  parser.on("text", (content) => reader.text(content));
  parser.on("cdata", (content) => reader.text(content));
  parser.on("error", (cause) => {
    // Entities of a document type are not expanded: an unknown one is text.
    if (!cause.message.endsWith("undefined entity.")) throw new CaptionsError("captions_malformed", { cause });
  });
  parser.write(text.replace(/^\uFEFF?\s*/, "")).close();
}

class ElementReader {
  readonly #visitor: Visitor;
  /** The open elements, and what happens to the content of each. */
  readonly #open: { element: TtmlElement; content: Content }[] = [];
  #elements = 0;
  #attributes = 0;
  #ownAttributes = 0;
  #keptNodes = 0;

  constructor(visitor: Visitor) {
    this.#visitor = visitor;
  }

  attribute(): void {
    this.#ownAttributes += 1;
    this.#attributes += 1;
    if (this.#ownAttributes > MAX_OWN_ATTRIBUTES || this.#attributes > MAX_ATTRIBUTES)
      throw new CaptionsError("captions_too_large");
  }

  open(name: string, attributes: Record<string, string>): void {
    this.#ownAttributes = 0;
    this.#elements += 1;
    const around = this.#open.at(-1);
    if (around === undefined && name !== "tt") throw new CaptionsError("captions_unknown_format");
    if (this.#elements > MAX_ELEMENTS) throw new CaptionsError("captions_too_large");
    if (this.#open.length >= MAX_NESTING) throw new CaptionsError("captions_malformed");
    const element: TtmlElement = { name, attributes, children: [] };
    this.#open.push({ element, content: this.#contentOf(element, around) });
  }

  #contentOf(element: TtmlElement, around: { element: TtmlElement; content: Content } | undefined): Content {
    if (around === undefined || around.content === "visit") {
      this.#keptNodes = 0;
      return this.#visitor.open(element);
    }
    if (around.content === "keep") this.#keep(around.element, element);
    return around.content;
  }

  #keep(parent: TtmlElement, node: TtmlElement | string): void {
    this.#keptNodes += 1;
    if (this.#keptNodes > MAX_KEPT_NODES) throw new CaptionsError("captions_too_large");
    parent.children.push(node);
  }

  close(): void {
    const { element } = this.#open.pop()!;
    const around = this.#open.at(-1);
    if (around === undefined || around.content === "visit") this.#visitor.close(element);
  }

  text(content: string): void {
    const around = this.#open.at(-1);
    if (around?.content === "visit") this.#visitor.text();
    if (around?.content === "keep") this.#keep(around.element, content);
  }
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1).toLowerCase();

/** "" when it is absent. */
export function attribute({ attributes }: TtmlElement, local: string): string {
  for (const name in attributes) if (name === local || name.endsWith(`:${local}`)) return attributes[name]!;
  return "";
}

export const elementsIn = ({ children }: TtmlElement): TtmlElement[] =>
  children.filter((child) => typeof child !== "string");
