/** A column of a text table. */
export interface TextColumn<R> {
  title: string;
  /** Numbers are aligned to the right. */
  isNumber?: boolean;
  of: (row: R) => string;
}

const gap = '  ';

/** Rows as lines of aligned columns under their titles. Columns without any text are omitted. */
export function textTable<R>(rows: readonly R[], columns: readonly TextColumn<R>[]): string {
  const cells = columns
    .map(({ title, isNumber = false, of }) => {
      const texts = rows.map((row) => of(row).replace(/\s+/gu, ' ').trim());
      const width = Math.max(...[title, ...texts].map((text) => [...text].length));
      const padded = [title, ...texts].map((text) => {
        const blanks = ' '.repeat(width - [...text].length);
        return isNumber ? blanks + text : text + blanks;
      });
      return { padded, isEmpty: texts.every((text) => text === '') };
    })
    .filter(({ isEmpty }) => !isEmpty);
  const lines = [-1, ...rows.keys()].map((at) => cells.map(({ padded }) => padded[at + 1]).join(gap));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
