/** Bytes produced ahead of the client: a short list is read at once, however slow the client is. */
const aheadBytes = 4 * 1024 * 1024;

/** Timeout for a client that reads nothing, even if the connection is open. */
const patienceDefault_ms = 60_000;

type Part = Uint8Array<ArrayBuffer>;
type Controller = ReadableStreamDefaultController<Part>;

/**
 * Streams bytes at the client's pace; the first part was already requested. An error aborts the response, so that a complete
 * export ends normally; `fail` receives the error. If the client disconnects or times out, the source is closed.
 */
export function toStream(
  first: IteratorResult<Part, void>,
  parts: AsyncGenerator<Part, void>,
  fail: (error: unknown) => void,
  patience_ms = patienceDefault_ms,
): ReadableStream<Part> {
  let asleep: NodeJS.Timeout | undefined;
  let isGone = false;
  const leave = async () => {
    isGone = true;
    clearTimeout(asleep);
    await parts.return(undefined);
  };
  const give = (controller: Controller, { done, value }: IteratorResult<Part, void>) => {
    if (isGone) return;
    if (done) return controller.close();
    controller.enqueue(value);
    if ((controller.desiredSize ?? 0) > 0) return;
    asleep = setTimeout(() => {
      controller.error(new Error('The client read nothing for too long.'));
      leave().catch(fail);
    }, patience_ms);
  };
  return new ReadableStream(
    {
      start: (controller) => give(controller, first),
      async pull(controller) {
        clearTimeout(asleep);
        try {
          give(controller, await parts.next());
        } catch (error) {
          fail(error);
          throw error;
        }
      },
      cancel: leave,
    },
    { highWaterMark: aheadBytes, size: (bytes) => bytes.byteLength },
  );
}
