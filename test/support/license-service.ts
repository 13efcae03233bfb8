/** A licence service as owners run one: keys over CPIX, licences for challenges, and a FairPlay certificate. It remembers what it was asked. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { KEPT_CONNECTIONS } from "./kept-connections.ts";

export interface AskedLicense {
  path: string;
  authorization: string | null;
  contentId: string | null;
  keyIds: string | null;
  /** In Base64. */
  body: string;
}

export interface LicenseService {
  url: string;
  close(): Promise<void>;
}

const NAMESPACES = 'xmlns:cpix="urn:dashif:org:cpix" xmlns:pskc="urn:ietf:params:xml:ns:keyprov:pskc"';
const SYSTEMS = { widevine: "edef8ba9-79d6-4ace-a3c8-27dcd51d21ed", fairplay: "94ce86fb-07ff-4f43-adb8-93d2fa968ca2" };

/** The key of a key id: the same whenever it is asked for. In Base64. */
const serviceKeyOf = (kid: string): string =>
  createHash("sha256").update(`key of ${kid}`).digest().subarray(0, 16).toString("base64");

/** A `pssh` box of Widevine with data of the service's own. */
function psshOf(kid: string): string {
  const data = Buffer.from(`made by the service for ${kid}`);
  const box = Buffer.alloc(32 + data.length);
  box.writeUInt32BE(box.length, 0);
  box.write("pssh", 4, "latin1");
  Buffer.from(SYSTEMS.widevine.replaceAll("-", ""), "hex").copy(box, 12);
  box.writeUInt32BE(data.length, 28);
  data.copy(box, 32);
  return box.toString("base64");
}

/** @param fault of the document: the paths below `/cpix/` */
function keyDocument(request: string, fault: string): string {
  const [, kid = ""] = /<cpix:ContentKey kid="([^"]+)"/.exec(request) ?? [];
  const [, contentId = ""] = /contentId="([^"]+)"/.exec(request) ?? [];
  const [, iv = ""] = /explicitIV="([^"]+)"/.exec(request) ?? [];
  const scheme = fault === "scheme" ? "cenc" : "cbcs";
  const named = fault === "other-key" ? crypto.randomUUID() : kid;
  const value = fault === "short-key" ? "c2hvcnQ=" : serviceKeyOf(kid);
  const uri = fault === "uri" ? "https://elsewhere.example/" : `skd://service/${kid}`;
  if (fault === "depth") return `<cpix:CPIX ${NAMESPACES}>${"<a>".repeat(3000)}${"</a>".repeat(3000)}</cpix:CPIX>`;
  const secret = fault === "encrypted" ? "<pskc:EncryptedValue/>" : `<pskc:PlainValue>${value}</pskc:PlainValue>`;
  return `<?xml version="1.0"?><cpix:CPIX ${NAMESPACES} contentId="${contentId}"><cpix:ContentKeyList>
    <cpix:ContentKey kid="${named}" explicitIV="${iv}" commonEncryptionScheme="${scheme}"><cpix:Data><pskc:Secret>${secret}</pskc:Secret></cpix:Data></cpix:ContentKey>
    </cpix:ContentKeyList><cpix:DRMSystemList>
    <cpix:DRMSystem kid="${named}" systemId="${SYSTEMS.widevine}"><cpix:PSSH>${psshOf(kid)}</cpix:PSSH></cpix:DRMSystem>
    <cpix:DRMSystem kid="${named}" systemId="${SYSTEMS.fairplay}"><cpix:URIExtXKey>${Buffer.from(uri).toString("base64")}</cpix:URIExtXKey></cpix:DRMSystem>
    </cpix:DRMSystemList></cpix:CPIX>`;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

export async function startLicenseService(): Promise<LicenseService> {
  let asked: AskedLicense[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? "/";
    const body = await readBody(request);
    if (path === "/asked") return response.end(JSON.stringify(asked.splice(0)));
    const header = (name: string) => request.headers[name]?.toString() ?? null;
    asked = [
      ...asked.slice(-99),
      {
        path,
        authorization: header("authorization"),
        contentId: header("x-content-id"),
        keyIds: header("x-key-ids"),
        body: body.toString("base64"),
      },
    ];
    const [, kind, detail = ""] = path.split("/");
    switch (kind) {
      case "cpix":
        response.setHeader("content-type", "application/xml");
        return response.end(detail === "text" ? "no document" : keyDocument(body.toString(), detail));
      case "widevine":
      case "fairplay":
        return response.end(Buffer.concat([Buffer.from(`${kind} licence for `), body]));
      case "certificate":
        return response.end("a certificate");
      case "status":
        return response.writeHead(Number(detail), { location: "/widevine" }).end("a reason that viewers do not see");
      case "silent":
        return; // the connection stays open
      case "large":
        return response.end(Buffer.alloc(Number(detail)));
      default:
        return response.writeHead(404).end();
    }
  };
  const server = createServer(
    KEPT_CONNECTIONS,
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
