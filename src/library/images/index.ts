export { type ImageAnswer, imageMaker, type ImageOrder, REVIEW } from "./image-calls.ts";
export { POSTER_NAME } from "./make-image.ts";
export { clipOrder, sheetOrder, stillOrder } from "./orders.ts";
