/** A part of a source file that people read: a comment, the content of a string or template, or text of a page. */
export interface Part {
  kind: 'comment' | 'string' | 'text';
  /** Index of the first character in the file. */
  at: number;
  text: string;
}

const voidTags = new Set(['area', 'base', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr']);
/** Attributes that are lists of names or numbers. */
const unread = /(?:class|class:list|style|d|viewBox|points|rel|sizes|content|transform)=$/;

/** Reads the comments, strings and page texts of a TypeScript, JavaScript or Astro file in order. */
export function scan(source: string, isPage: boolean): Part[] {
  const parts: Part[] = [];
  let at = 0;
  const has = (text: string) => source.startsWith(text, at);
  const add = (kind: Part['kind'], from: number, to: number) =>
    parts.push({ kind, at: from, text: source.slice(from, to) });

  function skipTo(end: string, after = at): void {
    const found = source.indexOf(end, after);
    at = found === -1 ? source.length : found + end.length;
  }

  function comment(end: string): void {
    const from = at;
    skipTo(end, at + 2);
    if (end === '\n') at--;
    add('comment', from, at);
  }

  function string(quote: string): void {
    const from = ++at;
    while (at < source.length && !has(quote) && (quote === '"' || !has('\n'))) at += has('\\') ? 2 : 1;
    add('string', from, at);
    at++;
  }

  /** A template. Expressions are blanks in its text, and their strings are separate parts. */
  function template(): void {
    const isSql = /\bsql(?:<[^`]*>)?$/.test(source.slice(Math.max(0, at - 80), at));
    const from = ++at;
    let text = '';
    while (at < source.length && !has('`')) {
      const start = at;
      if (has('${')) {
        at += 2;
        code('}', false);
        text += source.slice(start, at).replace(/[^\n]/g, ' ');
        continue;
      }
      at += has('\\') ? 2 : 1;
      text += source.slice(start, at);
    }
    if (!isSql) parts.push({ kind: 'string', at: from, text });
    at++;
  }

  /** Whether a slash or a `<` at this place begins a value, because what precedes it cannot end one. */
  const beginsValue = () => /(?:^|[(,=:[!&|?{};>+]|\breturn)\s*$/.test(source.slice(Math.max(0, at - 60), at));

  function regex(): void {
    const [literal] = /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//.exec(source.slice(at, at + 2000)) ?? ['/'];
    at += literal.length;
  }

  /** Code, to the bracket that closes it or to the end. */
  function code(end: string | null, hasTags: boolean, to = source.length): void {
    let depth = 0;
    while (at < to) {
      const char = source[at] ?? '';
      if (has('//')) comment('\n');
      else if (has('/*')) comment('*/');
      else if (char === '"' || char === "'") string(char);
      else if (char === '`') template();
      else if (char === '/' && beginsValue()) regex();
      else if (hasTags && /^<[A-Za-z>]/.test(source.slice(at, at + 2)) && beginsValue()) markup();
      else {
        at++;
        if (end !== null && char === '{') depth++;
        if (char === end && depth-- === 0) return;
      }
    }
  }

  /** One tag, whose name is returned with a slash before that of a closing tag and after that of an empty one. */
  function tag(): string {
    const [, name = ''] = /^<(\/?[\w.:-]*)/.exec(source.slice(at, at + 80)) ?? [];
    at += 1 + name.length;
    while (at < source.length && !has('>')) {
      const before = source.slice(Math.max(0, at - 20), at);
      if (has('{')) {
        at++;
        code('}', true);
      } else if (has('`')) template();
      else if (has('"') || has("'")) {
        string(source[at] ?? '"');
        if (unread.test(before)) parts.pop();
      } else at++;
    }
    const isEmpty = source[at - 1] === '/' || voidTags.has(name.toLowerCase());
    at++;
    return isEmpty ? `${name}/` : name;
  }

  /** Markup: one element with all that is in it, or everything to the end. */
  function markup(isWhole = false): void {
    let depth = 0;
    let from = at;
    const endText = () => {
      if (at > from) add('text', from, at);
    };
    while (at < source.length) {
      if (!/[<{]/.test(source[at] ?? '')) {
        at++;
        continue;
      }
      endText();
      if (has('<!--')) comment('-->');
      else if (has('{')) {
        at++;
        code('}', true);
      } else {
        const name = tag();
        if (name === 'style' || name === 'script') {
          skipTo(`</${name}>`);
        } else if (name.startsWith('/')) depth--;
        else if (!name.endsWith('/') && name !== '!doctype') depth++;
        if (depth <= 0 && !isWhole) return;
      }
      from = at;
    }
    endText();
  }

  const head = isPage ? (/^---\n.*?\n---\n/s.exec(source)?.[0].length ?? 0) : 0;
  if (!isPage) code(null, false);
  else {
    if (head > 0) {
      at = 4;
      code(null, false, head - 4);
      at = head;
    }
    markup(true);
  }
  return parts;
}
