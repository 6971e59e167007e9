/** Unchanged lines that stand around changes. */
const CONTEXT = 3;

/** A line of a diff: " ", "-" or "+" and the text. */
type Line = readonly [' ' | '-' | '+', string];

/**
 * How one value differs from another, as lines of a unified diff over JSON that is indented by single spaces, without a header.
 * Upstream: Diff of k8s.io/apimachinery/pkg/util/diff, which shows internal field names
 */
export function jsonDiff(before: unknown, after: unknown): string {
  const lines = diffLines(linesOf(before), linesOf(after));
  return hunks(lines).join('');
}

function linesOf(value: unknown): string[] {
  return JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? Number(item) : item), 1).split('\n');
}

/** The lines before and after the first and last difference are cut off; the rest is compared by common subsequence. */
function diffLines(a: readonly string[], b: readonly string[]): Line[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const same = (lines: readonly string[]) => lines.map((line): Line => [' ', line]);
  return [
    ...same(a.slice(0, start)),
    ...diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ];
}

function diffMiddle(a: readonly string[], b: readonly string[]): Line[] {
  const lengths = commonLengths(a, b);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left = '', right = ''] = [a[i], b[j]];
    if (i < a.length && j < b.length && left === right) {
      lines.push([' ', left]);
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))) {
      lines.push(['-', left]);
      i += 1;
    } else {
      lines.push(['+', right]);
      j += 1;
    }
  }
  return lines;
}

/** How long the common subsequence of the lines from i and from j on is. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly (readonly number[])[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    const [row = [], next = []] = [lengths[i], lengths[i + 1]];
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}

function hunks(lines: readonly Line[]): string[] {
  const shown = lines.map((_line, i) =>
    lines.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some(([kind]) => kind !== ' '),
  );
  const parts: string[] = [];
  let [oldLine, newLine] = [1, 1];
  for (const [i, line] of lines.entries()) {
    if (shown[i]) {
      if (!shown[i - 1]) parts.push(hunkHeader(lines, shown, i, [oldLine, newLine]));
      parts.push(`${line[0]}${line[1]}\n`);
    }
    if (line[0] !== '+') oldLine += 1;
    if (line[0] !== '-') newLine += 1;
  }
  return parts;
}

function hunkHeader(
  lines: readonly Line[],
  shown: readonly boolean[],
  from: number,
  [oldLine, newLine]: readonly [number, number],
): string {
  const end = shown.indexOf(false, from);
  const hunk = lines.slice(from, end < 0 ? undefined : end);
  const oldCount = hunk.filter(([kind]) => kind !== '+').length;
  const newCount = hunk.filter(([kind]) => kind !== '-').length;
  return `@@ -${oldLine},${oldCount} +${newLine},${newCount} @@\n`;
}
