/**
 * Options of a server that a Worker calls: it never ends an idle connection. workerd sends requests on kept connections, also at the moment at which
 * Node ends one, after 5 s without a request, and such a request fails without a fault of either side.
 */
export const KEPT_CONNECTIONS = { keepAliveTimeout: 0 };
