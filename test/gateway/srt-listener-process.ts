/** An SRT listener in a separate process, for tests that exhaust its resources. It prints its port, then its log. */
import { openSrtListener } from "../../encoder/gateway/srt/listener.ts";
import { TestReception } from "./reception.ts";

const [key = "", passphrase = ""] = process.argv.slice(2);
const reception = new TestReception();
reception.passphrases.set(key, passphrase);
const { port } = await openSrtListener({ host: "127.0.0.1", port: 0 }, reception);
console.log(JSON.stringify({ port }));
await reception.whole(key);
console.log(JSON.stringify({ whole: true }));
