/** Number of context lines around a change. */
const CONTEXT = 3;

/** A common run of lines, by its start in each text. */
interface Block {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** A run of lines of both texts: equal, or replaced. */
interface Change {
  readonly same: boolean;
  readonly a: readonly [start: number, end: number];
  readonly b: readonly [start: number, end: number];
}

/** The lines of two texts, with the positions of the second text's lines that are not too frequent. */
interface Compared {
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly places: ReadonlyMap<string, readonly number[]>;
}

/** From this length on, lines frequent in the second text do not start a common run. */
const LONG = 200;

/**
 * Limit of the product of both lengths for a full comparison; above it, only common starts and ends are found. The
 * comparison takes quadratic time, and clients determine the length of specs.
 */
const MAX_COMPARED = 4_000_000;

/** UTF-16 units from which on the difference is cut. Upstream has no bound, and its message is sent twice. */
const MAX_TEXT = 256 * 1_024;

/**
 * The difference of two texts: hunks with three context lines and no file names. "" for equal texts.
 * Upstream: Diff of k8s.io/apimachinery/pkg/util/diff/diff.go, by github.com/pmezard/go-difflib
 */
export function unifiedDiff(before: string, after: string): string {
  const a = before.split('\n');
  const b = after.split('\n');
  let text = '';
  for (const hunk of hunksOf(changesOf(a, b))) {
    text += hunkText(hunk, a, b);
    if (text.length > MAX_TEXT) return cutText(text);
  }
  return text;
}

function cutText(text: string): string {
  return `${text.slice(0, text.lastIndexOf('\n', MAX_TEXT) + 1)}... and more\n`;
}

function changesOf(a: readonly string[], b: readonly string[]): Change[] {
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  const end: Block = { a: a.length, b: b.length, size: 0 };
  for (const block of [...matchingBlocks(a, b), end]) {
    if (i < block.a || j < block.b) changes.push({ same: false, a: [i, block.a], b: [j, block.b] });
    [i, j] = [block.a + block.size, block.b + block.size];
    if (block.size > 0) changes.push({ same: true, a: [block.a, i], b: [block.b, j] });
  }
  return joined(changes);
}

function matchingBlocks(a: readonly string[], b: readonly string[]): Block[] {
  if (a.length * b.length > MAX_COMPARED) return endBlocks(a, b);
  return commonBlocks({ a, b, places: placesOf(b) }, { a: [0, a.length], b: [0, b.length] });
}

/** The common start and the common end. */
function endBlocks(a: readonly string[], b: readonly string[]): Block[] {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const blocks: Block[] = [
    { a: 0, b: 0, size: start },
    { a: a.length - end, b: b.length - end, size: end },
  ];
  return blocks.filter(({ size }) => size > 0);
}

function placesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = Map.groupBy(lines.keys(), (index) => lines[index] ?? '');
  if (lines.length < LONG) return places;
  const most = Math.floor(lines.length / 100) + 1;
  return new Map([...places].filter(([, indexes]) => indexes.length <= most));
}

/** The longest common run, and recursively those on both sides of it. */
function commonBlocks(compared: Compared, within: Omit<Change, 'same'>): Block[] {
  const longest = longestBlock(compared, within);
  if (longest.size === 0) return [];
  const [aStart, aEnd] = within.a;
  const [bStart, bEnd] = within.b;
  return [
    ...commonBlocks(compared, { a: [aStart, longest.a], b: [bStart, longest.b] }),
    longest,
    ...commonBlocks(compared, { a: [longest.a + longest.size, aEnd], b: [longest.b + longest.size, bEnd] }),
  ];
}

/** The first of the longest runs, extended by frequent lines at its ends. */
function longestBlock(compared: Compared, within: Omit<Change, 'same'>): Block {
  const { a, b } = compared;
  let { a: i, b: j, size } = longestRareBlock(compared, within);
  while (i > within.a[0] && j > within.b[0] && a[i - 1] === b[j - 1]) {
    i -= 1;
    j -= 1;
    size += 1;
  }
  while (i + size < within.a[1] && j + size < within.b[1] && a[i + size] === b[j + size]) size += 1;
  return { a: i, b: j, size };
}

function longestRareBlock({ a, places }: Compared, within: Omit<Change, 'same'>): Block {
  let best: Block = { a: within.a[0], b: within.b[0], size: 0 };
  let lengths = new Map<number, number>();
  for (let i = within.a[0]; i < within.a[1]; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] ?? '') ?? []) {
      if (j < within.b[0] || j >= within.b[1]) continue;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i + 1 - size, b: j + 1 - size, size };
    }
    lengths = next;
  }
  return best;
}

/** Merges adjacent runs of the same kind. */
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

/** Changes with their context; nearby changes share a hunk. */
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
