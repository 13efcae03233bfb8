/** Vite: the text of a file. */
declare module "*?raw" {
  const text: string;
  export default text;
}
/** Vite: the file as a data URL. */
declare module "*?inline" {
  const dataUrl: string;
  export default dataUrl;
}
/** The package has types for its main file only. */
declare module "tus-js-client/lib.esm/browser/index.js" {
  export * from "tus-js-client";
}
