import { expect, test } from "vitest";
import { isNamedClient } from "../../../src/library/assets/named-clients.ts";

const JAVA = "fastpix-sdk/java 1.0.4 2.768.1 1.0.0 io.fastpix.sdk";

test.each([
  ["fastpix-sdk/java 1.0.4", JAVA],
  ["fastpix-sdk/java 1.0.4", JAVA.replace("1.0.4", "1.0.10")],
  ["fastpix-sdk/java 1.0.4", JAVA.replace("1.0.4", "2.0.0-beta.1")],
  ["FastPix-SDK/Java/1.0.4", JAVA],
  ["fastpix-sdk/java", JAVA.replace("1.0.4", "1.0.3")],
  ["other-sdk, acme-sdk/3", "Acme-SDK/3.1 (node)"],
  ["acme-sdk", "Acme-SDK/3.1 (node)"],
  ["acme-sdk v3", "acme-sdk/v3"],
  ["Acme Player", "Mozilla/5.0 (X11; Acme Player)"],
  [" *", ""],
])("the setting %j names the client %j", (setting, userAgent) => {
  expect(isNamedClient(setting, userAgent)).toBe(true);
});

test.each([
  ["fastpix-sdk/java 1.0.4", JAVA.replace("1.0.4", "1.0.3")],
  ["fastpix-sdk/java 1.0.4", JAVA.replace("java", "javascript")],
  ["fastpix-sdk/java", JAVA.replace("java", "javascript")],
  ["fastpix-sdk", JAVA],
  ["fastpix-sdk/java 1.0.4", "fastpix-sdk/java"],
  ["sdk/java 1.0.4", JAVA],
  ["acme-sdk/3", "acme-sdk/2.9 (node 22)"],
  ["acme-sdk 3", "acme-sdk beta 3"],
  ["", JAVA],
  [",", ""],
  ["fastpix-sdk/java 1.0.4", ""],
])("the setting %j does not name the client %j", (setting, userAgent) => {
  expect(isNamedClient(setting, userAgent)).toBe(false);
});
