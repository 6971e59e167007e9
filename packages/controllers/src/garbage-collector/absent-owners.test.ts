import { expect, it } from 'vitest';
import { AbsentOwners } from './absent-owners.js';

it('knows the last 500 owners, by all of their coordinates', () => {
  const absent = new AbsentOwners();
  const owner = (uid: number, namespace = '') => ({
    apiVersion: 'v1',
    kind: 'A',
    name: 'a',
    namespace,
    uid: String(uid),
  });
  for (let uid = 0; uid < 500; uid++) absent.add(owner(uid));
  absent.add(owner(0));
  absent.add(owner(500));
  const seen = [owner(0), owner(1), owner(2), owner(500), owner(500, 'ns')].map((one) => absent.has(one));
  expect(seen).toEqual([true, false, true, true, false]);
});
