const rules = new Intl.PluralRules('en', { type: 'ordinal' });
const suffixes: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };
const digits = new Intl.NumberFormat('en');

/** Formats an ordinal number: "1st", "1,203rd". */
export const formatOrdinal = (place: number): string =>
  `${digits.format(place)}${suffixes[rules.select(place)] ?? 'th'}`;
