import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { customColumns } from './columns.js';

/** An object of this many levels. */
function nested(levels: number): object {
  let value = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

it('shares a budget among the paths of a row, and begins each row with a new one', () => {
  const columns = customColumns(
    ['.b', '..a..a..a..a', '.b'].map((jsonPath) => ({ name: jsonPath, type: 'string', jsonPath })),
  );
  const row = (object: object) => {
    const cells = columns.map((column) => column.cell({ metadata: { name: 'x' }, ...object } as never, rowTime(0)));
    return [cells[1], cells[3]];
  };
  const deep = { ...nested(300), b: 'b' };
  expect([row(deep), row({ b: 'c' }), row(deep)]).toEqual([
    ['b', null],
    ['c', 'c'],
    ['b', null],
  ]);
});
