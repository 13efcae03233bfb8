export { mediaTotalOf } from "./repository.ts";
export { requireRoomForMedia, requireRoomForStream, requireRoomForUpload } from "./require-room.ts";
