const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** A spreadsheet would execute text with this prefix. A leading apostrophe makes it display the text unchanged. */
export const guarded = (text: string) => (formula.test(text) ? `'${text}` : text);

/** Removes the apostrophe that keeps a spreadsheet from executing the text of a cell. */
export const unguarded = (text: string) => (text.startsWith("'") && formula.test(text) ? text.slice(1) : text);
