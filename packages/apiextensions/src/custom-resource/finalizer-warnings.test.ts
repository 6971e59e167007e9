import { expect, it } from 'vitest';
import { finalizerWarnings } from './finalizer-warnings.js';

const object = (...finalizers: string[]) => ({ apiVersion: 'a/v1', kind: 'A', metadata: { finalizers } });
const PREFER = 'prefer a domain-qualified finalizer name';
const WHY = 'to avoid accidental conflicts with other finalizer writers';

it.each<[string, readonly string[], readonly string[]]>([
  ['kubernetes', [], []],
  ['example.com/f', [], []],
  ['f', [], [`metadata.finalizers: "f": ${PREFER} ${WHY}`]],
  ['example.com', [], [`metadata.finalizers: "example.com": ${PREFER} including a path (/) ${WHY}`]],
  ['f', ['f'], []],
  [
    'a/b/c',
    [],
    [
      `metadata.finalizers: "a/b/c": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
  ],
])('%s after %j', (added, before, warnings) => {
  expect(finalizerWarnings(object(...before, added), object(...before))).toEqual(warnings);
});
