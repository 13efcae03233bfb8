export { encoderAt } from "./gateway.ts";
