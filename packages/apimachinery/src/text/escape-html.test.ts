import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapeHtml } from './escape-html.js';

const LONG = 'x'.repeat(70_000);
const odd = fc.array(fc.constantFrom('<', '>', '&', '\u2028', '\u2029', '\u2027', '\u{1f600}', 'é', '(', 'a'));

it('escapes a long text as the short ones that it is made of', () => {
  fc.assert(
    fc.property(odd, (parts) => {
      const text = parts.join('');
      expect(escapeHtml(text + LONG + text)).toBe(escapeHtml(text) + LONG + escapeHtml(text));
    }),
  );
});

it('escapes megabytes without a call for each character', () => {
  const json = '<'.repeat(2_900_000);
  const begun = process.threadCpuUsage();
  expect(escapeHtml(json)).toHaveLength(6 * json.length);
  const { user, system } = process.threadCpuUsage(begun);
  expect((user + system) / 1_000).toBeLessThan(150);
});
