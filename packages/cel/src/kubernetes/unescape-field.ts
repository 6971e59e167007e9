import { RESERVED_WORDS } from '../syntax/reserved.js';

const CHARACTERS: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' };

/**
 * The property that a name in an expression stands for; undefined if it stands for none.
 *
 * Upstream: Unescape in k8s.io/apiserver/pkg/cel/escaping.go
 */
export function unescapeField(name: string): string | undefined {
  if (!name.includes('__')) return name;
  let wrong = false;
  const property = name.replace(/__[^_]+__/g, (part) => {
    const content = part.slice(2, -2);
    const character = CHARACTERS[content];
    if (character !== undefined) return character;
    if (!RESERVED_WORDS.has(content) || part.length !== name.length) wrong = true;
    return content;
  });
  return wrong ? undefined : property;
}
