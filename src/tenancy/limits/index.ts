export { mediaTotalOf } from "./repository.ts";
export { requireRoomForMedia, requireRoomForStream, requireRoomForUpload } from "./require-room.ts";
export { countRequest } from "./limit-requests.ts";
