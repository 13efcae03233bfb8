import { ApiError } from "../../index.ts";

/** The field of the API, the option that fills it, and its values in their order. */
type Filled = Readonly<Record<string, { option: string; values: readonly string[] }>>;

/** A refusal in the words of the command line: `items[0]` becomes `--item x7`. Other errors stay. Pure. */
export function namingOptions(error: unknown, filled: Filled): unknown {
  if (!(error instanceof ApiError)) return error;
  const { message, status, code, retryAfterSeconds, requestId } = error;
  const fields = error.fields.map(({ field, message }) => ({ field: optionOf(field, filled), message }));
  return new ApiError(message, { status, code, fields, retryAfterSeconds, requestId });
}

function optionOf(field: string, filled: Filled): string {
  const [, name = "", place = ""] = /^(\w+)\[(\d+)\]$/.exec(field) ?? [];
  const found = Object.hasOwn(filled, name) ? filled[name] : undefined;
  const value = found?.values[Number(place)];
  return found === undefined || value === undefined ? field : `${found.option} ${value}`;
}
