import { RESERVED_WORDS } from '../syntax/reserved.js';

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/**
 * The name by which expressions select a property; undefined if none can.
 *
 * Upstream: Escape in k8s.io/apiserver/pkg/cel/escaping.go
 */
export function escapeField(name: string): string | undefined {
  if (RESERVED_WORDS.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (part) => ESCAPES[part] ?? part);
}
