/** A text, or several of which one must match. `*` stands for any characters, also none. */
export type TextPattern = string | readonly string[];

/** True for the texts that a pattern matches. */
export type TextMatcher = (text: string) => boolean;

/** Compiles a pattern. The time of a match is linear in the text for each `*`. */
export function compilePattern(pattern: TextPattern): TextMatcher {
  if (typeof pattern === 'string') return compileOne(pattern);
  const matchers = pattern.map(compileOne);
  return (text) => matchers.some((matches) => matches(text));
}

function compileOne(pattern: string): TextMatcher {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return (text) => text === pattern;
  return (text) => {
    if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
    const end = text.length - tail.length;
    let at = head.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found < 0 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
}
