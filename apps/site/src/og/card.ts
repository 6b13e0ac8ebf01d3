import { toPng } from './png.ts';
import { type Colour, createCanvas, fillBox } from './raster.ts';
import { drawText, fitText, measureText, wrapText } from './text.ts';

/** The content of a link preview image. It is drawn as text only. */
export interface Card {
  /** The kind of the subject: "System". */
  kicker: string;
  title: string;
  /** Hardware and software, or a description of the subject. */
  subtitle: string;
  /** The main value; null without one. */
  figure: { value: string; unit: string; note: string } | null;
  /** Unit, n, source and doubts of the value. */
  facts: string;
  /** The source and the date of drawing. */
  source?: string;
}

const [width, height] = [1200, 630];
const edge = 72;
const inner = width - 2 * edge;
const ground: Colour = [255, 255, 255];
const ink: Colour = [27, 26, 23];
const muted: Colour = [93, 90, 82];
const lead: Colour = [166, 61, 0];
const line: Colour = [228, 225, 217];

const titleStyle = { size: 60, weight: 'bold', colour: ink } as const;
const plain = (size: number, colour: Colour) => ({ size, weight: 'regular', colour }) as const;

/** Draws a card as PNG, 1200 by 630. */
export function drawCard({ kicker, title, subtitle, figure, facts, source = '' }: Card): Uint8Array<ArrayBuffer> {
  const canvas = createCanvas(width, height, ground);
  fillBox(canvas, 0, 0, width, 12, ink);
  for (const [place, size] of [40, 26, 14].entries())
    fillBox(canvas, edge, 62 + place * 12, size, 8, place === 0 ? lead : ink);
  drawText(canvas, 'Inferboard', edge + 56, 91, { size: 30, weight: 'bold', colour: ink });
  drawText(canvas, kicker, width - edge - measureText(kicker, plain(24, muted)), 90, plain(24, muted));

  const lines = wrapText(title, inner, figure === null ? 3 : 2, titleStyle);
  let y = 196;
  for (const text of lines) {
    drawText(canvas, text, edge, y, titleStyle);
    y += 72;
  }
  drawText(canvas, fitText(subtitle, inner, plain(30, muted)), edge, y - 14, plain(30, muted));

  if (figure !== null) {
    const value = { size: 110, weight: 'bold', colour: lead } as const;
    const end = drawText(canvas, figure.value, edge, 482, value);
    const unit = plain(36, ink);
    drawText(canvas, fitText(figure.unit, width - edge - end - 20, unit), end + 20, 482, unit);
    drawText(canvas, fitText(figure.note, inner, plain(28, muted)), edge, 530, plain(28, muted));
  }
  fillBox(canvas, edge, 560, inner, 2, line);
  const small = plain(20, muted);
  const from = fitText(source, inner / 2, small);
  const left = inner - (from === '' ? 0 : measureText(from, small) + 24);
  drawText(canvas, fitText(facts, left, plain(24, muted)), edge, 598, plain(24, muted));
  drawText(canvas, from, width - edge - measureText(from, small), 598, small);
  return toPng(canvas);
}

/** An image response. Its cache lifetime limits how long other sites can show retracted results. */
export const pictureResponse = (png: Uint8Array<ArrayBuffer>, status = 200): Response =>
  new Response(png, {
    status,
    headers: {
      'Content-Type': 'image/png',
      'Cache-Control': status === 200 ? 'public, max-age=300' : 'no-store',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
  });

export const cardResponse = (card: Card, status = 200): Response => pictureResponse(drawCard(card), status);
