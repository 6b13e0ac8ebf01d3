import { DatasetError } from './dataset-error.ts';

/** A record and its place; numbers from 1. */
export interface LocatedRecord {
  value: unknown;
  record: number;
  line: number;
}

const [quote, backslash, openBrace, closeBrace] = [0x22, 0x5c, 0x7b, 0x7d];
const [openBracket, closeBracket, comma, newline] = [0x5b, 0x5d, 0x2c, 0x0a];
const isBlank = (byte: number) => byte === 0x20 || byte === 0x09 || byte === newline || byte === 0x0d;

/** What may be between two records. */
type Between = 'start' | 'record_or_end' | 'record' | 'separator_or_end' | 'done';

/**
 * Objects of a JSON array, or one after another with blanks between (JSONL), out of bytes in any pieces. A file of more
 * than half a gigabyte is no string that JSON.parse could take, and most of it is not needed.
 */
export function createJsonScanner(name: string, recordBytesMax: number) {
  let between: Between = 'start';
  let isArray = false;
  let [depth, isString, isEscaped] = [0, false, false];
  let [record, line, recordLine] = [0, 1, 1];
  let held: Uint8Array[] = [];
  let heldBytes = 0;

  const fail = (code: 'json_invalid' | 'text_invalid' | 'too_large', message: string, cause?: unknown) =>
    new DatasetError(code, `${name}, line ${recordLine}: ${message}`, { record, line: recordLine }, { cause });

  function hold(bytes: Uint8Array): void {
    heldBytes += bytes.byteLength;
    if (heldBytes > recordBytesMax) throw fail('too_large', `record ${record} has more than ${recordBytesMax} bytes`);
    held.push(bytes);
  }

  function take(): LocatedRecord {
    const bytes = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
    [held, heldBytes] = [[], 0];
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch (error) {
      throw fail('text_invalid', `record ${record} is not UTF-8`, error);
    }
    try {
      return { value: JSON.parse(text), record, line: recordLine };
    } catch (error) {
      const why = error instanceof Error ? ` (${error.message.slice(0, 120)})` : '';
      throw fail('json_invalid', `record ${record} is not JSON${why}`, error);
    }
  }

  /** A byte outside of records. */
  function step(byte: number): void {
    if (byte === openBrace && between !== 'done' && !(between === 'separator_or_end' && isArray)) {
      [record, recordLine, depth] = [record + 1, line, 1];
      return;
    }
    recordLine = line;
    if (byte === openBracket && between === 'start') [isArray, between] = [true, 'record_or_end'];
    else if (byte === comma && between === 'separator_or_end' && isArray) between = 'record';
    else if (byte === closeBracket && isArray && (between === 'record_or_end' || between === 'separator_or_end'))
      between = 'done';
    else if (!isBlank(byte))
      throw fail('json_invalid', `${String.fromCharCode(byte)} is unexpected: a record is an object in { and }`);
  }

  /** Where the record ends that is open at `from`: the index after it, or the end of the chunk. */
  function recordEnd(chunk: Uint8Array, from: number): number {
    let index = from;
    for (; index < chunk.length && depth > 0; index++) {
      const byte = chunk[index];
      if (byte === newline) line++;
      if (isEscaped) isEscaped = false;
      else if (isString) {
        if (byte === backslash) isEscaped = true;
        else if (byte === quote) isString = false;
      } else if (byte === quote) isString = true;
      else if (byte === openBrace) depth++;
      else if (byte === closeBrace) depth--;
    }
    return index;
  }

  return {
    /** The records that end in this piece. */
    *push(chunk: Uint8Array): Generator<LocatedRecord> {
      let index = 0;
      while (index < chunk.length) {
        let start = index;
        if (depth === 0) {
          const byte = chunk[index] ?? 0;
          if (byte === newline) line++;
          step(byte);
          start = index;
          index++;
          if (depth === 0) continue;
        }
        index = recordEnd(chunk, index);
        hold(chunk.subarray(start, index));
        if (depth > 0) return;
        between = 'separator_or_end';
        yield take();
      }
    },
    /** Throws where the file breaks off. */
    end(): void {
      if (depth > 0) throw fail('json_invalid', `the file ends inside record ${record}`);
      if (isArray && between !== 'done') throw fail('json_invalid', 'the file ends inside its list');
    },
  };
}
