import { LARGEST_SITE, networkOf } from "../../../protocol/network-of.ts";

/** Cloudflare sends it with every request. */
const ADDRESS = "cf-connecting-ip";

/** Whether the request names the address that it comes from. Without it, all clients would be one network. */
const namesNetwork = ({ headers }: Request): boolean => headers.has(ADDRESS);

/** Who sent something: a request, or a network that another service names. */
export type Sender = Request | { network: string };

export const namesSender = (sender: Sender): boolean => "network" in sender || namesNetwork(sender);
export const networkOfSender = (sender: Sender): string =>
  "network" in sender ? sender.network : networkOfRequest(sender);

/** The network that sent a request: an IPv4 address or an IPv6 /48, the most that one site has (RFC 6177). */
export const networkOfRequest = ({ headers }: Request): string =>
  networkOf(headers.get(ADDRESS) ?? "none", LARGEST_SITE);
