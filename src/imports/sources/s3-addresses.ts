/** Addresses of buckets and keys, and the options that they are made of. */
import { z } from "@hono/zod-openapi";

export const S3Options = z.strictObject({
  bucket: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{2,254}$/)
    .describe("Name of the bucket."),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/)
    .default("us-east-1")
    .describe("Region of the bucket, as requests are signed for it. Cloudflare R2 takes `auto`."),
  endpoint: z
    .url({ protocol: /^https$/ })
    .refine(isPlainBase, "no user, query or fragment")
    .optional()
    .describe("https base of another store that speaks S3: R2, Backblaze B2, MinIO, Wasabi. Default: Amazon S3."),
  prefix: z.string().max(1024).optional().describe("Only keys that begin with this."),
  pathStyle: z
    .boolean()
    .optional()
    .describe(
      "Whether the bucket is the first part of the path, not of the host. Default: only with `endpoint` or a name that has dots.",
    ),
  requesterPays: z
    .boolean()
    .default(false)
    .describe("Whether the account of the credentials pays for requests and transfer."),
  extensions: z
    .array(z.string().regex(/^[a-z0-9]{1,12}$/))
    .min(1)
    .max(50)
    .optional()
    .describe(
      "Endings of the keys to migrate, in lower case without a dot. Default: the usual ones of video and audio.",
    ),
});
export type S3Options = z.infer<typeof S3Options>;

function isPlainBase(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  const { username, password, search, hash } = url;
  return username === "" && password === "" && search === "" && hash === "";
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, "");

export function s3BaseOf({ endpoint, region }: S3Options): string {
  if (endpoint !== undefined) return withoutSlash(endpoint);
  return `https://s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

/**
 * Identifies a bucket for ever. Names are unique within a partition of AWS, so neither the region nor the style of addresses is part of it:
 * a batch with a corrected region continues the claims of the one before.
 */
export function s3AccountOf(options: S3Options): string {
  const host = new URL(s3BaseOf(options)).host;
  const store = options.endpoint === undefined ? host.replace(`.${options.region}.`, ".") : host;
  return `${store}/${options.bucket}`;
}

export interface BucketAddress {
  /** Of the bucket itself, with a slash at the end where the bucket is the host. */
  list: string;
  of(key: string): string;
}

/** @param base of requests, without a slash at the end; a stand-in's replaces the store's own */
export function bucketAddress(base: string, isStandIn: boolean, options: S3Options): BucketAddress {
  const { bucket, endpoint, pathStyle } = options;
  // The certificate of *.s3.region.amazonaws.com holds for one label only.
  const isPathStyle = pathStyle ?? (isStandIn || endpoint !== undefined || /[._A-Z]/.test(bucket));
  if (isPathStyle) return { list: `${base}/${bucket}`, of: (key) => `${base}/${bucket}/${encodeKey(key)}` };
  const url = new URL(base);
  const root = withoutSlash(`${url.protocol}//${bucket}.${url.host}${url.pathname}`);
  return { list: `${root}/`, of: (key) => `${root}/${encodeKey(key)}` };
}

const DOT_SEGMENT = /(^|\/)\.{1,2}(\/|$)/;

/**
 * The path of a key. Stores decode it once before they look the key up and verify the signature, so a slash may be written as %2F. That is
 * done only for keys with `.` or `..` between slashes, which every URL parser would resolve as a step in a path.
 */
function encodeKey(key: string): string {
  const encoded = encodeText(key);
  return DOT_SEGMENT.test(key) ? encoded : encoded.replaceAll("%2F", "/");
}

/** As SigV4 encodes: everything but the unreserved characters of RFC 3986. */
export const encodeText = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
