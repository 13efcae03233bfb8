/** Why a host may not, or cannot, be contacted. */
export type NetworkErrorCode = "forbidden" | "unresolvable";

const MESSAGES: Record<NetworkErrorCode, string> = {
  forbidden: "the host is not on the public network",
  unresolvable: "the host name has no address",
};

export class NetworkError extends Error {
  override readonly name = "NetworkError";
  readonly code: NetworkErrorCode;
  constructor(code: NetworkErrorCode, options?: ErrorOptions) {
    super(MESSAGES[code], options);
    this.code = code;
  }
}
