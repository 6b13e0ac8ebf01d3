/** An image of opaque pixels, three bytes each, row by row. */
export interface Canvas {
  width: number;
  height: number;
  pixels: Uint8Array;
}

export type Colour = readonly [red: number, green: number, blue: number];
/** Vertices of a closed shape, x and y alternating. Nested shapes with the opposite orientation are holes. */
export type Contour = readonly number[];

export function createCanvas(width: number, height: number, ground: Colour): Canvas {
  const pixels = new Uint8Array(width * height * 3);
  for (let at = 0; at < pixels.length; at += 3) pixels.set(ground, at);
  return { width, height, pixels };
}

/** A rectangle in whole pixels, clipped to the image. */
export function fillBox(canvas: Canvas, x: number, y: number, width: number, height: number, colour: Colour): void {
  const right = Math.min(Math.round(x + width), canvas.width);
  const bottom = Math.min(Math.round(y + height), canvas.height);
  for (let row = Math.max(Math.round(y), 0); row < bottom; row += 1) {
    for (let column = Math.max(Math.round(x), 0); column < right; column += 1) {
      canvas.pixels.set(colour, (row * canvas.width + column) * 3);
    }
  }
}

/** Adds the coverage of one edge: each cell stores the change from its left neighbour, so that a running sum fills the row. */
function addEdge(
  cells: Float32Array,
  width: number,
  height: number,
  from: [number, number],
  to: [number, number],
): void {
  if (from[1] === to[1]) return;
  const turn = from[1] < to[1] ? 1 : -1;
  const [top, bottom] = turn === 1 ? [from, to] : [to, from];
  const slope = (bottom[0] - top[0]) / (bottom[1] - top[1]);
  let x = top[1] < 0 ? top[0] - top[1] * slope : top[0];
  for (let row = Math.max(0, Math.floor(top[1])); row < Math.min(height, Math.ceil(bottom[1])); row += 1) {
    const dy = Math.min(row + 1, bottom[1]) - Math.max(row, top[1]);
    const next = x + slope * dy;
    const [left, right] = x < next ? [x, next] : [next, x];
    addSpan(cells, row * width, dy * turn, left, right);
    x = next;
  }
}

function addSpan(cells: Float32Array, start: number, amount: number, left: number, right: number): void {
  const add = (cell: number, value: number) => {
    cells[start + cell] = (cells[start + cell] ?? 0) + value;
  };
  const first = Math.floor(left);
  const last = Math.ceil(right);
  if (last <= first + 1) {
    const middle = (left + right) / 2 - first;
    add(first, amount * (1 - middle));
    add(first + 1, amount * middle);
    return;
  }
  const share = 1 / (right - left);
  const begun = left - first;
  const ended = right - last + 1;
  const head = 0.5 * share * (1 - begun) ** 2;
  const tail = 0.5 * share * ended ** 2;
  add(first, amount * head);
  if (last === first + 2) add(first + 1, amount * (1 - head - tail));
  else {
    const second = share * (1.5 - begun);
    add(first + 1, amount * (second - head));
    for (let cell = first + 2; cell < last - 1; cell += 1) add(cell, amount * share);
    add(last - 1, amount * (1 - second - (last - first - 3) * share - tail));
  }
  add(last, amount * tail);
}

/** Fills closed shapes with antialiased edges. Shapes must be inside the image on the left and right. */
export function fillContours(canvas: Canvas, contours: readonly Contour[], colour: Colour): void {
  const xs = contours.flatMap((contour) => contour.filter((_, index) => index % 2 === 0));
  const ys = contours.flatMap((contour) => contour.filter((_, index) => index % 2 === 1));
  if (xs.length === 0) return;
  const left = Math.floor(xs.reduce((a, b) => Math.min(a, b)));
  const top = Math.floor(ys.reduce((a, b) => Math.min(a, b)));
  // An extra cell takes the carry of an edge on the border.
  const width = Math.ceil(xs.reduce((a, b) => Math.max(a, b))) - left + 2;
  const height = Math.ceil(ys.reduce((a, b) => Math.max(a, b))) - top;
  const cells = new Float32Array(width * height);
  for (const contour of contours) {
    for (let at = 0; at < contour.length; at += 2) {
      const next = (at + 2) % contour.length;
      addEdge(
        cells,
        width,
        height,
        [(contour[at] ?? 0) - left, (contour[at + 1] ?? 0) - top],
        [(contour[next] ?? 0) - left, (contour[next + 1] ?? 0) - top],
      );
    }
  }
  for (let row = 0; row < height; row += 1) {
    let sum = 0;
    for (let column = 0; column < width; column += 1) {
      sum += cells[row * width + column] ?? 0;
      blend(canvas, left + column, top + row, Math.min(Math.abs(sum), 1), colour);
    }
  }
}

function blend(canvas: Canvas, x: number, y: number, share: number, colour: Colour): void {
  if (share < 0.004 || x < 0 || y < 0 || x >= canvas.width || y >= canvas.height) return;
  const at = (y * canvas.width + x) * 3;
  for (let channel = 0; channel < 3; channel += 1) {
    const below = canvas.pixels[at + channel] ?? 0;
    canvas.pixels[at + channel] = Math.round(below + ((colour[channel] ?? 0) - below) * share);
  }
}
