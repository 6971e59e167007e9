import { expect, test } from 'vitest';
import { namesIn, unknownNames } from './unknown-names.ts';

const known = new Set(namesIn('export class RestClient { readonly maxBytes = 1; }'));

test.each([
  [
    'renamed classes and members',
    '`RestClient` has `maxBytes` and `minBytes`, unlike `OldClient`',
    ['minBytes', 'OldClient'],
  ],
  ['parts of an expression', '`new RestClient({ timeoutMs: 1 })` `exchange.goneField`', ['timeoutMs', 'goneField']],
  ['a name twice', '`goneField` `goneField`', ['goneField']],
  ['words that are no names of programs', '`--max-Age`, `apps/Deployment`, `get`, `a-B`, prose about camelCase', []],
  ['names of its own examples', '```ts\nconst myClient = 1;\n```\nPass `myClient`.', []],
])('%s', (_, text, names) => {
  expect(unknownNames(text, known)).toEqual(names);
});
