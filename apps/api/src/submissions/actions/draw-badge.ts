import { makeBadge } from 'badge-maker';

export interface Badge {
  label: string;
  message: string;
  color: string;
}

/**
 * Maximum number of characters of each side. A label may be user text. It occurs three times, and escaping takes up to six
 * characters for each one; messages are fixed texts. A badge thus stays below 2 KB.
 */
const [labelMax, messageMax] = [40, 96];

/** Text on one line, without characters that XML cannot contain, shortened by whole characters. */
function toLine(text: string, max: number): string {
  const plain = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}\ufffe\uffff]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...plain];
  return characters.length <= max ? plain : `${characters.slice(0, max - 1).join('')}…`;
}

/** A badge as SVG without script, style or external reference. All texts are escaped. */
export function drawBadge({ label, message, color }: Badge): string {
  return makeBadge({
    label: toLine(label, labelMax),
    message: toLine(message, messageMax),
    color,
    style: 'flat-square',
  });
}
