import { plainFailure } from '@apiserver/apimachinery/errors';
import { expect, it } from 'vitest';
import { servedOpenApi } from './served-open-api.js';

it('parses a document again when its tag is another one', async () => {
  const asked: (string | undefined)[] = [];
  let served: { etag: string; value: object } | undefined = { etag: '"1"', value: { components: {} } };
  const openApiOf = servedOpenApi({
    readDocument: async (path, ifNoneMatch) => {
      asked.push(`${path} ${ifNoneMatch ?? 'none'}`);
      if (served === undefined) throw plainFailure(404, 'not found');
      return served.etag === ifNoneMatch ? undefined : served;
    },
  });
  const read = () => openApiOf({ group: 'apps', version: 'v1' });
  const first = await read();
  expect([first, await read()].map((document) => document === served?.value)).toEqual([true, true]);
  served = { etag: '"2"', value: { components: { schemas: {} } } };
  expect(await read()).toBe(served.value);
  served = undefined;
  expect(await read()).toBeUndefined();
  served = { etag: '"2"', value: {} };
  expect(await read()).toBe(served.value);
  const path = '/openapi/v3/apis/apps/v1';
  expect(asked).toEqual([`${path} none`, `${path} "1"`, `${path} "1"`, `${path} "2"`, `${path} none`]);
});
