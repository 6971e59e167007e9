/** Lines around a change that are shown with it. */
const CONTEXT = 3;

/** A run of lines that both texts have, by where it begins in each. */
interface Block {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** A run of lines of either text: the same in both, or replaced. */
interface Change {
  readonly same: boolean;
  readonly a: readonly [start: number, end: number];
  readonly b: readonly [start: number, end: number];
}

/**
 * What differs between two texts, as hunks of lines with three lines around each and no file names. "" for equal texts.
 * For texts below 200 lines: beyond, upstream stops to look at frequent lines.
 * Upstream: Diff of k8s.io/apimachinery/pkg/util/diff/diff.go
 */
export function unifiedDiff(before: string, after: string): string {
  const a = before.split('\n');
  const b = after.split('\n');
  return hunksOf(changesOf(a, b))
    .map((hunk) => hunkText(hunk, a, b))
    .join('');
}

function changesOf(a: readonly string[], b: readonly string[]): Change[] {
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  const end: Block = { a: a.length, b: b.length, size: 0 };
  for (const block of [...commonBlocks(a, b, { a: [0, a.length], b: [0, b.length] }), end]) {
    if (i < block.a || j < block.b) changes.push({ same: false, a: [i, block.a], b: [j, block.b] });
    [i, j] = [block.a + block.size, block.b + block.size];
    if (block.size > 0) changes.push({ same: true, a: [block.a, i], b: [block.b, j] });
  }
  return joined(changes);
}

/** The longest run that both have, and the same again on either side of it. */
function commonBlocks(a: readonly string[], b: readonly string[], within: Omit<Change, 'same'>): Block[] {
  const longest = longestBlock(a, b, within);
  if (longest.size === 0) return [];
  const [aStart, aEnd] = within.a;
  const [bStart, bEnd] = within.b;
  return [
    ...commonBlocks(a, b, { a: [aStart, longest.a], b: [bStart, longest.b] }),
    longest,
    ...commonBlocks(a, b, { a: [longest.a + longest.size, aEnd], b: [longest.b + longest.size, bEnd] }),
  ];
}

/** The first of the longest. */
function longestBlock(a: readonly string[], b: readonly string[], within: Omit<Change, 'same'>): Block {
  let best: Block = { a: within.a[0], b: within.b[0], size: 0 };
  let lengths = new Map<number, number>();
  for (let i = within.a[0]; i < within.a[1]; i++) {
    const next = new Map<number, number>();
    for (let j = within.b[0]; j < within.b[1]; j++) {
      if (a[i] !== b[j]) continue;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i + 1 - size, b: j + 1 - size, size };
    }
    lengths = next;
  }
  return best;
}

/** Runs of the same kind that touch become one. */
function joined(changes: readonly Change[]): Change[] {
  const result: Change[] = [];
  for (const change of changes) {
    const last = result.at(-1);
    if (last?.same === change.same) {
      result[result.length - 1] = { same: last.same, a: [last.a[0], change.a[1]], b: [last.b[0], change.b[1]] };
    } else result.push(change);
  }
  return result;
}

/** Changes with the lines around them; those that are near each other share a hunk. */
function hunksOf(changes: readonly Change[]): Change[][] {
  const hunks: Change[][] = [];
  let hunk: Change[] = [];
  for (const [i, change] of changes.entries()) {
    const isEdge = i === 0 || i === changes.length - 1;
    const size = change.a[1] - change.a[0];
    if (!change.same || (!isEdge && size <= 2 * CONTEXT)) {
      hunk.push(change);
      continue;
    }
    if (i > 0) hunk.push(cut(change, 0, Math.min(CONTEXT, size)));
    if (i > 0 && hunk.some(({ same }) => !same)) hunks.push(hunk);
    hunk = i < changes.length - 1 ? [cut(change, Math.max(0, size - CONTEXT), size)] : [];
  }
  if (hunk.some(({ same }) => !same)) hunks.push(hunk);
  return hunks;
}

function cut({ same, a, b }: Change, from: number, to: number): Change {
  return { same, a: [a[0] + from, a[0] + to], b: [b[0] + from, b[0] + to] };
}

function hunkText(hunk: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [hunk[0], hunk.at(-1)];
  if (first === undefined || last === undefined) return '';
  const lines = hunk.flatMap((change) => {
    if (change.same) return a.slice(...change.a).map((line) => ` ${line}`);
    return [...a.slice(...change.a).map((line) => `-${line}`), ...b.slice(...change.b).map((line) => `+${line}`)];
  });
  const head = `@@ -${rangeText(first.a[0], last.a[1])} +${rangeText(first.b[0], last.b[1])} @@`;
  return `${[head, ...lines].join('\n')}\n`;
}

function rangeText(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}
