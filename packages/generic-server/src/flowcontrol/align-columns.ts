/** Width of a column at least, and spaces behind its longest cell. */
const MIN_WIDTH = 8;
const PADDING = 1;

/**
 * Rows of cells as text: each cell but the last one is followed by a comma and padded to the width of its column.
 * Upstream: text/tabwriter with a least width of 8 and a padding of 1, over cells joined by ",\t"
 */
export function alignColumns(rows: readonly (readonly (string | number | boolean)[])[]): string {
  const texts = rows.map((row) => row.map((cell, i) => (i < row.length - 1 ? `${cell},` : String(cell))));
  const widths: number[] = [];
  for (const row of texts) {
    for (const [i, text] of row.slice(0, -1).entries()) {
      widths[i] = Math.max(widths[i] ?? MIN_WIDTH, [...text].length + PADDING);
    }
  }
  const pad = (text: string, width: number) => text + ' '.repeat(width - [...text].length);
  return texts
    .map((row) => `${row.map((text, i) => (i < row.length - 1 ? pad(text, widths[i] ?? 0) : text)).join('')}\n`)
    .join('');
}
