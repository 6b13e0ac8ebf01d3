const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** A spreadsheet would run a text that begins so; an apostrophe before it shows it as it is. */
export const guarded = (text: string) => (formula.test(text) ? `'${text}` : text);

/** The text of a cell without the apostrophe that kept a spreadsheet from running it. */
export const unguarded = (text: string) => (text.startsWith("'") && formula.test(text) ? text.slice(1) : text);
