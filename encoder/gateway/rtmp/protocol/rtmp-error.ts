/** A protocol error that ends the connection. Its message never contains input of the peer. */
export class RtmpError extends Error {}
