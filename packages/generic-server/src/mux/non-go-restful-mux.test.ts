import type { Exchange, Handler } from '@apiserver/apiserver-contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PathMux } from './non-go-restful-mux.js';

const otherwise: Handler = () => ({ type: 'bytes', status: 404, body: undefined });
const found = (mux: PathMux, path: string) => mux.handlerFor({ request: { path } } as Exchange, otherwise);
const handlerNamed = (): Handler => () => otherwise(undefined as never);

// Letters that share a bit, and few of them, so that paths meet.
const path = fc.string({ unit: fc.constantFrom('/', 'a', 'A', '!', 'b'), maxLength: 4 }).map((rest) => `/${rest}`);

test('finds the handler of a path, else that of its longest prefix, whatever is registered', () => {
  fc.assert(
    fc.property(fc.uniqueArray(path, { maxLength: 6 }), fc.array(path, { maxLength: 12 }), (registered, asked) => {
      const mux = new PathMux();
      const handlers = new Map<string, Handler>();
      for (const [index, one] of registered.entries()) {
        const handler = handlerNamed();
        handlers.set(one, handler);
        if (one.endsWith('/') && index % 2 === 0) mux.handlePrefix(one, handler);
        else mux.handle(one, handler);
      }
      const prefixes = registered.filter((one, index) => one.endsWith('/') && index % 2 === 0);
      const expected = (wanted: string) => {
        const longest = prefixes.filter((prefix) => wanted.startsWith(prefix)).sort((a, b) => b.length - a.length)[0];
        return handlers.get(wanted) ?? (longest === undefined ? undefined : handlers.get(longest));
      };
      const paths = [...asked, ...registered, '/', ''];
      expect(paths.map((one) => found(mux, one))).toEqual(paths.map(expected));
    }),
  );
});

test('asks the router for a path that begins like none', async () => {
  const mux = new PathMux();
  mux.handle('/healthz', handlerNamed());
  expect(found(mux, '/api')).toBeUndefined();
  await mux.router();
  expect(found(mux, '/api')).toBeDefined();
});
