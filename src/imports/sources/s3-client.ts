/** Signed calls of one bucket. Signatures are those of `aws4fetch`; documents: Amazon S3 API reference, read November 2026. */
import { AwsV4Signer } from "aws4fetch";
import type { SourceHttp, SourceReply } from "./source-http.ts";
import { bucketAddress, encodeText, type S3Options } from "./s3-addresses.ts";

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

/** An archived copy's state is asked of AWS only: other stores may refuse headers that they do not know. */
const RESTORE_STATUS = { "x-amz-optional-object-attributes": "RestoreStatus" };

export class S3Client {
  readonly #http: SourceHttp;
  readonly #options: S3Options;
  readonly #credentials: S3Credentials | null;
  readonly #nowMs: () => number;
  readonly #address;

  constructor(http: SourceHttp, options: S3Options, credentials: S3Credentials | null, nowMs: () => number) {
    this.#http = http;
    this.#options = options;
    this.#credentials = credentials;
    this.#nowMs = nowMs;
    this.#address = bucketAddress(http.base, http.isStandIn, options);
  }

  /** @param limit objects, at most 1,000 */
  list(after: string | null, limit: number): Promise<SourceReply> {
    const { prefix, endpoint } = this.#options;
    const query = Object.entries({
      "list-type": "2",
      "encoding-type": "url",
      "max-keys": String(limit),
      ...(prefix === undefined || prefix === "" ? {} : { prefix }),
      ...(after === null ? {} : { "continuation-token": after }),
    });
    const search = query.map(([name, value]) => `${name}=${encodeText(value)}`).join("&");
    return this.#send("GET", `${this.#address.list}?${search}`, endpoint === undefined ? RESTORE_STATUS : {});
  }

  head(key: string): Promise<SourceReply> {
    return this.#send("HEAD", this.#address.of(key));
  }

  /** The first byte, for the error in words: refusals of HEAD have no body. */
  firstByte(key: string): Promise<SourceReply> {
    return this.#send("GET", this.#address.of(key), { range: "bytes=0-0" });
  }

  tags(key: string): Promise<SourceReply> {
    return this.#send("GET", `${this.#address.of(key)}?tagging=`);
  }

  /** An address of the object that needs no credentials; it carries a signature unless the bucket is open. @param lifetimeMs at most 7 days */
  async presign(key: string, lifetimeMs: number): Promise<string> {
    const address = new URL(this.#address.of(key));
    if (this.#credentials === null) return address.href;
    address.searchParams.set("X-Amz-Expires", String(Math.floor(lifetimeMs / 1000)));
    if (this.#options.requesterPays) address.searchParams.set("x-amz-request-payer", "requester");
    const { url } = await this.#signer("GET", address.href, {}, this.#credentials, true).sign();
    return url.href;
  }

  async #send(method: "GET" | "HEAD", url: string, extra: Record<string, string> = {}): Promise<SourceReply> {
    const headers = { ...extra, ...(this.#options.requesterPays ? { "x-amz-request-payer": "requester" } : {}) };
    if (this.#credentials === null) return this.#http.send({ method, url, headers });
    const signed = await this.#signer(method, url, headers, this.#credentials, false).sign();
    return this.#http.send({ method, url: signed.url.href, headers: Object.fromEntries(signed.headers) });
  }

  #signer(
    method: string,
    url: string,
    headers: Record<string, string>,
    credentials: S3Credentials,
    signQuery: boolean,
  ) {
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    return new AwsV4Signer({
      method,
      url,
      headers,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      service: "s3",
      region: this.#options.region,
      datetime: new Date(this.#nowMs()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ""),
      signQuery,
    });
  }
}
