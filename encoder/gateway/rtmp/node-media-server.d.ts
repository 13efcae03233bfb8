/** Types for the parts of node-media-server 4.4 in use; the package has none. */
declare module "node-media-server/src/protocol/rtmp.js" {
  interface Message {
    header: { fmt: number; cid: number; timestamp: number; length: number; type: number; stream_id: number };
    /** Timestamp of the whole message, in milliseconds. */
    clock: number;
    /** Reused by the next message of the chunk stream; only the first `header.length` bytes belong to this one. */
    payload: Buffer;
    capacity: number;
    /** Bytes received so far. */
    bytes: number;
  }

  class Rtmp {
    flv: unknown;
    /** 0 to 3; 3 = C0, C1 and C2 have been received. */
    handshakeState: number;
    streamId: number | undefined;
    inChunkSize: number;
    ackSize: number | undefined;
    parserPacket: Message;
    /** Bytes of the current chunk header. */
    parserBytes: number;
    outChunkSize: number;
    inPackets: Map<number, Message>;
    onOutputCallback: (bytes: Buffer) => void;

    /** @returns an error message or null; broken input may also throw */
    parserData(bytes: Buffer): string | null;
    packetParse(): void;
    packetAlloc(): void;
    controlHandler(): void;
    invokeHandler(): void;
    dataHandler(): void;
    sendACK(bytes: number): void;
    sendInvokeMessage(streamId: number, message: object): void;
    sendWindowACK(bytes: number): void;
    setPeerBandwidth(bytes: number, limitType: number): void;
    setChunkSize(bytes: number): void;
    static chunksCreate(message: Pick<Message, "header" | "payload">): Buffer;
  }
  export default Rtmp;
}

declare module "node-media-server/src/protocol/rtmp_client.js" {
  import type { Socket } from "node:net";
  import type Rtmp from "node-media-server/src/protocol/rtmp.js";

  class RtmpClient extends Rtmp {
    socket: Socket | null;
    /** 0 until a stream has been created. */
    streamId: number;
    outChunkSize: number;
    onHandshakeCallback: () => void;
    onErrorCallback: (error: Error) => void;
    onStatusCallback: (code: string, info: { level?: string; description?: string }) => void;
    handleData: (bytes: Buffer) => void;
    sendClientHandshake(): void;
    /** Resolves with the `_result`, rejects with the `_error`. */
    sendCommand(name: string, fields: object, streamId?: number): Promise<unknown>;
    sendCreateStream(): Promise<number>;
    sendPublish(name: string): Promise<unknown>;
    rejectAllPending(error: Error): void;
  }
  export default RtmpClient;
}

declare module "node-media-server/src/protocol/flv.js" {
  const Flv: {
    createHeader(hasAudio: boolean, hasVideo: boolean): Buffer;
    createMessage(tag: { codec_type: number; dts: number; size: number; data: Buffer }): Buffer;
  };
  export default Flv;
}

declare module "node-media-server/src/core/logger.js" {
  const logger: { log(message: string, level?: string): void };
  export default logger;
}
