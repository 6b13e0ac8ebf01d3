import { makeBadge } from 'badge-maker';

export interface Badge {
  label: string;
  message: string;
  color: string;
}

/**
 * Characters of each side. A label may be anybody's words, each of its characters escaped by six, three times over; a
 * message is ours. A badge so stays below 2 KB.
 */
const [labelMax, messageMax] = [40, 64];

/** One line without what XML cannot hold, shortened by characters and not by their halves. */
function toLine(text: string, max: number): string {
  const plain = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}\ufffe\uffff]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...plain];
  return characters.length <= max ? plain : `${characters.slice(0, max - 1).join('')}…`;
}

/** A badge as SVG without script, style or reference. Whatever the texts hold stays text. */
export function drawBadge({ label, message, color }: Badge): string {
  return makeBadge({
    label: toLine(label, labelMax),
    message: toLine(message, messageMax),
    color,
    style: 'flat-square',
  });
}
