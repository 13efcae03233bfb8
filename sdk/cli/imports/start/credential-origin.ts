import { UsageError } from "../../terminal/usage-error.ts";
import { SOURCE_FORMS, type SourceForm, type SourceKind, variablesOf } from "../sources.ts";
import type { Given } from "./options.ts";

/** Where the credentials of a source come from. */
export type CredentialOrigin =
  | { from: "nowhere" }
  | { from: "platform"; credentialId: string }
  | { from: "file"; path: string }
  | { from: "environment"; names: string[]; credentials: Record<string, string> }
  | { from: "question" };

type Environment = Readonly<Record<string, string | undefined>>;
type Options = Pick<Given, "credential" | "credentials-file" | "no-credentials">;

/**
 * What is given has precedence over the environment. Pure.
 *
 * @param canAsk whether there is a terminal
 * @throws {UsageError} when there are none, and nobody can be asked
 */
export function credentialOrigin(
  given: Options,
  kind: SourceKind,
  { env, canAsk }: { env: Environment; canAsk: boolean },
): CredentialOrigin {
  const form = SOURCE_FORMS[kind];
  const { credential: credentialId, "credentials-file": path, "no-credentials": isOpen } = given;
  requireOne({ credential: credentialId, "credentials-file": path, "no-credentials": isOpen || undefined });
  const isGiven = credentialId !== undefined || path !== undefined;
  if (form.fields.length === 0) {
    if (isGiven || isOpen) throw new UsageError("A list has no credentials: its addresses are fetched as they are.");
    return { from: "nowhere" };
  }
  if (isOpen && !form.isOpenToAll) throw new UsageError(`${form.name} cannot be read without credentials.`);
  if (isOpen) return { from: "nowhere" };
  if (credentialId !== undefined) return { from: "platform", credentialId };
  if (path !== undefined) return { from: "file", path };
  return fromEnvironment(form, env) ?? asked(form, canAsk);
}

function requireOne(options: Record<string, unknown>): void {
  const given = Object.keys(options).filter((name) => options[name] !== undefined);
  if (given.length > 1)
    throw new UsageError(`${given.map((name) => `--${name}`).join(" and ")} exclude each other: give one of them.`);
}

function fromEnvironment({ fields }: SourceForm, env: Environment): CredentialOrigin | null {
  if (fields.some(({ env: name, isOptional }) => !isOptional && !env[name])) return null;
  const found = fields.filter(({ env: name }) => env[name]);
  return {
    from: "environment",
    names: found.map(({ env: name }) => name),
    credentials: Object.fromEntries(found.map(({ name, env: variable }) => [name, env[variable]!])),
  };
}

function asked(form: SourceForm, canAsk: boolean): CredentialOrigin {
  if (canAsk) return { from: "question" };
  const open = form.isOpenToAll ? ", --no-credentials for a public bucket" : "";
  throw new UsageError(
    `Set ${variablesOf(form)}, or give --credential ID or --credentials-file FILE${open}: there is no terminal to ask for the credentials.`,
  );
}
