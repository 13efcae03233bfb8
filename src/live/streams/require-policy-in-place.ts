import { Problem } from "../../platform/http/problems.ts";

const FIELD = "playbackSettings.accessPolicy";

interface Misplaced {
  accessPolicy?: unknown;
  inputMediaSettings?: { accessPolicy?: unknown };
}

/**
 * Other unknown fields are ignored with a warning. A misplaced `accessPolicy` is not: the stream would be public against the request.
 *
 * @param body a valid body of the creation request @throws {Problem} validation_failed
 */
export function requirePolicyInPlace({ accessPolicy, inputMediaSettings }: Misplaced): void {
  for (const misplaced of [accessPolicy, inputMediaSettings?.accessPolicy]) {
    if (misplaced === undefined || misplaced === "public") continue;
    throw new Problem("validation_failed", "validation failed", {
      fields: [{ field: FIELD, message: "is invalid", hint: `\`accessPolicy\` must be in \`playbackSettings\`` }],
    });
  }
}
