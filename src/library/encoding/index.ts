export { encoderAt } from "./encoder-client.ts";
