import type { FetchResponse, MaybeOptionalInit } from "openapi-fetch";
import type { components, paths } from "./api-types.ts";

type Schemas = components["schemas"];
export type Media = Schemas["Media"];
export type MediaEvent = Schemas["Event"];
export type PushMediaSettings = NonNullable<Schemas["CreateUpload"]["pushMediaSettings"]>;

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** The paths of the API that have an operation with this method. */
export type PathWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, unknown> ? Path : never;
}[keyof paths];

/** What an operation takes: `params` with `path` and `query`, `body`, `headers`, `signal`. */
export type Options<Path extends keyof paths, M extends Method> = MaybeOptionalInit<paths[Path], M & keyof paths[Path]>;

type Operation<Path extends keyof paths, M extends Method> = paths[Path][M & keyof paths[Path]];

/** The body of an operation's successful response. */
export type Answer<Path extends keyof paths, M extends Method> =
  Operation<Path, M> extends infer Op extends Record<string, unknown>
    ? NonNullable<FetchResponse<Op, object, "application/json">["data"]>
    : never;

/** The options may be left out where none is required. */
export type Arguments<Path extends keyof paths, M extends Method> =
  undefined extends Options<Path, M> ? [options?: Options<Path, M>] : [options: Options<Path, M>];

/**
 * Calls one operation of the API.
 *
 * @throws {ApiError} when the API refuses; {ConnectionError} when it does not answer
 */
export type Call<M extends Method> = <Path extends PathWith<M>>(
  path: Path,
  ...args: Arguments<Path, M>
) => Promise<Answer<Path, M>>;

/** The typed calls, one for each HTTP method. */
export type ApiCalls = { readonly [M in Method]: Call<M> };

/** The paths whose GET answers with one page of a list. */
export type ListPath = {
  [Path in PathWith<"get">]: Answer<Path, "get"> extends { data: unknown[]; pagination: unknown } ? Path : never;
}[PathWith<"get">];

/** One record of a list. */
export type Item<Path extends ListPath> = Answer<Path, "get"> extends { data: (infer One)[] } ? One : never;
