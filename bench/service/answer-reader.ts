/** A complete response. */
export interface Whole {
  status: number;
  /** The first kilobyte of the body if the status is not the expected one; empty otherwise. */
  text: string;
  /** True if the server closes the connection after it. */
  isLast: boolean;
}

/** Reads the responses of a connection, one at a time. */
export interface AnswerReader {
  /**
   * Reads received bytes from a buffer that can be reused afterwards. Returns the response that ends with them, or null if it is
   * incomplete.
   *
   * @throws Error if they are not HTTP/1.1, or if bytes follow the response
   */
  read(bytes: Buffer): Whole | null;
  /**
   * Call this when the connection has ended.
   *
   * @throws Error if the response is incomplete
   */
  end(): Whole;
}

type Part = 'head' | 'length' | 'until the end' | 'chunk size' | 'chunk' | 'end of chunk' | 'trailers';

const [headEnd, lineEnd, nothing] = [Buffer.from('\r\n\r\n'), Buffer.from('\r\n'), Buffer.alloc(0)];
const textMost = 1000;

/** The value of a header in a lower-case head; null if absent. */
function headerIn(head: string, name: string): string | null {
  const at = head.indexOf(`\r\n${name}:`);
  if (at === -1) return null;
  const from = at + name.length + 3;
  const to = head.indexOf('\r\n', from);
  return head.slice(from, to === -1 ? undefined : to).trim();
}

function readNumber(text: string, pattern: RegExp, radix: number): number {
  if (!pattern.test(text)) throw new Error(`"${text.slice(0, 40)}" is no length of a body`);
  return Number.parseInt(text, radix);
}

/**
 * Reads responses to GET and POST with the framing of RFC 9112: by Content-Length, in chunks, or until the connection ends.
 *
 * @param wanted the status whose bodies are skipped; null for any
 */
export function createAnswerReader(wanted: number | null): AnswerReader {
  let part: Part = 'head';
  let rest: Buffer = nothing;
  let left = 0;
  let status = 0;
  let text = '';
  let isLast = false;

  const finish = (): Whole => {
    const whole = { status, text, isLast };
    [part, text] = ['head', ''];
    return whole;
  };

  /** Returns true if the response has no body. */
  const readHead = (head: string): boolean => {
    if (!/^http\/1\.[01] \d{3}(?: |\r|$)/.test(head)) throw new Error(`"${head.slice(0, 40)}" is no answer`);
    status = Number(head.slice(9, 12));
    if (status < 200) return false;
    isLast = head[7] === '0' || headerIn(head, 'connection') === 'close';
    if (status === 204 || status === 304) return true;
    const coding = headerIn(head, 'transfer-encoding');
    const length = headerIn(head, 'content-length');
    if (coding !== null) {
      if (coding !== 'chunked') throw new Error(`the transfer coding ${coding} is not known`);
      part = 'chunk size';
    } else if (length !== null) {
      left = readNumber(length, /^\d+$/, 10);
      part = 'length';
    } else {
      part = 'until the end';
      isLast = true;
    }
    return part === 'length' && left === 0;
  };

  const keep = (bytes: Buffer, from: number, to: number) => {
    if (wanted !== null && status !== wanted && text.length < textMost)
      text += bytes.toString('utf8', from, Math.min(to, from + textMost - text.length));
  };

  /** Reads the bytes between two chunks; returns true at the end of the last. */
  const readLine = (line: string): boolean => {
    if (part === 'chunk size') {
      left = readNumber(line.replace(/;.*$/, '').trim(), /^[0-9a-f]+$/i, 16);
      part = left === 0 ? 'trailers' : 'chunk';
    } else if (part === 'end of chunk') {
      if (line !== '') throw new Error('a chunk is longer than it says');
      part = 'chunk size';
    } else return line === '';
    return false;
  };

  /** Reads as far as possible from an offset; returns the next offset, and whether the response ends there. */
  const step = (bytes: Buffer, at: number): { next: number; isDone: boolean } | null => {
    if (part === 'length' || part === 'chunk') {
      const next = Math.min(bytes.length, at + left);
      keep(bytes, at, next);
      left -= next - at;
      if (left > 0) return { next, isDone: false };
      const isDone = part === 'length';
      part = 'end of chunk';
      return { next, isDone };
    }
    if (part === 'until the end') {
      keep(bytes, at, bytes.length);
      return { next: bytes.length, isDone: false };
    }
    const mark = part === 'head' ? headEnd : lineEnd;
    const end = bytes.indexOf(mark, at);
    if (end === -1) return null;
    const line = bytes.toString('latin1', at, end);
    return { next: end + mark.length, isDone: part === 'head' ? readHead(line.toLowerCase()) : readLine(line) };
  };

  return {
    read(arrived) {
      const bytes = rest.length === 0 ? arrived : Buffer.concat([rest, arrived]);
      rest = nothing;
      let at = 0;
      while (at < bytes.length) {
        const stepped = step(bytes, at);
        if (stepped === null) {
          rest = Buffer.from(bytes.subarray(at));
          return null;
        }
        at = stepped.next;
        if (!stepped.isDone) continue;
        if (at < bytes.length) throw new Error(`${bytes.length - at} bytes follow the answer`);
        return finish();
      }
      return null;
    },
    end() {
      if (part !== 'until the end') throw new Error('the connection ended before the answer did');
      return finish();
    },
  };
}
