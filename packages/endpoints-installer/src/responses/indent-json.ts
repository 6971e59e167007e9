const OPEN = '{[';
const CLOSE = '}]';

/**
 * Compact JSON text with line breaks and two spaces per level; empty objects and arrays stay on one line.
 * Works on text, so that numbers, escapes and the order of keys stay exactly as they are.
 *
 * Upstream: Go's encoding/json.Indent
 */
export function indentJson(compact: string): string {
  const out: string[] = [];
  let depth = 0;
  let at = 0;
  while (at < compact.length) {
    const char = compact.charAt(at);
    if (char === '"') {
      const end = endOfString(compact, at);
      out.push(compact.slice(at, end));
      at = end;
      continue;
    }
    if (OPEN.includes(char)) {
      const empty = CLOSE.includes(compact.charAt(at + 1));
      out.push(empty ? compact.slice(at, at + 2) : char + lineBreak(++depth));
      at += empty ? 2 : 1;
      continue;
    }
    out.push(
      CLOSE.includes(char)
        ? lineBreak(--depth) + char
        : char === ','
          ? char + lineBreak(depth)
          : char === ':'
            ? ': '
            : char,
    );
    at++;
  }
  return out.join('');
}

function lineBreak(depth: number): string {
  return `\n${'  '.repeat(depth)}`;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}
