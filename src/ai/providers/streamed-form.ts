/** A file of a form, which is opened each time that it is sent. */
export interface FormFile {
  name: string;
  type: string;
  /** Its length. */
  bytes: number;
  open: () => Promise<ReadableStream<Uint8Array>>;
}

/** A form on its way. */
export interface StreamedForm {
  contentType: string;
  body: ReadableStream<Uint8Array>;
  /** Whether all of it has been taken: a server may have worked then. */
  isSent: () => boolean;
  /** Closes the file, when nobody reads any further. */
  stop: () => void;
}

/**
 * A form (RFC 7578) whose last field is a file. The file flows through: as forms of the runtime, four pieces of sound that are sent at the same time have 40 MB.
 *
 * @param fields in their order, before the file
 * @param field of the file
 */
export function streamForm(
  fields: readonly (readonly [name: string, value: string])[],
  field: string,
  file: FormFile,
): StreamedForm {
  const boundary = `form-${crypto.randomUUID()}`;
  const encoder = new TextEncoder();
  const head = encoder.encode(
    [
      ...fields.map(
        ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      ),
      `--${boundary}\r\ncontent-disposition: form-data; name="${field}"; filename="${file.name}"\r\n`,
      `content-type: ${file.type}\r\n\r\n`,
    ].join(""),
  );
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
  const parts = partsOf(head, file, tail);
  const whole = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await parts.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await parts.return()),
  });
  const { readable, writable } = new FixedLengthStream(head.length + file.bytes + tail.length);
  const stopping = new AbortController();
  // The receiver has an error as that of its body.
  let isSent = false;
  whole.pipeTo(writable, { signal: stopping.signal }).then(
    () => (isSent = true),
    () => undefined,
  );
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: readable,
    isSent: () => isSent,
    stop: () => stopping.abort(),
  };
}

async function* partsOf(head: Uint8Array, file: FormFile, tail: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield head;
  yield* await file.open();
  yield tail;
}
