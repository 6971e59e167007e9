import type { KubeObject } from '@apiserver/apimachinery';
import { FieldPath, fieldErrorMessage, fieldForbidden, fieldRequired } from '@apiserver/apimachinery/field';
import type { VerbContext } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { objectStrategy } from './object-strategy.js';

interface Boat extends KubeObject {
  port?: string;
}
const PORT = FieldPath.of('port');
const strategy = objectStrategy<Boat>({
  namespaced: false,
  validate: ({ port }) => (port === undefined ? [fieldRequired(PORT, '')] : []),
  validateChange: ({ port }, old) => (port === old.port ? [] : [fieldForbidden(PORT, 'boats stay')]),
});
const context = {} as VerbContext;

function boat(name: string, port?: string): Boat {
  const metadata = { name, resourceVersion: '1' };
  return { apiVersion: 'sea.example.com/v1', kind: 'Boat', metadata, ...(port !== undefined && { port }) };
}

it("validates metadata and the kind's own rules on create", () => {
  const faults = strategy.validate(context, boat('Big', undefined)).map(fieldErrorMessage);
  expect(faults).toEqual([expect.stringMatching(/^metadata\.name: Invalid value: "Big"/), 'port: Required value']);
});

it('validates the change on update', () => {
  const check = (now: Boat) => strategy.validateUpdate(context, now, boat('a', 'Kiel')).map(fieldErrorMessage);
  expect([check(boat('a', 'Kiel')), check(boat('a', 'Bergen'))]).toEqual([[], ['port: Forbidden: boats stay']]);
});
