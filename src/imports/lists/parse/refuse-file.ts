import { Problem } from "../../../platform/http/problems.ts";

/** What stands against a whole file. The words never have a part of it: addresses may be signed. */
export const refuseFile = (message: string, hint: string, field = "body"): Problem =>
  new Problem("validation_failed", message, { fields: [{ field, message, hint }] });
