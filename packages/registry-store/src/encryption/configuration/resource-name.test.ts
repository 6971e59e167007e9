import { expect, it } from 'vitest';
import { formatResourceName, isAnything, parseResourceName } from './resource-name.js';

it.each([
  ['secrets', { group: '', resource: 'secrets' }, false],
  ['*.', { group: '', resource: '*' }, false],
  ['deployments.apps', { group: 'apps', resource: 'deployments' }, false],
  ['*.apps', { group: 'apps', resource: '*' }, false],
  ['widgets.example.com', { group: 'example.com', resource: 'widgets' }, false],
  ['secrets.*', { group: '*', resource: 'secrets' }, false],
  ['*.*', { group: '*', resource: '*' }, true],
])('%s has one form', (name, resource, isAll) => {
  expect([parseResourceName(name), formatResourceName(resource), isAnything(resource)]).toEqual([
    resource,
    name,
    isAll,
  ]);
});
