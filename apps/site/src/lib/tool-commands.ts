import type { CatalogueItem } from './api.ts';

/** A tool that is read, with how its output is made and sent. */
export interface ToolCommand {
  id: string;
  name: string;
  recognises: string;
  /** How the output is made, as the tool's reader tells it. */
  made: string;
  /** How it is sent; with a command that prints, both in one line. */
  sent: string;
}

const textOf = (item: CatalogueItem, field: string): string => {
  const value = item[field];
  return typeof value === 'string' ? value : '';
};

/** What a shell must see as one word. */
const resultFile = 'RESULT_FILE';

/** The file that a command leaves, by its own words; a stand-in where it does not name one. */
function fileOf(command: string): string {
  const names = command.match(/[\w./-]+\.(?:jsonl?|csv|txt|ya?ml)(?![\w*])/g) ?? [];
  return names.at(-1) ?? resultFile;
}

function curlOf(origin: string, kind: string, data: string): string {
  // What a model answers hardly depends on the GPU.
  const ofModel = kind === 'quality' ? 'quantization=QUANTIZATION' : 'gpu=GPU&quantization=QUANTIZATION';
  const facts = kind === 'kernel' ? 'gpu=GPU' : ofModel;
  return `curl -sS --data-binary ${data} -H "Authorization: Bearer $KEY" \\\n  "${origin}/v1/submissions?${facts}&format=text"`;
}

/** The tools as the API lists them, each with the commands that bring its output here. `origin`: base of the API. */
export function toToolCommands(items: readonly CatalogueItem[], origin: string): ToolCommand[] {
  return items.map((item) => {
    const command = textOf(item, 'command');
    const kind = textOf(item, 'kind');
    const printing = /^(.*\S)\s*\| tee result\.txt$/.exec(command)?.[1];
    return {
      id: item.id,
      name: item.name,
      recognises: textOf(item, 'recognises'),
      made: command,
      sent:
        printing === undefined
          ? curlOf(origin, kind, `@${fileOf(command)}`)
          : `${printing} | tee /dev/tty |\n  ${curlOf(origin, kind, '@-')}`,
    };
  });
}
