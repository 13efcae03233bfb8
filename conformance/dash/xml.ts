import { XmlDocument, XmlElement } from "libxml2-wasm";

export interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}

/** The document as plain values; libxml2's own memory is freed. @throws {XmlParseError} */
export function parseXml(text: string): Element {
  using document = XmlDocument.fromString(text);
  return readElement(document.root);
}

export const childrenNamed = ({ children }: Element, name: string): Element[] =>
  children.filter((child) => child.name === name);

function readElement(element: XmlElement): Element {
  const children: Element[] = [];
  for (let child = element.firstChild; child !== null; child = child.next)
    if (child instanceof XmlElement) children.push(readElement(child));
  return {
    name: element.name,
    attributes: Object.fromEntries(element.attrs.map(({ name, value }) => [name, value])),
    children,
    text: element.content,
  };
}
