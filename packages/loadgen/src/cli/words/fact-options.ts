/** Query parameters in a message of the service, as options of the command: "gpu=h100" becomes "--gpu h100". */
export function withOptions(text: string, parameters: readonly string[]): string {
  const optionOf = (parameter: string) => `--${parameter.replaceAll('_', '-')}`;
  const any = parameters.join('|');
  // A name with an underscore cannot be a word of a sentence.
  const unlikeWords = parameters.filter((name) => name.includes('_')).join('|') || '(?!)';
  return text
    .replace(new RegExp(`(&?)\\b(${any})=`, 'g'), (_, and: string, name: string) => {
      return `${and === '' ? '' : ' '}${optionOf(name)} `;
    })
    .replace(new RegExp(`\\b(omit|pass) (${any})\\b`, 'gi'), (_, verb: string, name: string) => {
      return `${verb} ${optionOf(name)}`;
    })
    .replace(new RegExp(`\\b(?:${unlikeWords})\\b`, 'g'), optionOf);
}
