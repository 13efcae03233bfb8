import { LARGEST_SITE, networkOf } from "../../../protocol/network-of.ts";

/** Cloudflare sends it with every request. */
const ADDRESS = "cf-connecting-ip";

/** Whether the request names the address that it comes from. Without it, all clients would be one network. */
export const namesNetwork = ({ headers }: Request): boolean => headers.has(ADDRESS);

/** The network that sent a request: an IPv4 address or an IPv6 /48, the most that one site has (RFC 6177). */
export const networkOfRequest = ({ headers }: Request): string =>
  networkOf(headers.get(ADDRESS) ?? "none", LARGEST_SITE);
