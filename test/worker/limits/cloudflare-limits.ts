/**
 * Enforces Cloudflare's documented limits in every test of the Worker, because the local runtime does not enforce most of them. It does
 * enforce three, as limits.test.ts shows: 100 bound parameters per statement, 128 KB per queue message, 32 MiB per call between isolates.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** Strings, BLOBs and rows of D1 and of a Durable Object's SQLite; a key and its value in a Durable Object's storage. */
export const MAX_ROW_BYTES = 2_000_000;
const MAX_STATEMENT_BYTES = 100_000;
export const MAX_SUBREQUESTS = 1000;
const MAX_QUEUE_BATCH_BYTES = 256_000;
const MAX_QUEUE_BATCH_MESSAGES = 100;
const MAX_QUEUE_DELAY_SECONDS = 43_200;

const tooBig = (what: string) => new Error(`${what}: SQLITE_TOOBIG (a Cloudflare limit, enforced by the tests)`);
const encoder = new TextEncoder();

function bytesOf(value: unknown): number {
  if (typeof value === "string") return value.length * 3 < MAX_ROW_BYTES ? value.length : encoder.encode(value).length;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value === "object" && value !== null)
    return Object.entries(value).reduce((sum, [key, inner]) => sum + key.length + bytesOf(inner), 8);
  return 8;
}

/** Whether the statement inserts one row, which is then at least as large as the values bound to it. */
const insertsOneRow = (text: string) => /^\s*insert\b[^;]*\bvalues\s*\([^()]*\)(?!\s*,)/i.test(text);

function checkStatement(text: string, values: readonly unknown[]): void {
  if (encoder.encode(text).length > MAX_STATEMENT_BYTES) throw tooBig("a statement is too long");
  const sizes = values.map(bytesOf);
  if (sizes.some((size) => size > MAX_ROW_BYTES)) throw tooBig("string or blob too big");
  if (insertsOneRow(text) && sizes.reduce((sum, size) => sum + size, 0) > MAX_ROW_BYTES) throw tooBig("row too big");
}

interface Invocation {
  subrequests: number;
}
const invocations = new AsyncLocalStorage<Invocation>();

/** Runs `work` as one invocation of the Worker, with its own count of subrequests. */
export const asInvocation = <T>(work: () => T): T => invocations.run({ subrequests: 0 }, work);

/** Runs `work` as none: for what a test does between the calls of an invocation. */
export const outsideInvocation = <T>(work: () => T): T => invocations.exit(work);

function countSubrequest(): void {
  const invocation = invocations.getStore();
  if (invocation === undefined) return;
  invocation.subrequests += 1;
  if (invocation.subrequests > MAX_SUBREQUESTS) throw new Error("Too many subrequests by single Worker invocation.");
}

type Method = (this: object, ...values: never[]) => unknown;
const installed = new WeakSet<object>();

/** Calls `before` on each call of a method. */
function intercept(target: object, name: string, before: (self: object, values: unknown[]) => void): void {
  const methods = target as Record<string, Method>;
  const original = methods[name]!;
  methods[name] = function (this: object, ...values: never[]) {
    before(this, values);
    return original.apply(this, values);
  };
}

function once(target: object, install: () => void): void {
  if (installed.has(target)) return;
  installed.add(target);
  install();
}

const prototypeOf = (value: object) => Object.getPrototypeOf(value) as object;

export function limitDatabase(database: D1Database): void {
  const textOf = new WeakMap<object, string>();
  const [onDatabase, onStatement] = [prototypeOf(database), prototypeOf(database.prepare("SELECT 1"))];
  once(onDatabase, () => {
    const methods = onDatabase as Record<string, Method>;
    const prepare = methods["prepare"]!;
    methods["prepare"] = function (...values: never[]) {
      const statement = prepare.apply(this, values) as object;
      textOf.set(statement, values[0]!);
      return statement;
    };
    intercept(onDatabase, "batch", countSubrequest);
    intercept(onDatabase, "exec", countSubrequest);
    intercept(onStatement, "bind", (statement, values) => checkStatement(textOf.get(statement) ?? "", values));
    for (const name of ["first", "run", "all", "raw"]) intercept(onStatement, name, countSubrequest);
  });
}

export function limitBucket(bucket: R2Bucket): void {
  once(prototypeOf(bucket), () => {
    for (const name of ["head", "get", "put", "createMultipartUpload", "delete", "list"])
      intercept(prototypeOf(bucket), name, countSubrequest);
    const upload = prototypeOf(bucket.resumeMultipartUpload("key", "upload"));
    for (const name of ["uploadPart", "complete", "abort"]) intercept(upload, name, countSubrequest);
  });
}

export function limitQueue(queue: Queue): void {
  once(prototypeOf(queue), () => {
    intercept(prototypeOf(queue), "send", (_, [, options]) => {
      countSubrequest();
      checkDelay((options as QueueSendOptions | undefined)?.delaySeconds);
    });
    intercept(prototypeOf(queue), "sendBatch", (_, [messages, options]) => {
      countSubrequest();
      const batch = [...(messages as Iterable<MessageSendRequest>)];
      for (const { delaySeconds } of [...batch, (options ?? {}) as QueueSendBatchOptions]) checkDelay(delaySeconds);
      const bytes = batch.reduce((sum, { body }) => sum + JSON.stringify(body).length, 0);
      if (batch.length > MAX_QUEUE_BATCH_MESSAGES) throw new Error("a batch for a queue has more than 100 messages");
      if (bytes > MAX_QUEUE_BATCH_BYTES) throw new Error("a batch for a queue has more than 256 KB");
    });
  });
}

function checkDelay(seconds = 0): void {
  if (seconds > MAX_QUEUE_DELAY_SECONDS) throw new Error("a queue delays a message by at most 43,200 s");
}

/** Intercepts the class of stubs, not its base class `Fetcher`, which D1's own requests use. */
export function limitStub(stub: DurableObjectStub): void {
  once(prototypeOf(stub), () => intercept(prototypeOf(stub), "fetch", countSubrequest));
}

/** Counts calls by RPC: an invocation gets stubs that count. A stub has every method, so its class has none to intercept. */
export function limitNamespace(namespace: DurableObjectNamespace): void {
  const methods = prototypeOf(namespace) as Record<string, Method>;
  once(methods, () => {
    const original = methods["get"]!;
    methods["get"] = function (...values: never[]) {
      const stub = original.apply(this, values) as object;
      return invocations.getStore() === undefined ? stub : new Proxy(stub, { get: countedMethod });
    };
  });
}

function countedMethod(stub: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(stub, name, stub);
  if (typeof value !== "function") return value;
  return (...values: unknown[]) => {
    if (name !== "fetch") countSubrequest(); // `limitStub` counts those
    return Reflect.apply(value, stub, values) as unknown;
  };
}

export function limitGlobalFetch(): void {
  once(globalThis, () => {
    const original = globalThis.fetch;
    globalThis.fetch = (...values) => {
      countSubrequest();
      return original(...values);
    };
  });
}

/** Limits the storage of all Durable Objects, given that of one: they share prototypes. */
export function limitStorage({ sql, kv }: DurableObjectStorage): void {
  once(prototypeOf(sql), () => {
    intercept(prototypeOf(sql), "exec", (_, [text, ...values]) => checkStatement(text as string, values));
    intercept(prototypeOf(kv), "put", (_, [key, value]) => {
      if (bytesOf(key) + bytesOf(value) > MAX_ROW_BYTES) throw tooBig("a stored value is too big");
    });
  });
}

/** Makes each event of a Durable Object a separate invocation. */
export function limitClass(durableObject: { prototype: object }): void {
  once(durableObject, () => {
    for (let on = durableObject.prototype; on !== Object.prototype && on !== null; on = prototypeOf(on)) {
      for (const name of ["fetch", "alarm"]) {
        const original = Object.getOwnPropertyDescriptor(on, name)?.value as Method | undefined;
        if (original === undefined || installed.has(original)) continue;
        const limited = function (this: object, ...values: never[]) {
          return asInvocation(() => original.apply(this, values));
        };
        installed.add(limited);
        (on as Record<string, Method>)[name] = limited;
      }
    }
  });
}

/** Makes each queue batch and each scheduled run a separate invocation. */
export function limitHandlers(handlers: { queue: unknown; scheduled: unknown }): void {
  once(handlers, () => {
    for (const name of ["queue", "scheduled"] as const) {
      const original = handlers[name] as Method;
      handlers[name] = (...values: never[]) => asInvocation(() => original.apply(handlers, values));
    }
  });
}
