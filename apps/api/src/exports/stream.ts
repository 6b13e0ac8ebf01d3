/** Bytes that are made before the reader asks: a short list is read at once, however slow its reader. */
const aheadBytes = 4 * 1024 * 1024;

/** A reader that takes nothing for so long is gone, whatever the connection says. */
const patienceDefault_ms = 60_000;

type Part = Uint8Array<ArrayBuffer>;
type Controller = ReadableStreamDefaultController<Part>;

/**
 * Bytes as the reader takes them, the first of which were asked for already. A failure breaks the answer off, so that an
 * export that ends is whole; `fail` is told of it. When the reader leaves or falls asleep, whatever the bytes were made
 * from is let go.
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
      controller.error(new Error('The reader took nothing for too long.'));
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
