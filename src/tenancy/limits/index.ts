export { mediaTotalOf } from "./repository.ts";
export { commitInRoom } from "./commit-in-room.ts";
export { countRequest } from "./limit-requests.ts";
