import { Problem } from "../http/problems.ts";
import { errorFields, logError } from "../log.ts";

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** A method may be called by another one of its object. */
const logged = new WeakSet<object>();

/**
 * Logs the unexpected errors of Durable Objects where they are thrown, as `object.failed`. A caller gets an error without the object's stack,
 * so its own log line cannot say where that was. The error is still thrown.
 *
 * @param classes by the name under which the Worker exports them; their own methods are replaced, those that they inherit are not
 */
export function logFailures(classes: Record<string, { prototype: object }>): void {
  for (const [name, { prototype }] of Object.entries(classes))
    for (const [method, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
      if (method !== "constructor" && typeof value === "function")
        Object.defineProperty(prototype, method, {
          value: withLog(value as Method, { class: name, method }),
          writable: true,
          configurable: true,
        });
}

/** A method that returns no promise stays synchronous. */
function withLog(method: Method, place: { class: string; method: string }): Method {
  const fail = (error: unknown): never => {
    if (isNews(error)) logError("object.failed", { ...place, ...errorFields(error) });
    throw error;
  };
  return function (...args) {
    try {
      const answer = method.apply(this, args);
      return answer instanceof Promise ? answer.catch(fail) : answer;
    } catch (error) {
      return fail(error);
    }
  };
}

/** A `Problem` is an answer. */
function isNews(error: unknown): boolean {
  if (error instanceof Problem) return false;
  if (typeof error !== "object" || error === null) return true;
  const isNew = !logged.has(error);
  logged.add(error);
  return isNew;
}
