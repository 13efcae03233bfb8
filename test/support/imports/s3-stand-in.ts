/**
 * A bucket as its clients meet it: signed requests, ListObjectsV2, HEAD, tags and files with ranges, by path-style addresses. From the Amazon
 * S3 API reference and @aws-sdk/client-s3 3.1175.0, read in November 2026.
 */
import { element, objectHeaders, ownOf, urlEncoded } from "./s3-object.ts";
import { verifySignature, type AwsKey } from "./aws-signatures.ts";
import { Shelf, standInOf } from "./stand-in-shelf.ts";
import { serveVendor, type StandIn, type StandInAnswer, type StandInCall, type Vendor } from "./stand-in.ts";
import type { StandInVideo } from "./stand-in-library.ts";

export const S3_BUCKET = "films";
export const S3_REGION = "eu-central-1";
export const S3_KEY: AwsKey = {
  accessKeyId: "AKIAFULL000000000000",
  secretAccessKey: "s3cr3t/of+the/full/key/0123456789abcdef",
};
/** May list, and get no object. */
export const S3_LIST_KEY: AwsKey = {
  accessKeyId: "AKIALIST000000000000",
  secretAccessKey: "s3cr3t/of+the/list/key/0123456789abcdef",
};
export const S3_SESSION_KEY: AwsKey = {
  accessKeyId: "ASIASESSION000000000",
  secretAccessKey: "s3cr3t/of+the/session/0123456789abcdef",
  sessionToken: "IQoJb3JpZ2luX2VjEA//with+signs==",
};

export interface S3StandInOptions {
  port?: number;
  /** S3 has at most 1,000. */
  pageSize?: number;
  /** Unsigned requests may list and get. */
  isOpen?: boolean;
  requesterPays?: boolean;
  /** Of the server's clock; default now. */
  nowMs?: () => number;
}

export type S3StandIn = StandIn;

const KEYS = [S3_KEY, S3_LIST_KEY, S3_SESSION_KEY];
const STATUS: Record<string, number> = {
  AuthorizationHeaderMalformed: 400,
  XAmzContentSHA256Mismatch: 400,
  InvalidToken: 400,
  NoSuchKey: 404,
  NoSuchBucket: 404,
  MethodNotAllowed: 405,
  SlowDown: 503,
};

export async function startS3StandIn(options: S3StandInOptions = {}): Promise<S3StandIn> {
  const bucket = new Bucket(options);
  return standInOf(bucket.shelf, await serveVendor(bucket, options.port));
}

class Bucket implements Vendor {
  /** Spaces, signs and letters beyond ASCII are usual in keys. */
  readonly shelf = new Shelf((number) => `season 1/Überblick + ${String(number).padStart(6, "0")}.mp4`);
  readonly #options: S3StandInOptions;
  readonly #nowMs: () => number;

  constructor(options: S3StandInOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? Date.now;
  }

  isApi(path: string): boolean {
    return path === `/${S3_BUCKET}` || path === `/${S3_BUCKET}/`;
  }

  rateLimited(retryAfterSeconds: number): StandInAnswer {
    const headers = { "retry-after": String(retryAfterSeconds) };
    return { ...problem("SlowDown", "Please reduce your request rate."), headers };
  }

  failed(status: number): StandInAnswer {
    return { ...problem("InternalError", "We encountered an internal error. Please try again."), status };
  }

  answer(call: StandInCall): StandInAnswer {
    const refusal = this.#refusal(call);
    if (refusal !== null) return refusal;
    const [, bucket, key] = /^\/([^/]+)(?:\/(.*))?$/s.exec(decodeURIComponent(call.path)) ?? [];
    if (bucket !== S3_BUCKET) return problem("NoSuchBucket", "The specified bucket does not exist");
    if (call.method !== "GET" && call.method !== "HEAD")
      return problem("MethodNotAllowed", "The method is not allowed");
    return key === undefined || key === "" ? this.#list(call) : this.#object(call, key);
  }

  /** Signature, permission, and who pays. */
  #refusal(call: StandInCall): StandInAnswer | null {
    const body = typeof call.body === "string" ? call.body : JSON.stringify(call.body);
    const verdict = verifySignature({ ...call, body }, KEYS, S3_REGION, this.#nowMs());
    if (verdict === "unsigned") return this.#options.isOpen === true ? null : denied();
    if ("refused" in verdict) return problem(verdict.refused, "The request was refused", verdict.detail);
    if (verdict.key === S3_LIST_KEY && !this.isApi(call.path)) return denied();
    const payer = call.query.get("x-amz-request-payer") ?? call.headers["x-amz-request-payer"];
    return this.#options.requesterPays === true && payer !== "requester" ? denied() : null;
  }

  #list({ query, headers }: StandInCall): StandInAnswer {
    if (query.get("list-type") !== "2") return problem("InvalidArgument", "Only version 2 of lists is there");
    const limit = Math.min(this.#options.pageSize ?? 1000, Number(query.get("max-keys") ?? 1000));
    const all = this.#sorted(query.get("prefix") ?? "");
    const after = afterOf(query.get("continuation-token"));
    const found = after === "" ? 0 : all.findIndex(({ id }) => compareKeys(id, after) > 0);
    const begin = found === -1 ? all.length : found;
    const { circles, repeats } = this.shelf.lists;
    const page = all.slice(repeats ? Math.max(0, begin - 1) : begin, begin + limit);
    const isTruncated = begin + limit < all.length || (circles && all.length > 0);
    const next = begin + limit < all.length ? (page.at(-1)?.id ?? "") : "";
    const isEncoded = query.get("encoding-type") === "url";
    const withRestore = headers["x-amz-optional-object-attributes"] === "RestoreStatus";
    const contents = page.map((video) => contentsOf(video, isEncoded, withRestore)).join("");
    return xml(
      200,
      element(
        "ListBucketResult",
        element("Name", { text: S3_BUCKET }) +
          element("Prefix", { text: query.get("prefix") ?? "" }) +
          element("KeyCount", { text: String(page.length) }) +
          element("MaxKeys", { text: String(limit) }) +
          (isEncoded ? element("EncodingType", { text: "url" }) : "") +
          element("IsTruncated", { text: String(isTruncated) }) +
          (isTruncated ? element("NextContinuationToken", { text: tokenOf(next) }) : "") +
          contents,
      ),
    );
  }

  #object({ method, query }: StandInCall, key: string): StandInAnswer {
    const video = this.shelf.videos.get(key);
    if (video === undefined) return problem("NoSuchKey", "The specified key does not exist.");
    if (query.has("tagging")) return tagsOf(video);
    const headers = objectHeaders(video);
    const own = ownOf(video);
    const isArchived =
      (["GLACIER", "DEEP_ARCHIVE"].includes(own.storageClass) && own.restoredUntil === null) ||
      own.archiveStatus !== null;
    if (method === "GET" && isArchived)
      return problem("InvalidObjectState", "The operation is not valid for the object's storage class");
    if (own.isEmpty)
      return { status: 200, headers: { ...headers, "content-length": "0" }, text: "", contentType: "video/mp4" };
    return { status: 200, headers, content: video.clip.content, contentType: "video/mp4" };
  }

  #sorted(prefix: string): StandInVideo[] {
    return [...this.shelf.videos.values()]
      .filter(({ id }) => id.startsWith(prefix))
      .sort((a, b) => compareKeys(a.id, b.id));
  }
}

/** By the bytes of UTF-8. */
const compareKeys = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Opaque for clients: the last key of the page. */
const tokenOf = (key: string): string => `1${Buffer.from(key).toString("base64")}`;
const afterOf = (token: string | null): string => Buffer.from((token ?? "").slice(1), "base64").toString();

function contentsOf(video: StandInVideo, isEncoded: boolean, withRestore: boolean): string {
  const { storageClass, restoredUntil, isEmpty } = ownOf(video);
  const restore =
    withRestore && restoredUntil !== null
      ? element(
          "RestoreStatus",
          element("IsRestoreInProgress", { text: "false" }) + element("RestoreExpiryDate", { text: restoredUntil }),
        )
      : "";
  return element(
    "Contents",
    element("Key", { text: isEncoded ? urlEncoded(video.id) : video.id }) +
      element("LastModified", { text: new Date(video.createdAtMs).toISOString() }) +
      element("ETag", { text: objectHeaders(video)["etag"] ?? "" }) +
      element("Size", { text: String(isEmpty ? 0 : video.clip.content.size) }) +
      element("StorageClass", { text: storageClass }) +
      restore,
  );
}

function tagsOf(video: StandInVideo): StandInAnswer {
  const tags = Object.entries(ownOf(video).tags).map(([key, value]) =>
    element("Tag", element("Key", { text: key }) + element("Value", { text: value })),
  );
  return xml(200, element("Tagging", element("TagSet", tags.join(""))));
}

const denied = () => problem("AccessDenied", "Access Denied");

function problem(code: string, message: string, region?: string): StandInAnswer {
  const detail = region === undefined ? "" : element("Region", { text: region });
  const answer = xml(
    STATUS[code] ?? 403,
    element("Error", element("Code", { text: code }) + element("Message", { text: message }) + detail),
  );
  return { ...answer, headers: region === undefined ? {} : { "x-amz-bucket-region": region } };
}

const xml = (status: number, text: string): StandInAnswer => ({
  status,
  text: `<?xml version="1.0" encoding="UTF-8"?>\n${text}`,
  contentType: "application/xml",
});
