import { describe, expect, test } from "vitest";
import { checkPublicUrl, MAX_URL_LENGTH, type PublicUrlProblem } from "../../../../src/platform/network/public-url.ts";

const refused: [string, PublicUrlProblem][] = [
  ["", "malformed"],
  ["clip.mp4", "malformed"],
  ["//cdn.example.com/a.mp4", "malformed"],
  ["/a.mp4", "malformed"],
  ["http://", "malformed"],
  ["https://", "malformed"],
  ["http:///", "malformed"],
  ["http://?a", "malformed"],
  ["http://exa mple.com/", "malformed"],
  ["http://example.com:99999/", "malformed"],
  ["http://[::1/", "malformed"],
  ["http://1.2.3.4.5.6.7.256/", "malformed"],
  ["http://cdn.example.com/a\nb.mp4", "malformed"],
  ["http://cdn.example\t.com/a.mp4", "malformed"],
  ["http://cdn.example.com/\u0000", "malformed"],
  ["\nhttp://cdn.example.com/", "malformed"],
  ["ftp://cdn.example.com/a.mp4", "scheme"],
  ["file:///etc/passwd", "scheme"],
  ["data:video/mp4;base64,AAAA", "scheme"],
  ["javascript:alert(1)", "scheme"],
  ["s3://bucket/a.mp4", "scheme"],
  ["rtmp://live.example.com/a", "scheme"],
  ["ws://cdn.example.com/", "scheme"],
  ["blob:https://example.com/1", "scheme"],
  ["gopher://127.0.0.1:25/", "scheme"],
  ["https://user@cdn.example.com/a.mp4", "credentials"],
  ["https://user:secret@cdn.example.com/a.mp4", "credentials"],
  ["https://:secret@cdn.example.com/a.mp4", "credentials"],
  ["https://example.com@127.0.0.1/", "credentials"],
  ["http://127.0.0.1/", "forbidden_host"],
  ["http://2130706433/", "forbidden_host"],
  ["http://0x7f.1/a", "forbidden_host"],
  ["http://0/", "forbidden_host"],
  ["http://169.254.169.254/latest/meta-data/", "forbidden_host"],
  ["http://[::1]:8080/", "forbidden_host"],
  ["http://[fd00:ec2::254]/", "forbidden_host"],
  ["http://[::ffff:10.0.0.1]/", "forbidden_host"],
  ["http://localhost/", "forbidden_host"],
  ["http://LocalHost./", "forbidden_host"],
  ["https://nas.local/film.mp4", "forbidden_host"],
  ["https://metadata.google.internal/", "forbidden_host"],
];

test.each(refused)("%j is refused: %s", (text, problem) => {
  expect(checkPublicUrl(text, false)).toMatchObject({ ok: false, problem });
});

test.each([
  ["https://cdn.example.com/a.mp4", "https://cdn.example.com/a.mp4"],
  ["HTTP://CDN.Example.com:80/a.mp4?x=1&y=%20", "http://cdn.example.com/a.mp4?x=1&y=%20"],
  ["https://cdn.example.com:8443/a/../b.mp4", "https://cdn.example.com:8443/b.mp4"],
  ["https://cdn.example.com/my film.mp4", "https://cdn.example.com/my%20film.mp4"],
  ["https://cdn.example.com/a.mp4#t=10", "https://cdn.example.com/a.mp4"],
  ["https://bücher.example/a.mp4", "https://xn--bcher-kva.example/a.mp4"],
  ["https://8.8.8.8/a.mp4", "https://8.8.8.8/a.mp4"],
  ["http://[2606:4700::1]/a.mp4", "http://[2606:4700::1]/a.mp4"],
])("%j is contacted as %j", (text, href) => {
  const checked = checkPublicUrl(text, false);
  expect(checked.ok && checked.url.href).toBe(href);
});

describe("a private network that is allowed", () => {
  test.each(["http://127.0.0.1:8000/a.mp4", "http://localhost/a.mp4", "http://nas.local/a.mp4", "http://[::1]/"])(
    "lets %s through",
    (text) => {
      expect(checkPublicUrl(text, true).ok).toBe(true);
    },
  );
  test.each(["file:///etc/passwd", "ftp://127.0.0.1/", "http://user@127.0.0.1/", "nonsense"])(
    "still refuses %s",
    (text) => {
      expect(checkPublicUrl(text, true).ok).toBe(false);
    },
  );
});

test("the longest URL is accepted and one character more is not", () => {
  const longest = "https://cdn.example.com/".padEnd(MAX_URL_LENGTH, "a");
  expect(checkPublicUrl(longest, false).ok).toBe(true);
  expect(checkPublicUrl(`${longest}a`, false)).toMatchObject({ ok: false, problem: "too_long" });
});
