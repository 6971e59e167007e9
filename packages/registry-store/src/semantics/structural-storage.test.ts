import { expect, it } from 'vitest';
import { structuralStorage } from './structural-storage.js';

const { atRest, writes } = structuralStorage;
const own = { group: 'own.example.com', kind: 'Own' };

it('names an object in errors by what it states, or else by its resource', () => {
  const stated = (apiVersion: string) => writes.kindInErrors({ apiVersion, kind: 'Widget', metadata: {} }, own);
  expect([stated('example.com/v1'), stated('v1'), stated('a/b/c')]).toEqual([
    { group: 'example.com', kind: 'Widget' },
    { group: '', kind: 'Widget' },
    own,
  ]);
});

it('requires an apiVersion', () => {
  const check = (apiVersion: string) => writes.requireVersion({ apiVersion, kind: 'Widget', metadata: {} });
  expect(check('example.com/v1')).toBeUndefined();
  expect(() => check('')).toThrow(
    expect.objectContaining({
      status: expect.objectContaining({
        code: 500,
        message: "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
      }),
    }),
  );
});

it('cannot convert an object of an unknown version', () => {
  expect(atRest.unknownVersion('example.com/v9')).toMatchObject({
    status: { code: 500, message: 'request to convert CR from an invalid group/version: example.com/v9' },
  });
});
