/** The rules live with the encoder, which plans the ladder of a live broadcast itself, in a container that has no other folder. */
export * from "../../encoder/ladder.ts";
