/** Styles and regions of a TTML document (W3C TTML 2 §10.4.4): by reference, nested and direct, in ascending priority. */
import { colourClass } from "./markup.ts";
import { attribute, elementsIn, MAX_DEPTH, type TtmlElement } from "./ttml-elements.ts";

/** Styles of an element; absent = inherited. */
export interface Style {
  italic?: boolean;
  bold?: boolean;
  underline?: boolean;
  /** A class of WebVTT; null = a colour without a class. */
  colour?: string | null;
  /** For regions: where text begins, how high it may be, and at which end of that it stands. */
  origin?: string;
  extent?: string;
  displayAlign?: string;
}

/** References of one element. Further ones are left out. */
const MAX_REFERENCES = 16;

export class TtmlStyles {
  readonly #elements = new Map<string, TtmlElement>();
  readonly #regions = new Map<string, TtmlElement>();
  readonly #known = new WeakMap<TtmlElement, Style>();

  /** Knows the styles and regions in the element too. The first one of an id counts. */
  add(element: TtmlElement): void {
    this.#collect(element, 0);
  }

  /** The styles of a content element, without inherited ones. */
  of(element: TtmlElement): Style {
    return this.#resolve(element, 0);
  }

  /** What a region says of the text in it; nothing for an unknown one. */
  region(id: string): Style {
    const region = this.#regions.get(id);
    return region === undefined ? {} : this.#resolve(region, 0);
  }

  #collect(element: TtmlElement, depth: number): void {
    if (depth > MAX_DEPTH) return;
    for (const child of elementsIn(element)) {
      const known = child.name === "style" ? this.#elements : child.name === "region" ? this.#regions : null;
      const id = attribute(child, "id");
      if (known !== null && id !== "" && !known.has(id)) known.set(id, child);
      this.#collect(child, depth + 1);
    }
  }

  /** Each element is resolved once. A style that refers to itself has what it says otherwise. */
  #resolve(element: TtmlElement, depth: number): Style {
    const known = this.#known.get(element);
    if (known !== undefined) return known;
    this.#known.set(element, {});
    const nested = element.name === "region" ? elementsIn(element).filter(isStyle) : [];
    const style = Object.assign(
      this.#referred(element, depth),
      ...(depth < MAX_DEPTH ? nested.map((child) => this.#resolve(child, depth + 1)) : []),
      directStyle(element),
    ) as Style;
    this.#known.set(element, style);
    return style;
  }

  #referred(element: TtmlElement, depth: number): Style {
    if (depth >= MAX_DEPTH) return {};
    const ids = attribute(element, "style").split(/\s+/, MAX_REFERENCES);
    const found = ids.flatMap((id) => this.#elements.get(id) ?? []);
    return Object.assign({}, ...found.map((one) => this.#resolve(one, depth + 1))) as Style;
  }
}

const isStyle = (element: TtmlElement): boolean => element.name === "style";

function directStyle(element: TtmlElement): Style {
  const style: Style = {};
  const [slant, weight, line, colour] = ["fontStyle", "fontWeight", "textDecoration", "color"].map((name) =>
    attribute(element, name),
  ) as [string, string, string, string];
  if (slant !== "") style.italic = /italic|oblique/.test(slant);
  if (weight !== "") style.bold = /bold/.test(weight);
  if (/\bunderline\b/.test(line)) style.underline = true;
  else if (/\b(?:none|noUnderline)\b/.test(line)) style.underline = false;
  if (colour !== "") style.colour = colourClass(colour);
  for (const name of ["origin", "extent", "displayAlign"] as const) {
    const value = attribute(element, name);
    if (value !== "") style[name] = value;
  }
  return style;
}

/** Text of this region stands in the upper half of the picture. Regions without a place in percent are not looked at. */
export function isAtTop({ origin = "", extent = "", displayAlign = "before" }: Style): boolean {
  const second = (pair: string) => /^\s*[\d.]+%\s+(\d{1,3}(?:\.\d{1,6})?)%/.exec(pair)?.[1];
  const top = second(origin);
  if (top === undefined) return false;
  const height = Number(second(extent) ?? 100 - Number(top));
  const part = { before: 0, center: 0.5, after: 1 }[displayAlign];
  return part !== undefined && Number(top) + part * height < 50;
}
