export { mediaTotalOf } from "./repository.ts";
export { requireRoomForMedia, requireRoomForStream } from "./require-room.ts";
