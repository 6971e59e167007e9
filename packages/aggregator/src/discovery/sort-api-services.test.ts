import { expect, it } from 'vitest';
import { localApiService } from '../registration/desired-api-service.js';
import { apiServiceGroups } from './sort-api-services.js';

const one = (group: string, version: string, groupPriority: number, versionPriority: number) =>
  localApiService({ group, version }, { group: groupPriority, version: versionPriority }, 'true');

it('sorts groups by their highest priority, then by name, and versions by priority, then by stability', () => {
  const groups = apiServiceGroups([
    one('b.example.com', 'v1', 1000, 100),
    one('a.example.com', 'v1alpha1', 1000, 100),
    one('a.example.com', 'v1beta1', 1000, 100),
    one('c.example.com', 'v1', 1000, 9),
    one('c.example.com', 'v2', 5000, 15),
    one('a.example.com', 'v1', 1000, 100),
  ]);
  expect(groups.map(({ group, apiServices }) => [group, ...apiServices.map(({ spec }) => spec.version)])).toEqual([
    ['c.example.com', 'v2', 'v1'],
    ['a.example.com', 'v1', 'v1beta1', 'v1alpha1'],
    ['b.example.com', 'v1'],
  ]);
});
