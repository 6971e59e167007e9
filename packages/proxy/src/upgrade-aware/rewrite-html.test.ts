import { expect, it } from 'vitest';
import { rewriteHtml } from './rewrite-html.js';

it('leaves the event loop to others in a long page', async () => {
  const page = (path: string) => `<a href="${path}">é &amp; 😀</a>`.repeat(40_000);
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  const rewritten = await rewriteHtml(page('/x'), { a: ['href'] }, (path) => `/proxy${path}`);
  clearImmediate(next);
  expect(turns).toBeGreaterThanOrEqual(8);
  expect(rewritten).toBe(page('/proxy/x'));
});
