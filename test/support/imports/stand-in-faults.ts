/** Faults that are planted in a stand-in: what a platform's API does on a bad day. */

export type FaultKind =
  /** 429 in the vendor's own words. */
  | { kind: "rateLimited"; retryAfterSeconds: number }
  | { kind: "status"; status: number }
  /** A page for people in place of JSON, with status 200. */
  | { kind: "html" }
  /** The connection ends without an answer. */
  | { kind: "close" }
  /** Every field of this name, at any depth of the answer, has another one. */
  | { kind: "rename"; from: string; to: string }
  /** The answer has a field at each level that no document mentions. */
  | { kind: "extraFields" };

export type Fault = FaultKind & {
  /** Of `GET /path`; default: every call of the API, but no file. */
  on?: RegExp;
  /** Calls that match and pass unharmed before the first one fails; default 0. */
  after?: number;
  /** How many calls fail; default: all that follow. */
  times?: number;
};

/** Lists that misbehave, for those who read them to the end. */
export interface ListFaults {
  /** The page that should be the last leads back to the first. */
  circles: boolean;
  /** Each page begins with the last video of the page before. */
  repeats: boolean;
}

export class Faults {
  readonly #planted: { fault: Fault; seen: number }[] = [];

  plant(fault: Fault): void {
    this.#planted.push({ fault, seen: 0 });
  }

  heal(): void {
    this.#planted.length = 0;
  }

  /** The fault of this call; counts it. */
  of(call: string, isApi: boolean): Fault | null {
    for (const planted of this.#planted) {
      const { on, after = 0, times = Infinity } = planted.fault;
      if (on === undefined ? !isApi : !on.test(call)) continue;
      const place = planted.seen++;
      if (place >= after && place < after + times) return planted.fault;
    }
    return null;
  }
}

/** What becomes of an answer's JSON. */
export function distorted(value: unknown, fault: Fault): unknown {
  if (Array.isArray(value)) return value.map((item) => distorted(item, fault));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [
    fault.kind === "rename" && name === fault.from ? fault.to : name,
    distorted(inner, fault),
  ]);
  return {
    ...Object.fromEntries(fields),
    ...(fault.kind === "extraFields" ? { added_later: { by: "the vendor" } } : {}),
  };
}
